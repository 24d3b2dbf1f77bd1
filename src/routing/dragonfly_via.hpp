#pragma once

#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/via_groups.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Lanes that non-minimal paths of a dragonfly take together with the minimal ones.
inline constexpr std::uint8_t kDragonflyViaLanes = 3;

/// Leads LIDs beyond the first of their range over one group more (see ViaGroups): by a local cable
/// to a router with a cable into that group, or by such a cable, and from there as the minimal
/// paths in `routes` lead, local-global-local. Either all routers of a group send a LID over the
/// other group or, where a fault or a drained cable is in the way of one of them, none does and it
/// keeps to minimal paths.
///
/// Lanes: minimal paths and those to groups of odd number have service level 0, VL 0 up to where
/// they leave a global port for a local one and VL 1 there, in the group passed too. The others
/// have level 1: VL 0 for a first local cable, VL 2 from the first global one on. A connection that
/// is answered on level 1 over a minimal path takes the same lanes, so it is no danger either.
[[nodiscard]] OwnLanes add_dragonfly_via_paths(const Graph& graph, const Structure& structure,
                                               const Availability& availability, Routes& routes,
                                               Workers& workers);

}  // namespace heddle::routing
