#pragma once

#include <span>
#include <vector>

#include "model/ids.hpp"
#include "routing/availability.hpp"
#include "routing/dependency_set.hpp"
#include "routing/graph.hpp"
#include "routing/level_sets.hpp"
#include "routing/transition.hpp"
#include "routing/write_order.hpp"

namespace heddle::routing {

/// A change in which the dependencies of old and new paths together have a cycle though neither
/// have one.
struct ClashingChange {
  const Graph& graph;
  const Availability& availability;
  const RoutingState& before;
  const RoutingState& after;
  const LevelSets& levels;           ///< of all connections
  const DependencySet& old;          ///< of the old paths
  const DependencySet& fresh;        ///< of the new ones
  std::span<const model::Lid> lids;  ///< whose entries change, ascending
};

/// Deals the LIDs into rounds, in order of LID, each round written when the one before is
/// acknowledged: as many as possible into each such that the old paths of all that are left and the
/// new ones of all that were written have no cycle. Where none fits any more, a LID's old entries
/// are cleared before everything, the one with most old dependencies on cycles. O(sources * changed
/// LIDs * length of a path + dependencies on cycles squared).
[[nodiscard]] std::vector<LidRound> deal_rounds(const ClashingChange& change);

}  // namespace heddle::routing
