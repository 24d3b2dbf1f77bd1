#pragma once

#include <cstdint>

#include "routing/availability.hpp"
#include "routing/fat_tree.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/via_groups.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Leads LIDs beyond the first of their range over one group more (see ViaGroups), in tables of
/// `tree` that are in `routes`: up, across into that group, across again from the spine where they
/// arrive, down. Where in the intact fabric most spines lack cables to most other groups, packets
/// go down to a leaf of that group first and up to a spine that has one; that takes three lanes,
/// turning in the spine two. A group whose spines have no such way now, and whatever only a drained
/// cable leads to, keeps to minimal paths, leaf by leaf. Nothing happens if `max_lanes` does not
/// suffice.
///
/// Lanes: minimal paths and those to groups of odd number have service level 0, the others level 1.
/// VL = SL, and the next one for the way up from a leaf that packets came down to. A connection
/// that is answered on level 1 over a minimal path is no danger either.
[[nodiscard]] OwnLanes add_dragonfly_plus_via_paths(const Graph& graph, const Structure& structure,
                                                    const FatTree& tree,
                                                    const Availability& availability,
                                                    std::uint8_t max_lanes, Routes& routes,
                                                    Workers& workers);

}  // namespace heddle::routing
