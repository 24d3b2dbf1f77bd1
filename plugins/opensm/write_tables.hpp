#pragma once

#include <cstdint>

#include "model/forwarding_tables.hpp"
#include "model/result.hpp"
#include "plugins/opensm/bridge.h"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::plugin {

struct Written {
  std::uint64_t entries = 0;  ///< LIDs of the graph, of what is away too, times switches
  std::uint64_t changed = 0;  ///< that differ from what the switches hold
  std::uint64_t blocks = 0;   ///< of 64 LIDs, that hold one of those
};

/// Fills `next` and the hop rows of the switches of `subnet`, all of which `graph` has. Hop rows
/// are for LIDs of switches, as OpenSM's own are: it counts one more to what hangs on them. They
/// hold, for every port to a neighbour, the cables of the shortest way that begins there.
/// kUnavailable if there is no memory for a hop row.
[[nodiscard]] model::Result<Written> write_tables(const routing::Graph& graph,
                                                  const routing::Availability& availability,
                                                  const model::ForwardingTables& tables,
                                                  const heddle_subnet& subnet,
                                                  routing::Workers& workers);

}  // namespace heddle::plugin
