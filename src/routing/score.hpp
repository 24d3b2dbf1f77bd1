#pragma once

#include <cstdint>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

struct ScoreOptions {
  /// Shifts, random permutations and bisections tried, of each; all shifts where there are no more.
  std::uint32_t permutations = 200;
  std::uint64_t seed = 1;
  std::uint8_t max_hops = 64;  ///< cables; longer paths carry nothing
};

/// What tables are worth to jobs. Ranks are terminals in order of node GUID, then port; flows go to
/// the first LID of a terminal. Load is the number of flows on a channel, over the share of its
/// capacity where that is reduced; a flow gets 1 / the greatest load on its path (ORCS: Schneider,
/// Hoefler and Lumsdaine, 2009). Greatest loads are rounded up. Undelivered pairs carry nothing.
struct Score {
  std::uint32_t shift_max = 0;  ///< greatest load over all tried shift permutations i -> i + k
  double shift_mean_max = 0;    ///< mean over shifts of the greatest load
  std::uint32_t random_max_median = 0;  ///< of the greatest loads of random permutations
  std::uint32_t random_max_p99 = 0;
  /// Effective bisection bandwidth: mean over random bisections, whose halves send to each other in
  /// pairs, of the mean of what flows get.
  double bisection_bandwidth_ratio = 0;
  double bisection_bandwidth_ratio_min = 0;  ///< of the worst bisection tried
  /// All pairs of terminals of different nodes at once, over channels between switches.
  std::uint64_t routes_per_arc_max = 0;
  double routes_per_arc_mean = 0;
  double routes_per_arc_deviation = 0;
  std::vector<std::uint64_t> paths_by_hops;  ///< the same pairs, by cables on the path
};

/// The same whatever the number of threads, the same on every machine for the same seed.
/// O(permutations * terminals * hops + switches with terminals * terminals * hops).
[[nodiscard]] Score score_routes(const Graph& graph, const Availability& availability,
                                 const model::ForwardingTables& tables, const ScoreOptions& options,
                                 Workers& workers);

}  // namespace heddle::routing
