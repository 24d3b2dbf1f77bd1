#include "cli/route.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/atomic_file.hpp"
#include "cli/route_output.hpp"
#include "cli/routed_fabric.hpp"
#include "cli/table.hpp"
#include "cli/threads.hpp"
#include "discovery/forwarding_text.hpp"
#include "routing/compute.hpp"
#include "routing/table_changes.hpp"
#include "routing/workers.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Result;
using model::Status;

namespace {

Result<routing::TableChanges> changes_since(const std::string& path, const RoutedFabric& routed,
                                            const model::ForwardingTables& now,
                                            routing::Workers& workers) {
  const Result<model::ForwardingTables> before = discovery::read_forwarding(path, routed.fabric);
  if (!before) return model::fail(before.error());
  return routing::compare_tables(routed.graph, routed.availability, *before, now,
                                 routed.structure.level, workers);
}

json::object report_json(const RoutedFabric& routed, const routing::Computed& computed,
                         const std::optional<routing::TableChanges>& changes) {
  const routing::Verdict& verdict = computed.verdict;
  json::array refusals;
  for (const routing::Refusal& refusal : computed.refusals) {
    refusals.push_back({{"engine", to_string(refusal.engine)}, {"reason", refusal.reason}});
  }
  json::object report{{"engine", to_string(computed.routes.engine)},
                      {"shape", to_string(routed.structure.shape)},
                      {"switches", routed.graph.switch_count()},
                      {"terminals", routed.graph.terminals().size()},
                      {"lids", routed.graph.destinations().size()},
                      {"pairs", verdict.pairs},
                      {"unreachable", verdict.unreachable},
                      {"unconnected", verdict.unconnected},
                      {"looping", verdict.looping},
                      {"longest_hops", verdict.longest_hops},
                      {"virtual_lanes", std::popcount(verdict.lanes_used)},
                      {"cycle", !verdict.cycle.empty()},
                      {"refusals", std::move(refusals)},
                      {"changed_entries", nullptr},
                      {"changed_switches", nullptr}};
  if (changes) {
    report["changed_entries"] = changes->entries;
    report["changed_switches"] = changes->switches;
  }
  return report;
}

std::string report_text(const RoutedFabric& routed, const routing::Computed& computed,
                        const std::optional<routing::TableChanges>& changes, Colour colour) {
  const routing::Verdict& verdict = computed.verdict;
  std::string out;
  for (const routing::Refusal& refusal : computed.refusals) {
    out += fmt::format("{}\n", tinted(fmt::format("engine {} gave up: {}",
                                                  to_string(refusal.engine), refusal.reason),
                                      Tint::kWarning, colour));
  }
  std::vector<std::vector<Cell>> rows;
  const auto add = [&rows](std::string name, std::string value, Tint tint = Tint::kNone) {
    rows.push_back({{std::move(name)}, {std::move(value), tint}});
  };
  add("engine", std::string(to_string(computed.routes.engine)));
  add("fabric", fmt::format("{}, {} switches, {} end ports, {} LIDs",
                            to_string(routed.structure.shape), routed.graph.switch_count(),
                            routed.graph.terminals().size(), routed.graph.destinations().size()));
  add("delivered",
      fmt::format("{} of {} pairs",
                  verdict.pairs - verdict.unconnected - verdict.unreachable - verdict.looping,
                  verdict.pairs));
  if (verdict.unconnected != 0) {
    add("not connected", fmt::format("{} pairs", verdict.unconnected), Tint::kWarning);
  }
  if (verdict.unreachable != 0) {
    add("undelivered", fmt::format("{} pairs", verdict.unreachable), Tint::kBad);
  }
  add("longest path", fmt::format("{} cables", verdict.longest_hops));
  add("virtual lanes", fmt::format("{}", std::popcount(verdict.lanes_used)));
  add("deadlock", "none possible: no dependency cycle", Tint::kGood);
  if (changes) {
    add("changed", fmt::format("{} entries in {} switches", changes->entries, changes->switches));
  }
  return out + render_table({{""}, {""}}, std::move(rows), "", colour);
}

}  // namespace

Result<ExitCode> route(const RouteCommand& command, Console& console) {
  const Result<RoutedFabric> routed = load_routed_fabric(command.inputs);
  if (!routed) return model::fail(routed.error());
  routing::Workers workers(command.threads.value_or(all_cores()));
  const Result<routing::Computed> computed = routing::compute_routes(
      routed->fabric, routed->graph, routed->structure, routed->availability,
      {.engine = command.engine, .max_lanes = command.max_lanes}, workers);
  if (!computed) return model::fail(computed.error());
  std::optional<routing::TableChanges> changes;
  if (command.previous) {
    const Result<routing::TableChanges> found =
        changes_since(*command.previous, *routed, computed->routes.tables, workers);
    if (!found) return model::fail(found.error());
    changes = *found;
  }
  std::vector<std::pair<std::string, std::string>> files;
  if (command.lfts_out) {
    files.emplace_back(*command.lfts_out,
                       lfts_text(routed->fabric, routed->availability, computed->routes.tables));
  }
  if (command.sl_out) {
    files.emplace_back(*command.sl_out, levels_text(routed->graph, computed->routes.lanes.levels));
  }
  if (command.sl2vl_out) {
    files.emplace_back(*command.sl2vl_out, maps_text(routed->graph, computed->routes.lanes.maps));
  }
  if (routed->slots_text) files.emplace_back(*command.inputs.slots, *routed->slots_text);
  for (const auto& [path, text] : files) {
    if (Status written = write_file(path, text); !written) return model::fail(written.error());
  }
  if (command.json) {
    console.out << json::serialize(report_json(*routed, *computed, changes)) << '\n';
  } else {
    console.out << report_text(*routed, *computed, changes, console.colour);
  }
  return computed->verdict.good() ? ExitCode::kGood : ExitCode::kNotGood;
}

}  // namespace heddle::cli
