#include "routing/detours.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/assert.hpp"
#include "routing/detour_column.hpp"
#include "routing/detour_plan.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using model::Vl;

namespace {

/// A LID's own switch has to know where it ends; no lane is needed for that.
void set_last_entries(const Graph& graph, const Availability& availability,
                      ForwardingTables& tables) {
  for (const Destination& destination : graph.destinations()) {
    if (!availability.usable(graph, destination)) continue;
    tables.row(destination.at)[destination.lid.value()] = graph.last_exit(destination).value();
  }
}

/// The first plan that delivers everything in one lane, or the best of both tastes.
DetourPlan best_plan(const Graph& graph, const Availability& availability,
                     const ForwardingTables& tables, const DetourOptions& options,
                     const Holes& holes) {
  DetourPlan spread =
      plan_detours(graph, availability, tables, options, DetourTaste::kSpread, holes);
  if (spread.without == 0 && spread.lanes <= 1) return spread;
  DetourPlan thrift =
      plan_detours(graph, availability, tables, options, DetourTaste::kThrift, holes);
  const auto better = [](const DetourPlan& a, const DetourPlan& b) {
    return std::tie(a.without, a.lanes) < std::tie(b.without, b.lanes);
  };
  return better(thrift, spread) ? thrift : spread;
}

/// Sees to it that the service levels of detours keep to their lanes at every switch.
void map_levels(const Graph& graph, const DetourOptions& options, std::uint8_t lanes,
                LaneMaps& maps) {
  const unsigned first_sl = options.first_sl.value();
  if (maps.identity()) {
    if (first_sl == options.first_lane) return;
    maps = LaneMaps(graph);
  }
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const unsigned ports = graph.port_count(sw);
    for (unsigned in = 0; in <= ports; ++in) {
      for (unsigned out = 1; out <= ports; ++out) {
        const PortNum in_port{static_cast<std::uint8_t>(in)};
        const PortNum out_port{static_cast<std::uint8_t>(out)};
        const model::SlToVl* const found = maps.find(sw, in_port, out_port);
        if (found == nullptr && first_sl == options.first_lane) continue;
        model::SlToVl mapping = maps.mapping(sw, in_port, out_port);
        for (unsigned lane = 0; lane < lanes; ++lane) {
          mapping[first_sl + lane] = static_cast<std::uint8_t>(options.first_lane + lane);
        }
        if (found == nullptr || *found != mapping) maps.set(sw, in_port, out_port, mapping);
      }
    }
  }
}

}  // namespace

void add_detours(const Graph& graph, const Availability& availability, const DetourOptions& options,
                 Routes& routes, Workers& workers) {
  HEDDLE_ASSERT(options.first_sl.value() > 0);
  set_last_entries(graph, availability, routes.tables);
  routes.undelivered.clear();
  const Holes holes = find_holes(graph, availability, routes.tables, options.pairs, workers);
  if (holes.lids.empty()) return;
  const DetourPlan plan = best_plan(graph, availability, routes.tables, options, holes);
  if (routes.lanes.levels.all_zero()) {
    routes.lanes.levels = PathLevels(graph.switch_count(), graph.top_lid());
  }
  for (const HoledLid& lid : plan.lids) {
    const model::Lid value = graph.destinations()[lid.destination].lid;
    for (const DetourHole& hole : lid.holes) {
      const SwitchIndex sw{hole.sw};
      std::uint8_t& entry = routes.tables.row(sw)[value.value()];
      if (hole.lane == 0) {
        entry = ForwardingTables::kNoPort;  // rather none than one that leads nowhere
        if (hole.kind) routes.undelivered.push_back({.source = sw, .destination = value});
        continue;
      }
      entry = graph.arc(ArcIndex{hole.arc}).exit.value();
      routes.lanes.levels.set(
          sw, value, Sl{static_cast<std::uint8_t>(options.first_sl.value() + hole.lane - 1)});
    }
  }
  if (plan.lanes > 0) map_levels(graph, options, plan.lanes, routes.lanes.maps);
  std::ranges::sort(routes.undelivered);
}

}  // namespace heddle::routing
