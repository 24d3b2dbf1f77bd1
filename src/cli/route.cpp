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
#include "cli/table_files.hpp"
#include "cli/threads.hpp"
#include "routing/compute.hpp"
#include "routing/live_change.hpp"
#include "routing/port_sets.hpp"
#include "routing/table_changes.hpp"
#include "routing/workers.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Result;
using model::Status;

namespace {

/// What becomes of a fabric that carries traffic under other tables.
struct Change {
  routing::TableChanges tables;
  routing::LiveChange live;
  model::ForwardingTables first;  ///< the old tables without LiveChange::clear_first
};

/// Makes `computed` fit to be written over the tables of the command's files.
Result<Change> change_from_previous(const RouteCommand& command, const RoutedFabric& routed,
                                    routing::Computed& computed, routing::Workers& workers) {
  routing::Routes& routes = computed.routes;
  Result<TablesOfFiles> before =
      load_previous(command.previous, routed.fabric, routed.graph, routes.lanes.maps);
  if (!before) return model::fail(before.error());
  Change change;
  change.live = routing::make_live(
      routed.graph, routed.availability, before->state(),
      command.accept_risk ? routing::RiskOfDeadlock::kAccept : routing::RiskOfDeadlock::kRefuse,
      routes, workers);
  if (!change.live.withheld.empty()) {
    computed.verdict = routing::check_routes(routed.graph, routed.availability, routes.tables,
                                             routes.lanes, {}, workers);
  }
  change.tables = routing::compare_tables(routed.graph, routed.availability, before->tables,
                                          routes.tables, routed.structure.level, workers);
  change.first = routing::without(std::move(before->tables), change.live.clear_first);
  return change;
}

json::array levels_json(unsigned mask) {
  json::array levels;
  for (unsigned level = 0; mask >> level != 0; ++level) {
    if (((mask >> level) & 1U) != 0) levels.push_back(level);
  }
  return levels;
}

json::array level_changes_json(const RoutedFabric& routed,
                               const std::vector<routing::LevelChange>& changes) {
  json::array out;
  for (const routing::LevelChange& change : changes) {
    out.push_back({{"switch", fmt::format("{}", routed.graph.guid(change.source))},
                   {"lid", change.destination.value()},
                   {"before", levels_json(change.before)},
                   {"after", levels_json(change.after)}});
  }
  return out;
}

json::object report_json(const RoutedFabric& routed, const routing::Computed& computed,
                         const std::optional<Change>& change) {
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
                      {"changed_switches", nullptr},
                      {"change", nullptr}};
  if (change) {
    report["changed_entries"] = change->tables.entries;
    report["changed_switches"] = change->tables.switches;
    report["change"] = {{"unavoidable_entries", change->tables.unavoidable},
                        {"clear_first_entries", change->live.clear_first.size()},
                        {"withheld_pairs", change->live.withheld.size()},
                        {"safe_in_transit", change->live.transition.good()},
                        {"new_levels", level_changes_json(routed, change->live.levels)}};
  }
  return report;
}

std::string report_text(const RoutedFabric& routed, const routing::Computed& computed,
                        const std::optional<Change>& change, Colour colour) {
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
  if (change) {
    add("changed",
        fmt::format("{} entries in {} switches, {} of them unavoidable", change->tables.entries,
                    change->tables.switches, change->tables.unavoidable));
    if (!change->live.levels.empty()) {
      add("new level",
          fmt::format("{} live pairs: open connections stay on the old one until they are renewed",
                      change->live.levels.size()),
          Tint::kWarning);
    }
    if (!change->live.withheld.empty()) {
      add("withheld",
          fmt::format("{} pairs: open connections could deadlock on their new entries",
                      change->live.withheld.size()),
          Tint::kBad);
    }
    if (!change->live.clear_first.empty()) {
      add("clear first", fmt::format("{} entries: old and new ones mixed could loop or deadlock",
                                     change->live.clear_first.size()));
    }
    if (!change->live.transition.good()) {
      add("in transit", "old and new entries mixed can loop or deadlock", Tint::kBad);
    }
  }
  return out + render_table({{""}, {""}}, std::move(rows), "", colour);
}

}  // namespace

Result<ExitCode> route(const RouteCommand& command, Console& console) {
  const Result<RoutedFabric> routed = load_routed_fabric(command.inputs);
  if (!routed) return model::fail(routed.error());
  routing::Workers workers(command.compute.threads.value_or(all_cores()));
  Result<routing::Computed> computed = routing::compute_routes(
      routed->fabric, routed->graph, routed->structure, routed->availability,
      {.engine = command.compute.engine, .max_lanes = command.compute.max_lanes}, workers);
  if (!computed) return model::fail(computed.error());
  std::optional<Change> change;
  if (command.previous.lfts) {
    Result<Change> found = change_from_previous(command, *routed, *computed, workers);
    if (!found) return model::fail(found.error());
    change = std::move(*found);
  }
  std::vector<std::pair<std::string, std::string>> files;
  if (command.lfts_out) {
    files.emplace_back(*command.lfts_out,
                       lfts_text(routed->fabric, routed->availability, computed->routes.tables));
  }
  if (command.clear_first_out) {
    files.emplace_back(*command.clear_first_out,
                       lfts_text(routed->fabric, routed->availability, change->first));
  }
  if (command.sl_out) {
    files.emplace_back(*command.sl_out, levels_text(routed->graph, computed->routes.lanes.levels));
  }
  if (command.sl2vl_out) {
    files.emplace_back(*command.sl2vl_out, maps_text(routed->graph, computed->routes.lanes.maps));
  }
  if (command.ports_out) {
    const routing::PortSets sets =
        routing::minimal_port_sets(routed->fabric, routed->graph, routed->structure,
                                   routed->availability, computed->routes, workers);
    files.emplace_back(*command.ports_out, ports_text(routed->fabric, routed->availability,
                                                      computed->routes.tables, sets));
  }
  if (routed->slots_text) files.emplace_back(*command.inputs.slots, *routed->slots_text);
  for (const auto& [path, text] : files) {
    if (Status written = write_file(path, text); !written) return model::fail(written.error());
  }
  if (command.json) {
    console.out << json::serialize(report_json(*routed, *computed, change)) << '\n';
  } else {
    console.out << report_text(*routed, *computed, change, console.colour);
  }
  const bool safe = !change || command.accept_risk || change->live.transition.good();
  return safe && computed->verdict.good() ? ExitCode::kGood : ExitCode::kNotGood;
}

}  // namespace heddle::cli
