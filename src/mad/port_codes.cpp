#include <array>

#include "mad/smp.hpp"

// Between the codes of PortInfo (14.2.5.6) and the values of the model.
namespace heddle::mad {
namespace {

using model::LinkSpeed;
using model::LinkWidth;
using model::PhysicalState;
using model::PortState;

/// A code on the wire and what it means. Widths and speeds are one bit each, so that the same
/// table reads a set.
template <class Enum>
struct Code {
  std::uint8_t code;
  Enum value;
};

constexpr std::array kWidths{Code<LinkWidth>{1, LinkWidth::k1x}, Code<LinkWidth>{2, LinkWidth::k4x},
                             Code<LinkWidth>{4, LinkWidth::k8x},
                             Code<LinkWidth>{8, LinkWidth::k12x},
                             Code<LinkWidth>{16, LinkWidth::k2x}};
constexpr std::array kBaseSpeeds{Code<LinkSpeed>{1, LinkSpeed::kSdr},
                                 Code<LinkSpeed>{2, LinkSpeed::kDdr},
                                 Code<LinkSpeed>{4, LinkSpeed::kQdr}};
constexpr std::array kExtSpeeds{
    Code<LinkSpeed>{1, LinkSpeed::kFdr}, Code<LinkSpeed>{2, LinkSpeed::kEdr},
    Code<LinkSpeed>{4, LinkSpeed::kHdr}, Code<LinkSpeed>{8, LinkSpeed::kNdr}};
constexpr std::array kExt2Speeds{Code<LinkSpeed>{1, LinkSpeed::kXdr}};

/// "As supported", in the enabled fields; devices should answer with the bits instead.
constexpr std::uint8_t kWidthAsSupported = 255;
constexpr std::uint8_t kBaseAsSupported = 15;
constexpr std::uint8_t kExtAsSupported = 31;
/// All extended speeds off; the bits below do not mean speeds then.
constexpr std::uint8_t kExtDisabled = 30;

constexpr std::uint32_t kIsSubnetManager = 1U << 1;

template <class Enum, std::size_t N>
Enum value_of(const std::array<Code<Enum>, N>& codes, std::uint8_t code) {
  for (const Code<Enum>& known : codes) {
    if (known.code == code) return known.value;
  }
  return Enum::kUnknown;
}

template <class Enum, std::size_t N>
std::uint8_t code_of(const std::array<Code<Enum>, N>& codes, Enum value) {
  for (const Code<Enum>& known : codes) {
    if (known.value == value) return known.code;
  }
  return 0;
}

template <class Enum, std::size_t N>
void insert_bits(const std::array<Code<Enum>, N>& codes, std::uint8_t bits,
                 model::RateSet<Enum>& set) {
  for (const Code<Enum>& known : codes) {
    if ((bits & known.code) != 0) set.insert(known.value);
  }
}

template <class Enum, std::size_t N>
std::uint8_t bits_of(const std::array<Code<Enum>, N>& codes, model::RateSet<Enum> set) {
  unsigned bits = 0;
  for (const Code<Enum>& known : codes) {
    if (set.contains(known.value)) bits |= known.code;
  }
  return static_cast<std::uint8_t>(bits);
}

/// The newest field that says something holds: a link at XDR or NDR leaves the older fields at what
/// old software can bear.
LinkSpeed active_speed(const PortInfo& info) {
  if (info.link_speed_ext2_active != 0) return value_of(kExt2Speeds, info.link_speed_ext2_active);
  if (info.link_speed_ext_active != 0) return value_of(kExtSpeeds, info.link_speed_ext_active);
  return value_of(kBaseSpeeds, info.link_speed_active);
}

model::SpeedSet supported_speeds(const PortInfo& info) {
  model::SpeedSet set;
  insert_bits(kBaseSpeeds, info.link_speed_supported, set);
  insert_bits(kExtSpeeds, info.link_speed_ext_supported, set);
  insert_bits(kExt2Speeds, info.link_speed_ext2_supported, set);
  return set;
}

model::SpeedSet enabled_speeds(const PortInfo& info) {
  model::SpeedSet set;
  insert_bits(kBaseSpeeds,
              info.link_speed_enabled == kBaseAsSupported ? info.link_speed_supported
                                                          : info.link_speed_enabled,
              set);
  if (info.link_speed_ext_enabled != kExtDisabled) {
    insert_bits(kExtSpeeds,
                info.link_speed_ext_enabled == kExtAsSupported ? info.link_speed_ext_supported
                                                               : info.link_speed_ext_enabled,
                set);
  }
  insert_bits(kExt2Speeds, info.link_speed_ext2_enabled, set);
  return set;
}

PortState port_state(std::uint8_t code) {
  return code >= 1 && code <= 4 ? static_cast<PortState>(code) : PortState::kUnknown;
}
static_assert(static_cast<int>(PortState::kDown) == 1 && static_cast<int>(PortState::kActive) == 4);

PhysicalState physical_state(std::uint8_t code) {
  return code >= 1 && code <= 7 ? static_cast<PhysicalState>(code) : PhysicalState::kUnknown;
}
static_assert(static_cast<int>(PhysicalState::kSleep) == 1 &&
              static_cast<int>(PhysicalState::kLinkUp) == 5 &&
              static_cast<int>(PhysicalState::kPhyTest) == 7);

/// Codes 1..5 are 256..4096 octets.
std::optional<std::uint16_t> mtu_bytes(std::uint8_t code) {
  if (code < 1 || code > 5) return std::nullopt;
  return static_cast<std::uint16_t>(128U << code);
}
/// 0 for an MTU that is not known or has no code.
std::uint8_t mtu_code(std::optional<std::uint16_t> bytes) {
  if (!bytes) return 0;
  for (std::uint8_t code = 1; code <= 5; ++code) {
    if (mtu_bytes(code) == bytes) return code;
  }
  return 0;
}

/// Number of data VLs by code, from code 1 on.
constexpr std::array<std::uint8_t, 5> kVlCounts{1, 2, 4, 8, 15};
std::optional<std::uint8_t> vl_count(std::uint8_t code) {
  if (code < 1 || code > kVlCounts.size()) return std::nullopt;
  return kVlCounts[code - 1U];
}
/// 0 for a number that is not known or has no code.
std::uint8_t vl_code(std::optional<std::uint8_t> count) {
  if (!count) return 0;
  for (std::uint8_t code = 1; code <= kVlCounts.size(); ++code) {
    if (kVlCounts[code - 1U] == *count) return code;
  }
  return 0;
}

}  // namespace

model::Port to_port(const PortInfo& info, model::PortNum number) noexcept {
  model::Port port;
  port.number = number;
  port.lmc = info.lmc;
  port.state = port_state(info.port_state);
  port.physical_state = physical_state(info.physical_state);
  port.is_subnet_manager = (info.capability_mask & kIsSubnetManager) != 0;
  port.operational_vls = vl_count(info.operational_vls);
  port.mtu_bytes = mtu_bytes(info.neighbor_mtu);
  // Of a link that is down the active fields hold what it last was, or nothing.
  if (port.state != PortState::kDown) {
    port.rate = {value_of(kWidths, info.link_width_active), active_speed(info)};
  }
  port.speeds_supported = supported_speeds(info);
  port.speeds_enabled = enabled_speeds(info);
  insert_bits(kWidths, info.link_width_supported, port.widths_supported);
  insert_bits(kWidths,
              info.link_width_enabled == kWidthAsSupported ? info.link_width_supported
                                                           : info.link_width_enabled,
              port.widths_enabled);
  if (model::is_unicast(info.lid)) port.lid = info.lid;
  return port;
}

PortInfo to_port_info(const model::Port& port) noexcept {
  PortInfo info;
  if (port.lid) info.lid = *port.lid;
  if (port.is_subnet_manager) info.capability_mask |= kIsSubnetManager;
  info.local_port = port.number;
  info.lmc = port.lmc;
  info.port_state = static_cast<std::uint8_t>(port.state);
  info.physical_state = static_cast<std::uint8_t>(port.physical_state);
  info.link_width_enabled = bits_of(kWidths, port.widths_enabled);
  info.link_width_supported = bits_of(kWidths, port.widths_supported);
  info.link_width_active = code_of(kWidths, port.rate.width);
  info.link_speed_supported = bits_of(kBaseSpeeds, port.speeds_supported);
  info.link_speed_enabled = bits_of(kBaseSpeeds, port.speeds_enabled);
  // FDR10 shows as QDR here; ExtendedPortInfo of the vendor tells them apart.
  info.link_speed_active = port.rate.speed == LinkSpeed::kFdr10
                               ? code_of(kBaseSpeeds, LinkSpeed::kQdr)
                               : code_of(kBaseSpeeds, port.rate.speed);
  info.neighbor_mtu = mtu_code(port.mtu_bytes);
  info.operational_vls = vl_code(port.operational_vls);
  info.vl_capability = info.operational_vls;
  info.link_speed_ext_active = code_of(kExtSpeeds, port.rate.speed);
  info.link_speed_ext_supported = bits_of(kExtSpeeds, port.speeds_supported);
  info.link_speed_ext_enabled = bits_of(kExtSpeeds, port.speeds_enabled);
  info.link_speed_ext2_active = code_of(kExt2Speeds, port.rate.speed);
  info.link_speed_ext2_supported = bits_of(kExt2Speeds, port.speeds_supported);
  info.link_speed_ext2_enabled = bits_of(kExt2Speeds, port.speeds_enabled);
  return info;
}

}  // namespace heddle::mad
