#pragma once

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

struct FatTreeOptions {
  std::uint8_t max_lanes = 8;  ///< data VLs that may be used; with 1 what needs a second stays out
};

/// Tables of FatTree, proved by prove_ordered(): every pair that up*/down* connects, in lane 0.
/// What is left, LIDs of switches for the most part, gets detours in further lanes. kUnsupported
/// where no switch has a level; an error of our own making, which the proof found, is kConflict.
[[nodiscard]] model::Result<Routes> route_fat_tree(const model::Fabric& fabric, const Graph& graph,
                                                   const Structure& structure,
                                                   const Availability& availability,
                                                   const FatTreeOptions& options, Workers& workers);

/// Leaf-spine-(global)-spine-leaf: up, across, down, which needs one lane. Spines of different
/// groups that are cabled to each other are of one class (align_labels() in columns.hpp); a
/// destination goes by the class that its number picks. LIDs beyond the first of their range take
/// non-minimal paths (dragonfly_plus_via.hpp). Else as route_fat_tree(). kUnsupported where the
/// structure is no dragonfly+.
[[nodiscard]] model::Result<Routes> route_dragonfly_plus(
    const model::Fabric& fabric, const Graph& graph, const Structure& structure,
    const Availability& availability, const FatTreeOptions& options, Workers& workers);

}  // namespace heddle::routing
