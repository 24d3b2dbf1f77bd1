#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mad/mad.hpp"
#include "mad/pma.hpp"
#include "model/fabric_tables.hpp"

namespace heddle::simulation {

/// What a performance agent says of itself unless a scenario changes it: all that recent devices
/// have, so AllPortSelect (bit 8), the eight extended counters (9), XmitWait (12) and, in the
/// second mask, the additional 64-bit counters (bit 1).
inline constexpr mad::ClassPortInfo kDefaultCapabilities{
    .capability_mask = 1U << 8 | 1U << 9 | 1U << 12, .capability_mask2 = 1U << 1};
/// PortSamplesControl.Tick of a Quantum switch: XmitWait counts each 8 byte times.
inline constexpr std::uint8_t kDefaultWaitTick = 7;

/// What the simulated devices hold besides what the Fabric says of them.
struct DeviceSettings {
  std::unordered_set<model::NodeGuid> mute;
  std::unordered_set<model::NodeGuid> performance_mute;
  std::unordered_map<model::NodeGuid, mad::ClassPortInfo> capabilities;
  std::unordered_map<model::NodeGuid, std::string> descriptions;
  std::unordered_map<model::NodeGuid, std::uint8_t> wait_ticks;
  model::ForwardingTables forwarding;
  model::SlToVlTables sl_to_vl;
  std::map<model::PortKey, std::vector<model::PKey>> partitions;
  std::map<model::PortKey, model::SubnetManager> subnet_managers;
  std::map<model::PortKey, mad::DeviceCounters> counters;
};

}  // namespace heddle::simulation
