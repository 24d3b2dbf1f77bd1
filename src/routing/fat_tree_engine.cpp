#include "routing/fat_tree_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "routing/detours.hpp"
#include "routing/dragonfly_plus_via.hpp"
#include "routing/fat_tree.hpp"
#include "routing/ordered_proof.hpp"
#include "routing/tree_routes.hpp"
#include "routing/turn_detours.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;

namespace {

struct OrderedRoutes {
  Routes routes;
  bool complete = false;  ///< every pair is delivered
};

/// Tables of the tree's order, proved; empty where the order cannot deliver.
model::Result<OrderedRoutes> route_ordered(const model::Fabric& fabric, const Graph& graph,
                                           FatTree& tree, const Availability& availability,
                                           Workers& workers) {
  tree.compute(availability, workers);
  const OrderedProof proof =
      prove_ordered(graph, tree.plan().directions(), availability, tree.tables(), workers);
  if (!proof.good()) {
    return fail(Errc::kConflict,
                fmt::format("{} entries do not lead up and then down, the first at {} for LID {}",
                            proof.wrong_entries, describe_switch(fabric, proof.first_wrong->sw),
                            proof.first_wrong->lid));
  }
  return OrderedRoutes{
      .routes = {.engine = Engine::kFatTree,
                 .tables = std::move(tree).take_tables(),
                 .lanes = {PathLevels(graph.switch_count(), graph.top_lid()), LaneMaps(graph)},
                 .undelivered = {}},
      .complete = proof.undelivered.empty()};
}

/// Entries to fill, up to which searching for ways is quick enough to see whether fewer lanes do.
constexpr std::uint64_t kSearchedHoles = std::uint64_t{1} << 19U;
/// What TurnDetours take of the lanes and levels.
constexpr std::uint8_t kTurnLanes = 2;

/// Lanes in use, where levels above those of turns keep VL = SL.
std::uint8_t lanes_of(const Routes& routes) {
  std::uint8_t lanes = routes.lanes.maps.identity() ? 1 : kTurnLanes;
  for (std::uint32_t s = 0; s < routes.lanes.levels.rows(); ++s) {
    for (const std::uint8_t level : routes.lanes.levels.row(model::SwitchIndex{s})) {
      lanes = std::max<std::uint8_t>(lanes, level + 1U);
    }
  }
  return lanes;
}

/// Detours by turns that two lanes make safe; where they do not serve all, a search for what is
/// left, or for everything where that delivers more or takes fewer lanes.
model::Result<Routes> with_detours(const model::Fabric& fabric, const Graph& graph,
                                   const Structure& structure, const FatTree& tree,
                                   const Availability& availability, std::uint8_t max_lanes,
                                   Routes ordered, Workers& workers) {
  if (max_lanes < kTurnLanes) {
    add_detours(graph, availability, {.max_lanes = max_lanes}, ordered, workers);
    return ordered;
  }
  const TurnDetours turns(graph, structure, tree, availability, workers);
  std::optional<Routes> searched;
  if (!turns.complete() && turns.holes() <= kSearchedHoles) {
    searched = ordered;
    add_detours(graph, availability, {.max_lanes = max_lanes}, *searched, workers);
    max_lanes = std::max(kTurnLanes, lanes_of(*searched));
  }
  Routes turning = std::move(ordered);
  if (const std::optional<Undelivered> wrong = turns.write(turning, workers)) {
    return fail(Errc::kConflict,
                fmt::format("a detour leads nowhere at {} for LID {}",
                            describe_switch(fabric, wrong->source), wrong->destination));
  }
  if (turns.complete()) return turning;
  add_detours(graph, availability,
              {.first_sl = model::Sl{kTurnLanes}, .first_lane = kTurnLanes, .max_lanes = max_lanes},
              turning, workers);
  const auto cost = [&graph](const Routes& routes) {
    const auto from_hosts = std::ranges::count_if(
        routes.undelivered,
        [&graph](const Undelivered& pair) { return !graph.terminals_of(pair.source).empty(); });
    return std::tuple(from_hosts, routes.undelivered.size(), lanes_of(routes));
  };
  if (searched && cost(*searched) < cost(turning)) return std::move(*searched);
  return turning;
}

}  // namespace

model::Result<Routes> route_fat_tree(const model::Fabric& fabric, const Graph& graph,
                                     const Structure& structure, const Availability& availability,
                                     const FatTreeOptions& options, Workers& workers) {
  if (structure.leaf_order.empty()) {
    return fail(Errc::kUnsupported, "no switch has hosts, so none is a leaf");
  }
  TreeRoutes routes(graph, FatTreePlan::make(fabric, graph, structure), options.max_lanes);
  if (const model::Status proved = routes.compute(availability, workers); !proved) {
    return fail(proved.error());
  }
  return std::move(routes).take_routes();
}

model::Result<Routes> route_dragonfly_plus(const model::Fabric& fabric, const Graph& graph,
                                           const Structure& structure,
                                           const Availability& availability,
                                           const FatTreeOptions& options, Workers& workers) {
  if (structure.shape != Shape::kDragonflyPlus) {
    return fail(Errc::kUnsupported,
                fmt::format("the fabric is no dragonfly+ but {}", to_string(structure.shape)));
  }
  FatTree tree(graph, FatTreePlan::make(fabric, graph, structure));
  model::Result<OrderedRoutes> ordered = route_ordered(fabric, graph, tree, availability, workers);
  if (!ordered) return fail(ordered.error());
  Routes routes = std::move(ordered->routes);
  routes.engine = Engine::kDragonflyPlus;
  const OwnLanes own = add_dragonfly_plus_via_paths(graph, structure, tree, availability,
                                                    options.max_lanes, routes, workers);
  if (ordered->complete) return routes;
  if (!own.beyond_minimal) {
    return with_detours(fabric, graph, structure, tree, availability, options.max_lanes,
                        std::move(routes), workers);
  }
  add_detours(graph, availability, beyond(own, options.max_lanes), routes, workers);
  return routes;
}

}  // namespace heddle::routing
