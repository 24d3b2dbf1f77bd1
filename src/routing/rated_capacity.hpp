#pragma once

#include <vector>

#include "model/fabric.hpp"
#include "model/units.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// By ArcIndex, the rate that a cable would have if it ran as its siblings do, at least its own; 0
/// where the rates are not known. Siblings of a cable that leads up are the cables of its lower
/// switch to the same level, and the fastest of them counts: a leaf all of whose uplinks are slow
/// has nothing better to choose. Cables within a level may be of several kinds (local and global
/// ones of a dragonfly): there those between the same two switches count, and what three quarters
/// of a switch's such cables reach, as with model::degraded_links(). Whether a cable is up does not
/// matter, so that a fault does not change what others are worth. Empty if no cable is slower than
/// its siblings. O(cables).
[[nodiscard]] std::vector<model::BitsPerSecond> sibling_rates(const model::Fabric& fabric,
                                                              const Graph& graph);

/// `availability` in which cables that run below the rate of their siblings are worth that share,
/// rounded up to a percent and never 0. Cables whose capacity was given already keep it.
[[nodiscard]] Availability with_rates(const model::Fabric& fabric, const Graph& graph,
                                      Availability availability);

}  // namespace heddle::routing
