#pragma once

#include <cstdint>
#include <vector>

#include "counters/counter_sweep.hpp"

/// What a CounterSweep asks for, decided before it asks. Pure.
namespace heddle::counters {

struct PortToAsk {
  model::PortIndex port;
  model::Lid lid;
};
struct NodeToAsk {
  model::NodeIndex node;
  std::vector<PortToAsk> ports;  ///< at least one, in order of number
  /// A subnet manager runs here. What the device does not answer itself may reach it, and OpenSM
  /// 3.3.23 dies of a PortSamplesControl query (seen with ibsim), so that one is not sent.
  bool has_subnet_manager = false;
};
struct SweepPlan {
  /// Nodes with most ports first: as each node takes few queries at a time, they take longest.
  std::vector<NodeToAsk> nodes;
  std::size_t ports = 0;
  std::size_t ports_unreached = 0;  ///< no LID; in no node of the plan
};
[[nodiscard]] SweepPlan plan_sweep(const model::Fabric& fabric);

/// The attributes that hold the wanted groups on a node with these capabilities: the fewest, each
/// once, mandatory ones first.
[[nodiscard]] std::vector<std::uint16_t> attributes_to_ask(const mad::ClassPortInfo& caps,
                                                           const CounterSweep::Options& wanted);

}  // namespace heddle::counters
