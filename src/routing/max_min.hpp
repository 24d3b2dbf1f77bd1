#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/fabric.hpp"
#include "model/units.hpp"
#include "routing/availability.hpp"
#include "routing/flows.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Capacity of every channel by number: the share that its availability leaves of what a cable of
/// its kind carries (sibling_rates), at most the data rate of the cable itself; that if drained, 0
/// if not usable. Cables of unknown rate count as `unknown`.
[[nodiscard]] std::vector<model::BitsPerSecond> channel_capacities(const model::Fabric& fabric,
                                                                   const Graph& graph,
                                                                   const Availability& availability,
                                                                   model::BitsPerSecond unknown);

struct FlowRate {
  model::BitsPerSecond rate;          ///< 0 for a flow without a path
  std::optional<Channel> limited_by;  ///< the full channel that the flow has its rate from
};

/// Max-min fair rates (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2): all flows grow
/// alike until a channel is full, whose flows then stay; the others grow on. Whole bits, so the
/// same on every machine. O((flows * hops + channels) log channels).
[[nodiscard]] std::vector<FlowRate> max_min_rates(
    const ChannelNumbers& numbers, const FlowPaths& paths,
    const std::vector<model::BitsPerSecond>& capacity);

}  // namespace heddle::routing
