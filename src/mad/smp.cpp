#include "mad/smp.hpp"

#include <algorithm>

#include "mad/wire.hpp"

namespace heddle::mad {

using wire::Bits;

NodeInfo node_info_from_wire(SmpData data) noexcept {
  return {.node_type = static_cast<NodeType>(data[2]),
          .port_count = data[3],
          .system_guid = model::SystemGuid{wire::load<std::uint64_t>(data, 4)},
          .node_guid = model::NodeGuid{wire::load<std::uint64_t>(data, 12)},
          .port_guid = model::PortGuid{wire::load<std::uint64_t>(data, 20)},
          .partition_capacity = wire::load<std::uint16_t>(data, 28),
          .device_id = wire::load<std::uint16_t>(data, 30),
          .revision = wire::load<std::uint32_t>(data, 32),
          .local_port = model::PortNum{data[36]},
          .vendor_id = wire::load<std::uint32_t>(data, 36) & 0xFFFFFFU};
}

void to_wire(const NodeInfo& info, SmpDataOut data) noexcept {
  data[0] = 1;  // base version
  data[1] = 1;  // class version
  data[2] = static_cast<std::uint8_t>(info.node_type);
  data[3] = info.port_count;
  wire::store(data, 4, info.system_guid.value());
  wire::store(data, 12, info.node_guid.value());
  wire::store(data, 20, info.port_guid.value());
  wire::store(data, 28, info.partition_capacity);
  wire::store(data, 30, info.device_id);
  wire::store(data, 32, info.revision);
  wire::store(data, 36,
              std::uint32_t{info.local_port.value()} << 24 | (info.vendor_id & 0xFFFFFFU));
}

model::NodeKind kind_of(const NodeInfo& info, std::string_view description) noexcept {
  constexpr std::uint16_t kSharpDevice = 0xCF09;
  constexpr std::uint16_t kSharpDeviceNewer = 0xCF10;
  switch (info.node_type) {
    case NodeType::kChannelAdapter:
      return info.device_id == kSharpDevice || info.device_id == kSharpDeviceNewer ||
                     description.find("Aggregation Node") != std::string_view::npos
                 ? model::NodeKind::kAggregationNode
                 : model::NodeKind::kHostAdapter;
    case NodeType::kSwitch:
      return model::NodeKind::kSwitch;
    case NodeType::kRouter:
      return model::NodeKind::kRouter;
    case NodeType::kUnknown:
      break;
  }
  return model::NodeKind::kUnknown;
}

std::string node_description_from_wire(SmpData data) {
  return {data.begin(), std::ranges::find(data, std::uint8_t{0})};
}

void node_description_to_wire(std::string_view description, SmpDataOut data) noexcept {
  const auto end = std::ranges::copy(description.substr(0, data.size()), data.begin()).out;
  std::fill(end, data.end(), std::uint8_t{0});
}

namespace {
constexpr Bits kPortStateChange{11, 2, 1};
constexpr Bits kOptimizedSlToVl{11, 0, 2};
constexpr Bits kEnhancedPort0{16, 3, 1};
}  // namespace

SwitchInfo switch_info_from_wire(SmpData data) noexcept {
  return {.linear_fdb_capacity = wire::load<std::uint16_t>(data, 0),
          .linear_fdb_top = wire::load<std::uint16_t>(data, 6),
          .port_state_change = wire::load(data, kPortStateChange) != 0,
          .partition_enforcement_capacity = wire::load<std::uint16_t>(data, 14),
          .enhanced_port0 = wire::load(data, kEnhancedPort0) != 0,
          .optimized_sl_to_vl = wire::load(data, kOptimizedSlToVl) != 0};
}

void to_wire(const SwitchInfo& info, SmpDataOut data) noexcept {
  wire::store(data, 0, info.linear_fdb_capacity);
  wire::store(data, 6, info.linear_fdb_top);
  wire::store(data, kPortStateChange, info.port_state_change ? std::uint8_t{1} : std::uint8_t{0});
  wire::store(data, kOptimizedSlToVl, info.optimized_sl_to_vl ? std::uint8_t{1} : std::uint8_t{0});
  wire::store(data, 14, info.partition_enforcement_capacity);
  wire::store(data, kEnhancedPort0, info.enhanced_port0 ? std::uint8_t{1} : std::uint8_t{0});
}

namespace {
// PortInfo (14.2.5.6).
constexpr Bits kLinkSpeedSupported{32, 4, 4};
constexpr Bits kPortStateBits{32, 0, 4};
constexpr Bits kPhysicalStateBits{33, 4, 4};
constexpr Bits kLmc{34, 0, 3};
constexpr Bits kLinkSpeedActive{35, 4, 4};
constexpr Bits kLinkSpeedEnabled{35, 0, 4};
constexpr Bits kNeighborMtu{36, 4, 4};
constexpr Bits kVlCapability{37, 4, 4};
constexpr Bits kOperationalVls{43, 4, 4};
constexpr Bits kLinkSpeedExtActive{62, 4, 4};
constexpr Bits kLinkSpeedExtSupported{62, 0, 4};
constexpr Bits kLinkSpeedExtEnabled{63, 0, 5};
// XDR did not fit there. Place as in rdma-core, libibmad/fields.c, "More PortInfo fields (XDR)":
// bits 449, 451 and 453 of the attribute, 2, 2 and 3 wide. Reserved, so 0, on older devices.
constexpr Bits kLinkSpeedExt2Active{56, 5, 2};
constexpr Bits kLinkSpeedExt2Supported{56, 3, 2};
constexpr Bits kLinkSpeedExt2Enabled{56, 0, 3};
}  // namespace

PortInfo port_info_from_wire(SmpData data) noexcept {
  return {.m_key = wire::load<std::uint64_t>(data, 0),
          .lid = model::Lid{wire::load<std::uint16_t>(data, 16)},
          .sm_lid = model::Lid{wire::load<std::uint16_t>(data, 18)},
          .capability_mask = wire::load<std::uint32_t>(data, 20),
          .local_port = model::PortNum{data[28]},
          .lmc = wire::load(data, kLmc),
          .port_state = wire::load(data, kPortStateBits),
          .physical_state = wire::load(data, kPhysicalStateBits),
          .link_width_enabled = data[29],
          .link_width_supported = data[30],
          .link_width_active = data[31],
          .link_speed_supported = wire::load(data, kLinkSpeedSupported),
          .link_speed_active = wire::load(data, kLinkSpeedActive),
          .link_speed_enabled = wire::load(data, kLinkSpeedEnabled),
          .neighbor_mtu = wire::load(data, kNeighborMtu),
          .vl_capability = wire::load(data, kVlCapability),
          .operational_vls = wire::load(data, kOperationalVls),
          .link_speed_ext_active = wire::load(data, kLinkSpeedExtActive),
          .link_speed_ext_supported = wire::load(data, kLinkSpeedExtSupported),
          .link_speed_ext_enabled = wire::load(data, kLinkSpeedExtEnabled),
          .link_speed_ext2_active = wire::load(data, kLinkSpeedExt2Active),
          .link_speed_ext2_supported = wire::load(data, kLinkSpeedExt2Supported),
          .link_speed_ext2_enabled = wire::load(data, kLinkSpeedExt2Enabled)};
}

void to_wire(const PortInfo& info, SmpDataOut data) noexcept {
  wire::store(data, 0, info.m_key);
  wire::store(data, 16, info.lid.value());
  wire::store(data, 18, info.sm_lid.value());
  wire::store(data, 20, info.capability_mask);
  data[28] = info.local_port.value();
  wire::store(data, kLmc, info.lmc);
  wire::store(data, kPortStateBits, info.port_state);
  wire::store(data, kPhysicalStateBits, info.physical_state);
  data[29] = info.link_width_enabled;
  data[30] = info.link_width_supported;
  data[31] = info.link_width_active;
  wire::store(data, kLinkSpeedSupported, info.link_speed_supported);
  wire::store(data, kLinkSpeedActive, info.link_speed_active);
  wire::store(data, kLinkSpeedEnabled, info.link_speed_enabled);
  wire::store(data, kNeighborMtu, info.neighbor_mtu);
  wire::store(data, kVlCapability, info.vl_capability);
  wire::store(data, kOperationalVls, info.operational_vls);
  wire::store(data, kLinkSpeedExtActive, info.link_speed_ext_active);
  wire::store(data, kLinkSpeedExtSupported, info.link_speed_ext_supported);
  wire::store(data, kLinkSpeedExtEnabled, info.link_speed_ext_enabled);
  wire::store(data, kLinkSpeedExt2Active, info.link_speed_ext2_active);
  wire::store(data, kLinkSpeedExt2Supported, info.link_speed_ext2_supported);
  wire::store(data, kLinkSpeedExt2Enabled, info.link_speed_ext2_enabled);
}

namespace {
// The low word of each of the four 32-bit fields; bit 0 is FDR10. Place as in rdma-core,
// libibmad/fields.c, "Mellanox ExtendedPortInfo fields".
constexpr Bits kVendorSpeedSupported{7, 0, 1};
constexpr Bits kVendorSpeedEnabled{11, 0, 1};
constexpr Bits kVendorSpeedActive{15, 0, 1};
}  // namespace

VendorExtendedPortInfo vendor_extended_port_info_from_wire(SmpData data) noexcept {
  return {.fdr10_active = wire::load(data, kVendorSpeedActive) != 0,
          .fdr10_supported = wire::load(data, kVendorSpeedSupported) != 0,
          .fdr10_enabled = wire::load(data, kVendorSpeedEnabled) != 0};
}

void to_wire(const VendorExtendedPortInfo& info, SmpDataOut data) noexcept {
  wire::store(data, kVendorSpeedActive, info.fdr10_active ? std::uint8_t{1} : std::uint8_t{0});
  wire::store(data, kVendorSpeedSupported,
              info.fdr10_supported ? std::uint8_t{1} : std::uint8_t{0});
  wire::store(data, kVendorSpeedEnabled, info.fdr10_enabled ? std::uint8_t{1} : std::uint8_t{0});
}

namespace {
constexpr Bits kPriority{20, 4, 4};
constexpr Bits kManagerState{20, 0, 4};
}  // namespace

SmInfo sm_info_from_wire(SmpData data) noexcept {
  return {.guid = model::PortGuid{wire::load<std::uint64_t>(data, 0)},
          .sm_key = wire::load<std::uint64_t>(data, 8),
          .activity_count = wire::load<std::uint32_t>(data, 16),
          .priority = wire::load(data, kPriority),
          .state = wire::load(data, kManagerState)};
}

void to_wire(const SmInfo& info, SmpDataOut data) noexcept {
  wire::store(data, 0, info.guid.value());
  wire::store(data, 8, info.sm_key);
  wire::store(data, 16, info.activity_count);
  wire::store(data, kPriority, info.priority);
  wire::store(data, kManagerState, info.state);
}

model::SlToVl sl_to_vl_from_wire(SmpData data) noexcept {
  model::SlToVl table{};
  for (std::size_t sl = 0; sl < table.size(); ++sl) {
    table[sl] = wire::load(data, Bits{sl / 2, sl % 2 == 0 ? 4U : 0U, 4});
  }
  return table;
}

void sl_to_vl_to_wire(const model::SlToVl& table, SmpDataOut data) noexcept {
  for (std::size_t sl = 0; sl < table.size(); ++sl) {
    wire::store(data, Bits{sl / 2, sl % 2 == 0 ? 4U : 0U, 4}, table[sl]);
  }
}

std::array<model::PKey, 32> p_key_block_from_wire(SmpData data) noexcept {
  std::array<model::PKey, 32> block;
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = model::PKey{wire::load<std::uint16_t>(data, i * 2)};
  }
  return block;
}

void p_key_block_to_wire(const std::array<model::PKey, 32>& block, SmpDataOut data) noexcept {
  for (std::size_t i = 0; i < block.size(); ++i) wire::store(data, i * 2, block[i].value());
}

}  // namespace heddle::mad
