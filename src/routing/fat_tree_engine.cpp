#include "routing/fat_tree_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "routing/detours.hpp"
#include "routing/dragonfly_plus_via.hpp"
#include "routing/fat_tree.hpp"
#include "routing/ordered_proof.hpp"

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

}  // namespace

model::Result<Routes> route_fat_tree(const model::Fabric& fabric, const Graph& graph,
                                     const Structure& structure, const Availability& availability,
                                     const FatTreeOptions& options, Workers& workers) {
  if (structure.leaf_order.empty()) {
    return fail(Errc::kUnsupported, "no switch has hosts, so none is a leaf");
  }
  FatTree tree(graph, FatTreePlan::make(fabric, graph, structure));
  model::Result<OrderedRoutes> ordered = route_ordered(fabric, graph, tree, availability, workers);
  if (!ordered) return fail(ordered.error());
  if (!ordered->complete) {
    add_detours(graph, availability, {.max_lanes = options.max_lanes}, ordered->routes, workers);
  }
  return std::move(ordered->routes);
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
  if (!ordered->complete) {
    add_detours(graph, availability, beyond(own, options.max_lanes), routes, workers);
  }
  return routes;
}

}  // namespace heddle::routing
