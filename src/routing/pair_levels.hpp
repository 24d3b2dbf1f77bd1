#pragma once

#include <cstdint>
#include <optional>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

namespace heddle::routing {

/// One service level for each two switches and all paths between their LIDs, in both directions, VL
/// = SL: a connection answers on the level on which it was opened (the communication manager hands
/// that on, and management answers keep it), so only such levels are proved for the way back as
/// well. Each pair gets the lowest lane whose channel dependency graph stays acyclic with it, pairs
/// of switches with terminals first. Nothing if some pair fits none of `max_lanes`. Entries that
/// lead to no switch end a path.
[[nodiscard]] std::optional<PathLevels> pair_levels(const Graph& graph,
                                                    const Availability& availability,
                                                    const model::ForwardingTables& tables,
                                                    std::uint8_t max_lanes);

}  // namespace heddle::routing
