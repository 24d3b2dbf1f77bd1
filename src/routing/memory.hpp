#pragma once

#include "model/fabric.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// What is there together with what was there: the form in which a fabric is recognised and given
/// places, so that nothing else moves while something is away, and all is as before when it is
/// back. Nodes and cables of `remembered` are added where `present` has nothing that contradicts
/// them: a port cabled elsewhere now, a GUID or LID in use now. What `present` says of anything
/// holds. Remembered nodes without any cable left are dropped.
[[nodiscard]] model::Fabric remember(const model::Fabric& present, const model::Fabric& remembered);

/// Which parts of `whole`, whose graph is given, are in `present`: the rest is down.
[[nodiscard]] Availability present_in(const model::Fabric& whole, const Graph& graph,
                                      const model::Fabric& present);

}  // namespace heddle::routing
