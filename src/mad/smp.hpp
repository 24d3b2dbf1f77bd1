#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "mad/mad.hpp"
#include "model/fabric.hpp"
#include "model/fabric_tables.hpp"

/// Attributes of subnet management packets (volume 1, 14.2.5). `data` is the 64-byte data field.
namespace heddle::mad {

namespace smp {
inline constexpr std::uint16_t kNodeDescription = 0x0010;
inline constexpr std::uint16_t kNodeInfo = 0x0011;
inline constexpr std::uint16_t kSwitchInfo = 0x0012;
inline constexpr std::uint16_t kPortInfo = 0x0015;
inline constexpr std::uint16_t kPKeyTable = 0x0016;
inline constexpr std::uint16_t kSlToVlTable = 0x0017;
inline constexpr std::uint16_t kLinearForwardingTable = 0x0019;
inline constexpr std::uint16_t kSmInfo = 0x0020;
/// NVIDIA's ExtendedPortInfo: tells FDR10 from QDR.
inline constexpr std::uint16_t kVendorExtendedPortInfo = 0xFF90;
}  // namespace smp

using SmpData = std::span<const std::uint8_t, kSmpDataSize>;
using SmpDataOut = std::span<std::uint8_t, kSmpDataSize>;
[[nodiscard]] inline SmpData smp_data(const MadBytes& mad) noexcept {
  return SmpData(mad.data() + kDataOffset, kSmpDataSize);
}
[[nodiscard]] inline SmpDataOut smp_data(MadBytes& mad) noexcept {
  return SmpDataOut(mad.data() + kDataOffset, kSmpDataSize);
}

/// NodeInfo.NodeType. Devices may say other values than these.
enum class NodeType : std::uint8_t {
  kUnknown = 0,  ///< no device says so: for sources that do not tell
  kChannelAdapter = 1,
  kSwitch = 2,
  kRouter = 3,
};

struct NodeInfo {
  NodeType node_type = NodeType::kUnknown;
  std::uint8_t port_count = 0;
  model::SystemGuid system_guid{};
  model::NodeGuid node_guid{};
  model::PortGuid port_guid{};  ///< of the port that the query entered by; of port 0 for a switch
  std::uint16_t partition_capacity = 0;
  std::uint16_t device_id = 0;
  std::uint32_t revision = 0;
  model::PortNum local_port{};
  std::uint32_t vendor_id = 0;
  bool operator==(const NodeInfo&) const = default;
};
[[nodiscard]] NodeInfo node_info_from_wire(SmpData data) noexcept;
void to_wire(const NodeInfo& info, SmpDataOut data) noexcept;

/// The kind as the node says it; SHARP aggregation nodes present themselves as channel adapters and
/// are told apart by device id (0xCF09, 0xCF10) or by a description that contains "Aggregation
/// Node".
[[nodiscard]] model::NodeKind kind_of(const NodeInfo& info, std::string_view description) noexcept;

/// 64 bytes, cut at the first NUL; any bytes.
[[nodiscard]] std::string node_description_from_wire(SmpData data);
void node_description_to_wire(std::string_view description, SmpDataOut data) noexcept;

struct SwitchInfo {
  std::uint16_t linear_fdb_capacity = 0;
  std::uint16_t linear_fdb_top = 0;
  bool port_state_change = false;
  std::uint16_t partition_enforcement_capacity = 0;
  bool enhanced_port0 = false;
  bool optimized_sl_to_vl = false;
  bool operator==(const SwitchInfo&) const = default;
};
[[nodiscard]] SwitchInfo switch_info_from_wire(SmpData data) noexcept;
void to_wire(const SwitchInfo& info, SmpDataOut data) noexcept;

struct PortInfo {
  std::uint64_t m_key = 0;
  model::Lid lid{};
  model::Lid sm_lid{};
  std::uint32_t capability_mask = 0;  ///< bit 1: IsSM
  model::PortNum local_port{};
  std::uint8_t lmc = 0;
  std::uint8_t port_state = 0;
  std::uint8_t physical_state = 0;
  std::uint8_t link_width_enabled = 0;
  std::uint8_t link_width_supported = 0;
  std::uint8_t link_width_active = 0;
  std::uint8_t link_speed_supported = 0;
  std::uint8_t link_speed_active = 0;
  std::uint8_t link_speed_enabled = 0;
  std::uint8_t neighbor_mtu = 0;
  std::uint8_t vl_capability = 0;
  std::uint8_t operational_vls = 0;
  std::uint8_t link_speed_ext_active = 0;
  std::uint8_t link_speed_ext_supported = 0;
  std::uint8_t link_speed_ext_enabled = 0;
  // XDR: the second extended-speed fields (see smp.cpp for the source of their place)
  std::uint8_t link_speed_ext2_active = 0;
  std::uint8_t link_speed_ext2_supported = 0;
  std::uint8_t link_speed_ext2_enabled = 0;
  bool operator==(const PortInfo&) const = default;
};
[[nodiscard]] PortInfo port_info_from_wire(SmpData data) noexcept;
void to_wire(const PortInfo& info, SmpDataOut data) noexcept;
/// The port as the model knows it, number `number`; codes that are not defined become kUnknown, and
/// so does the rate of a port that is down. `guid` is given by the caller from NodeInfo; `lid` is
/// what the attribute says, also where it means nothing (external ports of a switch).
[[nodiscard]] model::Port to_port(const PortInfo& info, model::PortNum number) noexcept;
/// The reverse, for devices that are simulated.
[[nodiscard]] PortInfo to_port_info(const model::Port& port) noexcept;

/// NVIDIA ExtendedPortInfo (0xFF90): whether FDR10 is what a port that says QDR really runs.
struct VendorExtendedPortInfo {
  bool fdr10_active = false;
  bool fdr10_supported = false;
  bool fdr10_enabled = false;
  bool operator==(const VendorExtendedPortInfo&) const = default;
};
[[nodiscard]] VendorExtendedPortInfo vendor_extended_port_info_from_wire(SmpData data) noexcept;
void to_wire(const VendorExtendedPortInfo& info, SmpDataOut data) noexcept;

struct SmInfo {
  model::PortGuid guid{};
  std::uint64_t sm_key = 0;
  std::uint32_t activity_count = 0;
  std::uint8_t priority = 0;
  std::uint8_t state = 0;  ///< 0 not active, 1 discovering, 2 standby, 3 master
  bool operator==(const SmInfo&) const = default;
};
[[nodiscard]] SmInfo sm_info_from_wire(SmpData data) noexcept;
void to_wire(const SmInfo& info, SmpDataOut data) noexcept;

/// One SL2VL table: 16 nibbles.
[[nodiscard]] model::SlToVl sl_to_vl_from_wire(SmpData data) noexcept;
void sl_to_vl_to_wire(const model::SlToVl& table, SmpDataOut data) noexcept;

/// 32 P_Keys of one block, empty entries (low 15 bits 0) included.
[[nodiscard]] std::array<model::PKey, 32> p_key_block_from_wire(SmpData data) noexcept;
void p_key_block_to_wire(const std::array<model::PKey, 32>& block, SmpDataOut data) noexcept;
// A LinearForwardingTable block is its 64 bytes as they stand.

}  // namespace heddle::mad
