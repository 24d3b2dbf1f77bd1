#pragma once

#include <cstdint>

#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// What has a service level of its own.
enum class LevelsPer : std::uint8_t {
  kPath,  ///< source switch and LID, as OpenSM's dfsssp has it: the fewest lanes
  kPair,  ///< two switches, both ways (see pair_levels.hpp): up to three times as many
};

struct LayeredOptions {
  std::uint8_t max_lanes = 8;  ///< data VLs that may be used, 1 to 15
  LevelsPer levels = LevelsPer::kPath;
};

/// Routes any connected graph: shortest paths, spread by the routes that each channel carries
/// already (the idea of SSSP, Hoefler, Schneider and Lumsdaine, HOTI 2009), each in the lowest lane
/// whose channel dependency graph stays acyclic (DFSSSP, Domke, Hoefler and Nagel, IPDPS 2011).
/// Unlike there, a path is chosen with its lane: among shortest ways on, one that fits a low lane
/// goes before one that is loaded less. One SL a path, VL = SL, and where the lanes suffice the
/// same for both directions between two switches. If shortest paths need more lanes than there are,
/// the last lane is kept for LIDs that are routed up*/down*, so one lane is enough for any graph.
/// Drained cables are passed only where nothing else leads on. The same bytes for the same graph,
/// whatever the number of threads. kInvalidInput for a number of lanes out of range,
/// kUnsupported where these do not suffice for one level a pair.
[[nodiscard]] model::Result<Routes> route_layered(const Graph& graph,
                                                  const Availability& availability,
                                                  const LayeredOptions& options, Workers& workers);

}  // namespace heddle::routing
