#pragma once

#include <cstdint>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/flows.hpp"
#include "routing/graph.hpp"
#include "routing/structure.hpp"

/// What tests and benchmarks of dragonflies share: faults between switches, GUIDs that do not
/// follow the cabling, and traffic that puts a whole group's flows on the cables to one other
/// group.
namespace heddle::support {

/// Everything but a share of the cables between switches, rounded, at least one, drawn by chance.
[[nodiscard]] routing::Availability cut_share(const routing::Graph& graph, std::uint32_t permille,
                                              std::uint64_t seed);
/// The same fabric as if it had never had what `availability` lacks of cables between switches.
[[nodiscard]] model::Fabric forgetting(const model::Fabric& fabric, const routing::Graph& graph,
                                       const routing::Availability& availability);
/// The same cabling and names with the switches' GUIDs dealt anew among them.
[[nodiscard]] model::Fabric with_dealt_guids(const model::Fabric& fabric, std::uint64_t seed);

/// Every terminal to the one of same place in the next group, groups in order of number, places by
/// switch and port. The adversary of minimal paths: a group's flows share its few cables to the
/// next.
[[nodiscard]] std::vector<routing::Flow> group_shift(const routing::Graph& graph,
                                                     const routing::Structure& structure);

/// Which of the LIDs of its destination's range a flow uses.
enum class LidChoice : std::uint8_t {
  kFirst,
  kHashed,   ///< the one of rendezvous_weight(source GUID, destination GUID) modulo their number
  kStriped,  ///< all, each with a share that finds its own max-min fair rate
};
/// Max-min fair rates of flows, over the rate of the terminals' own cables, all of which are alike.
struct ShareOfRate {
  double mean = 0;
  double least = 0;
};
[[nodiscard]] ShareOfRate fair_share(const model::Fabric& fabric, const routing::Graph& graph,
                                     const routing::Availability& availability,
                                     const model::ForwardingTables& tables,
                                     const std::vector<routing::Flow>& flows, LidChoice choice);

}  // namespace heddle::support
