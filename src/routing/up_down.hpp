#pragma once

#include <vector>

#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

struct UpDownOptions {
  /// Highest switches; chosen by the engine, one a component, if empty or if these leave a pair
  /// undelivered that has terminals at an end.
  std::vector<model::SwitchIndex> roots;
};

/// Up*/down* over any graph in one lane: switches are ordered by distance from the roots, then by
/// GUID; a path goes up any number of times, then down, never up again, so no channel waits for
/// itself in a circle (Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991). Among the shortest legal
/// next hops of a switch a destination takes the one with the fewest routes for what it can carry
/// to there (reduced cables carry less, drained ones are passed only where nothing else leads on).
/// Every pair of a connected graph is delivered; with given roots, pairs of switches without
/// terminals may be left in `undelivered`. The same bytes for the same graph, whatever the number
/// of threads. Fails with kNotFound for a root that does not exist. O(switches * arcs + switches *
/// LIDs).
[[nodiscard]] model::Result<Routes> route_up_down(const Graph& graph,
                                                  const Availability& availability,
                                                  const UpDownOptions& options, Workers& workers);

}  // namespace heddle::routing
