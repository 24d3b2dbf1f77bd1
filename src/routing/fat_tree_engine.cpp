#include "routing/fat_tree_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "routing/detours.hpp"
#include "routing/fat_tree.hpp"
#include "routing/ordered_proof.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;

namespace {

/// Tables of the plan's order, proved, with detours for what the order cannot deliver.
model::Result<Routes> route_ordered(const model::Fabric& fabric, const Graph& graph,
                                    FatTreePlan plan, const Availability& availability,
                                    std::uint8_t max_lanes, Workers& workers) {
  FatTree tree(graph, std::move(plan));
  tree.compute(availability, workers);
  const OrderedProof proof =
      prove_ordered(graph, tree.plan().directions(), availability, tree.tables(), workers);
  if (!proof.good()) {
    return fail(Errc::kConflict,
                fmt::format("{} entries do not lead up and then down, the first at {} for LID {}",
                            proof.wrong_entries, describe_switch(fabric, proof.first_wrong->sw),
                            proof.first_wrong->lid));
  }
  Routes routes{.engine = Engine::kFatTree,
                .tables = std::move(tree).take_tables(),
                .lanes = {PathLevels(graph.switch_count(), graph.top_lid()), LaneMaps(graph)},
                .undelivered = {}};
  if (!proof.undelivered.empty()) {
    add_detours(graph, availability, {.max_lanes = max_lanes}, routes, workers);
  }
  return routes;
}

}  // namespace

model::Result<Routes> route_fat_tree(const model::Fabric& fabric, const Graph& graph,
                                     const Structure& structure, const Availability& availability,
                                     const FatTreeOptions& options, Workers& workers) {
  if (structure.leaf_order.empty()) {
    return fail(Errc::kUnsupported, "no switch has hosts, so none is a leaf");
  }
  return route_ordered(fabric, graph, FatTreePlan::make(fabric, graph, structure), availability,
                       options.max_lanes, workers);
}

model::Result<Routes> route_dragonfly_plus(const model::Fabric& fabric, const Graph& graph,
                                           const Structure& structure,
                                           const Availability& availability,
                                           const FatTreeOptions& options, Workers& workers) {
  if (structure.shape != Shape::kDragonflyPlus) {
    return fail(Errc::kUnsupported,
                fmt::format("the fabric is no dragonfly+ but {}", to_string(structure.shape)));
  }
  model::Result<Routes> routes =
      route_ordered(fabric, graph, FatTreePlan::make(fabric, graph, structure), availability,
                    options.max_lanes, workers);
  if (routes) routes->engine = Engine::kDragonflyPlus;
  return routes;
}

}  // namespace heddle::routing
