#pragma once

#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

struct DragonflyOptions {
  std::uint8_t max_lanes = 8;  ///< data VLs that may be used, at least 2
};

/// Local-global-local paths, or shorter; a packet moves to VL 1 where it leaves a global port for a
/// local one (Kim et al., ISCA 2008; for InfiniBand: Maglione-Mathey et al., JPDC 2021), so two
/// lanes are acyclic. With a third lane, LIDs beyond the first of their range take non-minimal
/// paths (dragonfly_via.hpp). Pairs that faults leave without such a path take a detour in a
/// further lane. kUnsupported where the structure is no dragonfly.
[[nodiscard]] model::Result<Routes> route_dragonfly(const Graph& graph, const Structure& structure,
                                                    const Availability& availability,
                                                    const DragonflyOptions& options,
                                                    Workers& workers);

}  // namespace heddle::routing
