#include "routing/detours.hpp"

#include <algorithm>
#include <iterator>
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

/// How often what did not fit is tried once more before all else.
constexpr int kTurns = 8;

bool good(const DetourPlan& plan) {
  return plan.unsent == 0 && plan.unanswered == 0 && plan.lanes <= 1;
}
/// The less the better. A second lane that serves hosts is worth having; for a few more answers of
/// switches without hosts none is spent.
auto badness(const DetourPlan& plan) {
  return std::tuple(plan.unsent, std::max(plan.lanes, std::uint8_t{1}), plan.unanswered);
}

/// The first plan that delivers everything in one lane, or the best of all that were tried: with
/// either taste, then with those LIDs first that some earlier plan could not serve in one lane, as
/// what comes late finds the lane taken ("squeaky wheel" optimisation: Joslin and Clements, JAIR
/// 10, 1999).
DetourPlan best_plan(const Graph& graph, const Availability& availability,
                     const ForwardingTables& tables, const DetourOptions& options,
                     const Holes& holes, DetourSpace& space) {
  const auto planned = [&](const DetourAttempt& attempt) {
    return plan_detours(graph, availability, tables, options, attempt, holes, space);
  };
  // Spread detours fit one lane, or leave so much out that any thrift does better: which is found
  // out in a fraction of the time that finishing them takes.
  DetourPlan best = planned({.taste = DetourTaste::kSpread, .most_unanswered = 0});
  const bool unfinished = best.gave_up;
  std::vector<std::uint32_t> hard;
  for (int turn = 0; turn <= kTurns && (best.gave_up || !good(best)); ++turn) {
    DetourPlan plan = planned({.taste = DetourTaste::kThrift, .first = hard});
    std::vector<std::uint32_t> harder;
    std::ranges::set_union(hard, plan.hard, std::back_inserter(harder));
    const bool nothing_new = harder.size() == hard.size();
    hard = std::move(harder);
    if (best.gave_up || badness(plan) < badness(best)) best = std::move(plan);
    if (nothing_new) break;
  }
  if (unfinished && !good(best)) {
    DetourAttempt once_more{.taste = DetourTaste::kSpread};
    if (best.unsent == 0 && best.lanes <= 1) once_more.most_unanswered = best.unanswered;
    DetourPlan plan = planned(once_more);
    if (!plan.gave_up && badness(plan) <= badness(best)) best = std::move(plan);
  }
  return best;
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

Detours find_detours(const Graph& graph, const Availability& availability,
                     const DetourOptions& options, const ForwardingTables& tables,
                     const Holes& holes, DetourSpace& space) {
  HEDDLE_ASSERT(options.first_sl.value() > 0);
  Detours detours;
  if (holes.lids.empty()) return detours;
  const DetourPlan plan = best_plan(graph, availability, tables, options, holes, space);
  detours.lanes = plan.lanes;
  for (std::size_t i = 0; i < plan.lids.size(); ++i) {
    const HoledLid& lid = plan.lids[i];
    const model::Lid value = graph.destinations()[lid.destination].lid;
    if (!holes.unwanted.empty()) {
      for (const std::uint32_t sw : holes.unwanted[i]) {
        if (std::ranges::binary_search(lid.holes, sw, {}, &DetourHole::sw)) continue;
        detours.empty.push_back({.source = SwitchIndex{sw}, .destination = value});
      }
    }
    for (const DetourHole& hole : lid.holes) {
      const SwitchIndex sw{hole.sw};
      if (hole.lane == 0) {
        detours.empty.push_back({.source = sw, .destination = value});
        detours.undelivered.push_back({.source = sw, .destination = value});
        continue;
      }
      detours.entries.push_back(
          {.sw = sw,
           .lid = value,
           .port = graph.arc(ArcIndex{hole.arc}).exit.value(),
           .level = Sl{static_cast<std::uint8_t>(options.first_sl.value() + hole.lane - 1)}});
    }
  }
  std::ranges::sort(detours.undelivered);
  return detours;
}

void add_detours(const Graph& graph, const Availability& availability, const DetourOptions& options,
                 Routes& routes, Workers& workers) {
  set_last_entries(graph, availability, routes.tables);
  Holes holes = find_holes(graph, availability, routes.tables,
                           holed_destinations(graph, availability, routes.tables, workers),
                           options.pairs, workers);
  DetourSpace space(graph, std::move(holes.remaining));
  Detours detours = find_detours(graph, availability, options, routes.tables, holes, space);
  routes.undelivered = std::move(detours.undelivered);
  for (const Undelivered& pair : detours.empty) {
    // Rather none than one that leads nowhere.
    routes.tables.row(pair.source)[pair.destination.value()] = ForwardingTables::kNoPort;
  }
  if (detours.entries.empty()) return;
  if (routes.lanes.levels.all_zero()) {
    routes.lanes.levels = PathLevels(graph.switch_count(), graph.top_lid());
  }
  for (const DetourEntry& entry : detours.entries) {
    routes.tables.row(entry.sw)[entry.lid.value()] = entry.port;
    routes.lanes.levels.set(entry.sw, entry.lid, entry.level);
  }
  map_levels(graph, options, detours.lanes, routes.lanes.maps);
}

}  // namespace heddle::routing
