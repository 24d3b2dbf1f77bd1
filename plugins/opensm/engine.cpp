#include "plugins/opensm/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "plugins/opensm/capacities.hpp"
#include "plugins/opensm/subnet_fabric.hpp"
#include "plugins/opensm/write_tables.hpp"
#include "routing/graph.hpp"
#include "routing/memory.hpp"
#include "routing/recognise.hpp"

namespace heddle::plugin {

using model::Errc;
using model::Fabric;
using model::fail;
using model::Result;

namespace {

struct Place {
  Fabric whole;
  routing::Graph graph;
};

/// The fabric with what is away. Should that be contradictory, what is there counts alone.
Result<Place> place_of(const Fabric& present, const Fabric* remembered) {
  if (remembered != nullptr) {
    Fabric whole = routing::remember(present, *remembered);
    if (Result<routing::Graph> graph = routing::Graph::from(whole)) {
      return Place{std::move(whole), std::move(*graph)};
    }
  }
  Result<routing::Graph> graph = routing::Graph::from(present);
  if (!graph) return fail(graph.error());
  return Place{present, std::move(*graph)};
}

std::size_t switches_present(const Fabric& remembered, const Fabric& present) {
  return static_cast<std::size_t>(
      std::ranges::count_if(remembered.switches(), [&](model::NodeIndex node) {
        return present.find_node(remembered.node(node).guid).has_value();
      }));
}

/// Whether enough of it is there for a damaged fabric, and not another one.
bool is_of(const Fabric& remembered, const Fabric& present) {
  return 2 * switches_present(remembered, present) >= remembered.switches().size();
}

std::optional<ManagerPlace> manager_of(const Place& place, const heddle_subnet& subnet) {
  const std::optional<model::NodeIndex> node =
      place.whole.find_node(model::NodeGuid{subnet.manager_node});
  if (!node) return std::nullopt;
  if (const std::optional<model::SwitchIndex> at = place.whole.switch_index(*node)) {
    return ManagerPlace{.at = *at, .host_port = std::nullopt, .lid = place.graph.lid(*at)};
  }
  for (const routing::Terminal& terminal : place.graph.terminals()) {
    const model::PortNum port = place.whole.port(terminal.port).number;
    if (terminal.node != *node || port.value() != subnet.manager_port) continue;
    return ManagerPlace{.at = terminal.leaf, .host_port = port, .lid = terminal.lid};
  }
  return std::nullopt;
}

void count_parts(const routing::Graph& graph, const routing::Availability& availability,
                 Report& report) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    (availability.up(model::SwitchIndex{s}) ? report.switches : report.away) += 1;
  }
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    (availability.usable(graph, routing::TerminalIndex{t}) ? report.hosts : report.away) += 1;
  }
}

std::string reasons_of(const std::vector<routing::Refusal>& refusals) {
  std::string text;
  for (const routing::Refusal& refusal : refusals) {
    fmt::format_to(std::back_inserter(text), "{}{} gave up: {}", text.empty() ? "" : "; ",
                   to_string(refusal.engine), refusal.reason);
  }
  return text;
}

}  // namespace

abi::RoutingRun run_message(const Result<Report>& report, std::chrono::nanoseconds took) {
  abi::RoutingRun run;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  run.time = static_cast<std::uint64_t>(now / std::chrono::nanoseconds{1});
  run.nanoseconds = static_cast<std::uint64_t>(took.count());
  if (!report) {
    run.reason = report.error().message();
    return run;
  }
  run.routed = 1;
  run.proved = 1;  // compute_routes() gives nothing else
  run.lanes = static_cast<std::uint8_t>(report->lanes);
  run.hosts = static_cast<std::uint32_t>(report->hosts);
  run.switches = static_cast<std::uint32_t>(report->switches);
  run.away = static_cast<std::uint32_t>(report->away);
  run.entries = report->entries;
  run.changed = report->changed;
  run.blocks_changed = static_cast<std::uint32_t>(report->blocks_changed);
  run.undelivered = report->undelivered;
  run.weights = report->weights;
  run.weighted = static_cast<std::uint32_t>(report->weighted);
  run.engine = to_string(report->engine);
  run.fallback = reasons_of(report->refusals);
  return run;
}

std::string result_line(const Report& report) {
  std::string line = fmt::format(
      "routed with {}: {} hosts, {} switches{}, {} {}, {} of {} entries changed, {} {} to send, "
      "{:.1f} ms",
      to_string(report.engine), report.hosts, report.switches,
      report.away == 0 ? "" : fmt::format(" ({} known parts away)", report.away), report.lanes,
      report.lanes == 1 ? "lane" : "lanes", report.changed, report.entries, report.blocks_changed,
      report.blocks_changed == 1 ? "block" : "blocks", report.time.count());
  if (report.weighted != 0) {
    fmt::format_to(std::back_inserter(line), "; {} drained or reduced", report.weighted);
  }
  if (!report.refusals.empty()) line += "; " + reasons_of(report.refusals);
  return line;
}

