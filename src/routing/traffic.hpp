#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "model/units.hpp"
#include "routing/availability.hpp"
#include "routing/flows.hpp"
#include "routing/graph.hpp"
#include "routing/max_min.hpp"

namespace heddle::routing {

/// Flows at the same time, each of a job.
struct Traffic {
  std::vector<Flow> flows;
  std::vector<std::uint32_t> job;  ///< by flow, into jobs
  std::vector<std::string> jobs;   ///< names
};

/// End ports of host adapters in order of node GUID, then port: the ranks of a pattern unless
/// others are named. `availability` as it is before anything is tried: what is away already has no
/// rank.
[[nodiscard]] std::vector<TerminalIndex> ranks_by_guid(const model::Fabric& fabric,
                                                       const Graph& graph,
                                                       const Availability& availability);

/// What flows get under some tables.
struct TrafficRates {
  FlowPaths paths;
  /// No limit for what is not delivered, rate 0, nor for what gets all that the cables of its two
  /// ends carry.
  std::vector<FlowRate> flows;
};
/// Max-min fair rates of all flows at once. Flows that cross what is not usable are not delivered,
/// wherever their tables lead. Cables of unknown rate count as `unknown`.
[[nodiscard]] TrafficRates traffic_rates(const model::Fabric& fabric, const Graph& graph,
                                         const Availability& availability,
                                         const model::ForwardingTables& tables,
                                         const std::vector<Flow>& flows,
                                         model::BitsPerSecond unknown);

struct RateSummary {
  std::size_t flows = 0;
  std::size_t undelivered = 0;
  /// Over all flows, undelivered ones as 0; all 0 without flows.
  model::BitsPerSecond minimum;
  model::BitsPerSecond median;  ///< the lower of two middle ones
  model::BitsPerSecond mean;    ///< rounded down
};
[[nodiscard]] RateSummary summarise(const TrafficRates& rates);
/// By job. O(flows log flows).
[[nodiscard]] std::vector<RateSummary> summarise_jobs(const Traffic& traffic,
                                                      const TrafficRates& rates);

/// A full channel that keeps flows below what the cables of their ends carry.
struct Limit {
  Channel channel;
  std::size_t flows = 0;      ///< that it limits
  model::BitsPerSecond rate;  ///< that each of them gets
  auto operator<=>(const Limit&) const = default;
};
/// Channels that limit most flows first, of as many the one that gives least, then by channel.
[[nodiscard]] std::vector<Limit> limits_of(const ChannelNumbers& numbers,
                                           const TrafficRates& rates);

/// How paths moved between two states of one graph.
struct PathChanges {
  std::size_t rerouted = 0;     ///< delivered before and now, over other channels
  std::size_t interrupted = 0;  ///< delivered before over what is not usable now: they stand still
                                ///< until new tables are in force
};
[[nodiscard]] PathChanges path_changes(const Graph& graph, const TrafficRates& before,
                                       const TrafficRates& now, const Availability& available_now);
/// Flows that are delivered over a cable which routes should not use (capacity 0), as nothing else
/// leads to where they go.
[[nodiscard]] std::size_t flows_over_drained(const Graph& graph, const TrafficRates& rates,
                                             const Availability& availability);

}  // namespace heddle::routing
