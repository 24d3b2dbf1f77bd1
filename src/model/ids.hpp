#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "model/id.hpp"

namespace heddle::model {

namespace tags {
struct NodeGuid {
  static constexpr bool kHex = true;
};
struct PortGuid {
  static constexpr bool kHex = true;
};
struct SystemGuid {
  static constexpr bool kHex = true;
};
struct PKey {
  static constexpr bool kHex = true;
};
struct Lid {
  static constexpr bool kHex = false;
};
struct PortNum {
  static constexpr bool kHex = false;
};
struct Sl {
  static constexpr bool kHex = false;
};
struct Vl {
  static constexpr bool kHex = false;
};
struct NodeIndex {
  static constexpr bool kHex = false;
};
struct PortIndex {
  static constexpr bool kHex = false;
};
struct LinkIndex {
  static constexpr bool kHex = false;
};
struct SwitchIndex {
  static constexpr bool kHex = false;
};
}  // namespace tags

/// GUID of a node: of a switch, adapter or router as a whole. What a node is known by; its name is
/// only a label.
using NodeGuid = Id<tags::NodeGuid, std::uint64_t>;
/// GUID of an end port; all ports of a switch share the one of its port 0.
using PortGuid = Id<tags::PortGuid, std::uint64_t>;
/// System image GUID: what the nodes of one chassis, or the ports of one adapter, have in common.
using SystemGuid = Id<tags::SystemGuid, std::uint64_t>;
/// Local identifier. Unicast is 0x0001-0xBFFF.
using Lid = Id<tags::Lid, std::uint16_t>;
/// Port number as printed on the device: 1.. for external ports, 0 for the management port of a
/// switch.
using PortNum = Id<tags::PortNum, std::uint8_t>;
/// Service level, 0-15.
using Sl = Id<tags::Sl, std::uint8_t>;
/// Virtual lane, 0-14 for data, 15 for management.
using Vl = Id<tags::Vl, std::uint8_t>;
/// Partition key; the highest bit is full membership.
using PKey = Id<tags::PKey, std::uint16_t>;

/// Dense positions inside one Fabric; they mean nothing in another snapshot.
using NodeIndex = Id<tags::NodeIndex, std::uint32_t>;
using PortIndex = Id<tags::PortIndex, std::uint32_t>;
using LinkIndex = Id<tags::LinkIndex, std::uint32_t>;
using SwitchIndex = Id<tags::SwitchIndex, std::uint32_t>;

static_assert(std::is_trivially_copyable_v<NodeGuid> && sizeof(NodeGuid) == 8);
static_assert(std::is_trivially_copyable_v<PortGuid> && sizeof(PortGuid) == 8);
static_assert(std::is_trivially_copyable_v<SystemGuid> && sizeof(SystemGuid) == 8);
static_assert(std::is_trivially_copyable_v<Lid> && sizeof(Lid) == 2);
static_assert(std::is_trivially_copyable_v<PortNum> && sizeof(PortNum) == 1);
static_assert(std::is_trivially_copyable_v<Sl> && sizeof(Sl) == 1);
static_assert(std::is_trivially_copyable_v<Vl> && sizeof(Vl) == 1);
static_assert(std::is_trivially_copyable_v<NodeIndex> && sizeof(NodeIndex) == 4);

/// The largest unicast LID (InfiniBand Architecture Specification, volume 1, section 4.1.3).
inline constexpr Lid kMaxUnicastLid{std::uint16_t{0xBFFF}};

/// Whether `lid` addresses one port (neither 0, nor multicast, nor the permissive LID).
[[nodiscard]] constexpr bool is_unicast(Lid lid) noexcept {
  return lid.value() != 0 && lid <= kMaxUnicastLid;
}

/// A 64-bit GUID as hexadecimal with or without `0x`; nothing on any other text, an empty one
/// included.
[[nodiscard]] std::optional<std::uint64_t> parse_guid(std::string_view text) noexcept;

/// A decimal number of the representation's range; nothing on any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view text,
                                                         std::uint64_t max) noexcept;

}  // namespace heddle::model