std::string alarm_line(const Report& report) {
  if (report.undelivered == 0) return {};
  return fmt::format("{} pairs are connected but not delivered: {} hold them without deadlock",
                     report.undelivered,
                     report.lanes == 1 ? "one lane does not" : "the lanes do not");
}

std::string substitute_line(const Report& report) {
  if (!report.one_lane) return {};
  // Alone of all engines it is none without a second lane.
  const auto missed =
      std::ranges::find(report.refusals, routing::Engine::kDragonfly, &routing::Refusal::engine);
  if (missed == report.refusals.end()) return {};
  return fmt::format("{} in place of {}, with longer routes, as there is one lane alone",
                     to_string(report.engine), to_string(missed->engine));
}

void Engine::set_weights(WeightSet weights) {
  const std::lock_guard lock(weights_mutex_);
  weights_ = std::move(weights);
}

WeightSet Engine::weights() const {
  const std::lock_guard lock(weights_mutex_);
  return weights_;
}

std::shared_ptr<const RoutingRun> Engine::last_run() const {
  const std::lock_guard lock(mutex_);
  return run_;
}

const Fabric* Engine::remembered(const Fabric& present) const {
  if (recalled_) return is_of(*recalled_, present) ? recalled_.get() : nullptr;
  return run_ ? &run_->whole : nullptr;
}

/// Once for all, by the first run that finds a switch and writes tables. Empty if what was recalled
/// is used, or there is nothing to decide.
std::string Engine::decide_recalled(const Fabric& present) {
  if (!recalled_ || present.switches().empty()) return {};
  const std::shared_ptr<const Fabric> recalled = std::exchange(recalled_, nullptr);
  if (is_of(*recalled, present)) return {};
  return fmt::format("of another fabric, as {} of its {} switches are here",
                     switches_present(*recalled, present), recalled->switches().size());
}

Result<Report> Engine::route(const heddle_subnet& subnet) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t number = begun_.fetch_add(1) + 1;
  if (options_.test_fail) return fail(Errc::kUnavailable, "test_fail=1 asks for a failure");
  const Fabric present = fabric_of(subnet);
  Result<Place> place = place_of(present, remembered(present));
  if (!place) return fail(place.error());
  Result<routing::Structure> structure = routing::recognise(place->whole, place->graph);
  if (!structure) return fail(structure.error());
  WeightSet weights = this->weights();
  routing::Availability availability = routing::present_in(place->whole, place->graph, present);
  const std::size_t weighted =
      set_capacities(place->whole, place->graph, weights.cables, availability);
  // For this call alone: between sweeps no thread of ours waits in OpenSM.
  routing::Workers workers(
      options_.threads != 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency()));
  const std::uint8_t lanes = std::min(options_.max_lanes, std::max(subnet.lanes, std::uint8_t{1}));
  Result<routing::Computed> computed = routing::compute_routes(
      place->whole, place->graph, *structure, availability,
      {.engine = options_.engine, .max_lanes = lanes, .walk = routing::Walk::kWithoutOrder},
      workers);
  if (!computed) return fail(computed.error());

  Report report;
  count_parts(place->graph, availability, report);
  const Result<Written> written =
      write_tables(place->graph, availability, computed->routes.tables, subnet, workers);
  if (!written) return fail(written.error());
  report.one_lane = lanes == 1;
  report.engine = computed->routes.engine;
  report.refusals = std::move(computed->refusals);
  report.lanes = std::max(1, std::popcount(computed->verdict.lanes_used));
  report.entries = written->entries;
  report.changed = written->changed;
  report.blocks_changed = written->blocks;
  report.weights = weights.generation;
  report.weighted = weighted;
  report.undelivered = computed->verdict.unreachable;
  report.not_recalled = decide_recalled(present);
  const std::optional<ManagerPlace> manager = manager_of(*place, subnet);
  auto run = std::make_shared<RoutingRun>(RoutingRun{.number = number,
                                                     .whole = std::move(place->whole),
                                                     .graph = std::move(place->graph),
                                                     .structure = std::move(*structure),
                                                     .available = availability,
                                                     .weights = std::move(weights),
                                                     .asked_for = options_.engine,
                                                     .max_lanes = lanes,
                                                     .engine = report.engine,
                                                     .tables = std::move(computed->routes.tables),
                                                     .lanes = computed->routes.lanes,
                                                     .manager = manager,
                                                     .blocks = written->blocks});
  lanes_.replace(std::make_unique<const LiveLanes>(run->graph, std::move(computed->routes.lanes)));
  {
    const std::lock_guard lock(mutex_);
    run_ = std::move(run);
  }
  report.time = std::chrono::steady_clock::now() - begin;
  return report;
}

}  // namespace heddle::plugin
