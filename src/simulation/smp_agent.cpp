#include "simulation/smp_agent.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "simulation/agent_status.hpp"

namespace heddle::simulation {
namespace {

/// LIDs that a switch's linear table has room for: all unicast ones.
constexpr std::uint16_t kLinearCapacity = 0xC000;
constexpr std::uint32_t kIsSubnetManager = 1U << 1;
constexpr std::uint32_t kKeysPerBlock = 32;
/// SMSupportExtendedSpeeds, which OpenSM sets in the modifier of PortInfo beside the port.
constexpr std::uint32_t kExtendedSpeedsModifier = 1U << 31;
/// Before anybody writes its table, an end port is a full member of the default partition.
constexpr std::array kDefaultPartition{model::PKey{std::uint16_t{0xFFFF}}};

mad::NodeType node_type(model::NodeKind kind) {
  switch (kind) {
    case model::NodeKind::kSwitch:
      return mad::NodeType::kSwitch;
    case model::NodeKind::kRouter:
      return mad::NodeType::kRouter;
    case model::NodeKind::kHostAdapter:
    case model::NodeKind::kAggregationNode:
    case model::NodeKind::kUnknown:
      break;
  }
  return mad::NodeType::kChannelAdapter;
}

std::uint8_t state_code(model::SubnetManager::State state) {
  switch (state) {
    case model::SubnetManager::State::kDiscovering:
      return 1;
    case model::SubnetManager::State::kStandby:
      return 2;
    case model::SubnetManager::State::kMaster:
      return 3;
    case model::SubnetManager::State::kNotActive:
    case model::SubnetManager::State::kUnknown:
      return 0;
  }
  return 0;
}

bool speaks_fdr10(const model::Port& port) {
  return port.rate.speed == model::LinkSpeed::kFdr10 ||
         port.speeds_supported.contains(model::LinkSpeed::kFdr10);
}

/// SL n in lane n, as far as there are lanes: what a device does before anybody writes its tables.
model::SlToVl initial_mapping(const model::Port& out) {
  model::SlToVl table{};
  const std::uint8_t lanes = std::max<std::uint8_t>(out.operational_vls.value_or(1), 1);
  for (std::size_t sl = 0; sl < table.size(); ++sl) {
    table[sl] = static_cast<std::uint8_t>(sl % lanes);
  }
  return table;
}

}  // namespace

bool SmpAgent::is_switch(const Arrival& at) const noexcept {
  return fabric_.node(at.node).kind == model::NodeKind::kSwitch;
}

std::optional<model::PortIndex> SmpAgent::port_of(const Arrival& at,
                                                  std::uint32_t number) const noexcept {
  if (number > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
  if (number == 0 && !is_switch(at)) return fabric_.find_port(at.node, at.entered_by);
  return fabric_.find_port(at.node, model::PortNum{static_cast<std::uint8_t>(number)});
}

model::Lid SmpAgent::master_lid() const noexcept {
  for (const auto& [key, manager] : settings_.subnet_managers) {
    if (manager.state != model::SubnetManager::State::kMaster) continue;
    const std::optional<model::PortIndex> port = fabric_.find_port(key);
    if (port) return fabric_.management_lid(*port).value_or(model::Lid{});
  }
  return {};
}

std::uint16_t SmpAgent::get(const Arrival& at, std::uint16_t attribute, std::uint32_t modifier,
                            mad::SmpDataOut data) const {
  switch (attribute) {
    case mad::smp::kNodeDescription:
      return description(at, data);
    case mad::smp::kNodeInfo:
      return node_info(at, data);
    case mad::smp::kSwitchInfo:
      return switch_info(at, data);
    case mad::smp::kPortInfo:
      return port_info(at, modifier, data);
    case mad::smp::kPKeyTable:
      return partitions(at, modifier, data);
    case mad::smp::kSlToVlTable:
      return sl_to_vl(at, modifier, data);
    case mad::smp::kLinearForwardingTable:
      return forwarding(at, modifier, data);
    case mad::smp::kSmInfo:
      return subnet_manager(at, data);
    case mad::smp::kVendorExtendedPortInfo:
      return vendor_port_info(at, modifier, data);
    default:
      return kStatusUnsupported;
  }
}

std::uint16_t SmpAgent::node_info(const Arrival& at, mad::SmpDataOut data) const {
  const model::Node& node = fabric_.node(at.node);
  const std::optional<model::PortIndex> end = is_switch(at)
                                                  ? fabric_.find_port(at.node, model::PortNum{})
                                                  : fabric_.find_port(at.node, at.entered_by);
  const std::optional<model::PortGuid> port_guid =
      end ? fabric_.port(*end).guid : std::optional<model::PortGuid>{};
  to_wire(mad::NodeInfo{.node_type = node_type(node.kind),
                        .port_count = node.port_count,
                        .system_guid = node.system_guid.value_or(model::SystemGuid{}),
                        .node_guid = node.guid,
                        .port_guid = port_guid.value_or(model::PortGuid{node.guid.value()}),
                        .partition_capacity = kPartitionCapacity,
                        .device_id = node.device_id,
                        .local_port = at.entered_by,
                        .vendor_id = node.vendor_id.value_or(0)},
          data);
  return kStatusGood;
}

std::uint16_t SmpAgent::description(const Arrival& at, mad::SmpDataOut data) const {
  const model::Node& node = fabric_.node(at.node);
  const auto changed = settings_.descriptions.find(node.guid);
  mad::node_description_to_wire(
      changed == settings_.descriptions.end() ? node.description : changed->second, data);
  return kStatusGood;
}

std::uint16_t SmpAgent::switch_info(const Arrival& at, mad::SmpDataOut data) const {
  if (!is_switch(at)) return kStatusUnsupported;
  const std::size_t entries = settings_.forwarding.row_length();
  to_wire(
      mad::SwitchInfo{.linear_fdb_capacity = kLinearCapacity,
                      .linear_fdb_top = static_cast<std::uint16_t>(entries == 0 ? 0 : entries - 1),
                      .partition_enforcement_capacity = kPartitionCapacity},
      data);
  return kStatusGood;
}

std::uint16_t SmpAgent::port_info(const Arrival& at, std::uint32_t modifier,
                                  mad::SmpDataOut data) const {
  const std::optional<model::PortIndex> index = port_of(at, modifier & ~kExtendedSpeedsModifier);
  if (!index) return kStatusInvalidField;
  model::Port port = fabric_.port(*index);
  if (cabling_.is_cut(*index)) {
    port.state = model::PortState::kDown;
    port.physical_state = model::PhysicalState::kPolling;
    port.rate = {};
    port.mtu_bytes.reset();
    port.operational_vls.reset();
  }
  mad::PortInfo info = mad::to_port_info(port);
  info.local_port = at.entered_by;
  info.sm_lid = master_lid();
  if (settings_.subnet_managers.contains(fabric_.key(*index))) {
    info.capability_mask |= kIsSubnetManager;
  }
  to_wire(info, data);
  return kStatusGood;
}

std::uint16_t SmpAgent::vendor_port_info(const Arrival& at, std::uint32_t modifier,
                                         mad::SmpDataOut data) const {
  const std::optional<model::PortIndex> index = port_of(at, modifier);
  if (!index) return kStatusInvalidField;
  const model::Port& port = fabric_.port(*index);
  if (!speaks_fdr10(port)) return kStatusUnsupported;
  to_wire(
      mad::VendorExtendedPortInfo{
          .fdr10_active = port.rate.speed == model::LinkSpeed::kFdr10 && !cabling_.is_cut(*index),
          .fdr10_supported = port.speeds_supported.contains(model::LinkSpeed::kFdr10),
          .fdr10_enabled = port.speeds_enabled.contains(model::LinkSpeed::kFdr10)},
      data);
  return kStatusGood;
}

std::uint16_t SmpAgent::partitions(const Arrival& at, std::uint32_t modifier,
                                   mad::SmpDataOut data) const {
  // Block in the low half, port in the high one (14.2.5.7).
  const std::optional<model::PortIndex> index = port_of(at, modifier >> 16U);
  const std::uint32_t first = (modifier & 0xFFFFU) * kKeysPerBlock;
  if (!index || first >= kPartitionCapacity) return kStatusInvalidField;
  const auto written = settings_.partitions.find(fabric_.key(*index));
  std::span<const model::PKey> keys;
  if (written != settings_.partitions.end()) {
    keys = written->second;
  } else if (!is_switch(at) || fabric_.port(*index).number == model::PortNum{}) {
    keys = kDefaultPartition;
  }
  std::array<model::PKey, kKeysPerBlock> block{};
  for (std::uint32_t i = 0; i < kKeysPerBlock && first + i < keys.size(); ++i) {
    block[i] = keys[first + i];
  }
  mad::p_key_block_to_wire(block, data);
  return kStatusGood;
}

std::uint16_t SmpAgent::sl_to_vl(const Arrival& at, std::uint32_t modifier,
                                 mad::SmpDataOut data) const {
  // Out port in bits 0..7, in port in bits 8..15, which adapters do not look at (14.2.5.8).
  const std::optional<model::PortIndex> out = port_of(at, modifier & 0xFFU);
  const std::optional<model::PortIndex> in =
      is_switch(at) ? port_of(at, (modifier >> 8U) & 0xFFU) : out;
  if (!in || !out) return kStatusInvalidField;
  const model::SlToVl* const written = settings_.sl_to_vl.find(
      fabric_.node(at.node).guid, fabric_.port(*in).number, fabric_.port(*out).number);
  mad::sl_to_vl_to_wire(written != nullptr ? *written : initial_mapping(fabric_.port(*out)), data);
  return kStatusGood;
}

std::uint16_t SmpAgent::forwarding(const Arrival& at, std::uint32_t modifier,
                                   mad::SmpDataOut data) const {
  using model::ForwardingTables;
  const std::optional<model::SwitchIndex> sw = fabric_.switch_index(at.node);
  if (!sw) return kStatusUnsupported;
  if (modifier >= kLinearCapacity / ForwardingTables::kBlockLids) return kStatusInvalidField;
  std::ranges::fill(data, ForwardingTables::kNoPort);
  const std::size_t first = std::size_t{modifier} * ForwardingTables::kBlockLids;
  if (first >= settings_.forwarding.row_length()) return kStatusGood;
  const std::span<const std::uint8_t> row = settings_.forwarding.row(*sw).subspan(first);
  std::ranges::copy(row.first(std::min(row.size(), data.size())), data.begin());
  return kStatusGood;
}

std::uint16_t SmpAgent::subnet_manager(const Arrival& at, mad::SmpDataOut data) const {
  const model::PortNum port = is_switch(at) ? model::PortNum{} : at.entered_by;
  const auto found = settings_.subnet_managers.find({fabric_.node(at.node).guid, port});
  if (found == settings_.subnet_managers.end()) return kStatusUnsupported;
  const model::SubnetManager& manager = found->second;
  to_wire(mad::SmInfo{.guid = manager.port_guid,
                      .activity_count = manager.activity_count,
                      .priority = manager.priority,
                      .state = state_code(manager.state)},
          data);
  return kStatusGood;
}

}  // namespace heddle::simulation
