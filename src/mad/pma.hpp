#pragma once

#include <cstdint>
#include <span>

#include "mad/mad.hpp"
#include "model/counters.hpp"

/// Performance management attributes (volume 1, 16.1.3-16.1.4). `data` is the 192-byte data field
/// at byte 64.
namespace heddle::mad {

namespace pma {
inline constexpr std::uint16_t kClassPortInfo = 0x0001;
inline constexpr std::uint16_t kPortSamplesControl = 0x0010;
inline constexpr std::uint16_t kPortCounters = 0x0012;
inline constexpr std::uint16_t kPortRcvErrorDetails = 0x0015;
inline constexpr std::uint16_t kPortXmitDiscardDetails = 0x0016;
inline constexpr std::uint16_t kPortCountersExtended = 0x001D;
}  // namespace pma

using GmpData = std::span<const std::uint8_t, kGmpDataSize>;
using GmpDataOut = std::span<std::uint8_t, kGmpDataSize>;
[[nodiscard]] inline GmpData gmp_data(const MadBytes& mad) noexcept {
  return GmpData(mad.data() + kDataOffset, kGmpDataSize);
}
[[nodiscard]] inline GmpDataOut gmp_data(MadBytes& mad) noexcept {
  return GmpDataOut(mad.data() + kDataOffset, kGmpDataSize);
}

/// What a node's performance agent can do; read once a node.
struct ClassPortInfo {
  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  std::uint16_t capability_mask = 0;
  std::uint32_t capability_mask2 = 0;  ///< 27 bits
  std::uint8_t response_time = 0;      ///< 4.096 us x 2^n

  [[nodiscard]] bool all_port_select() const noexcept { return (capability_mask & (1U << 8)) != 0; }
  /// All eight counters of PortCountersExtended.
  [[nodiscard]] bool extended_width() const noexcept { return (capability_mask & (1U << 9)) != 0; }
  /// Only the first four of them.
  [[nodiscard]] bool extended_width_no_ietf() const noexcept {
    return (capability_mask & (1U << 10)) != 0;
  }
  [[nodiscard]] bool xmit_wait() const noexcept { return (capability_mask & (1U << 12)) != 0; }
  [[nodiscard]] bool qp1_dropped() const noexcept { return (capability_mask & (1U << 15)) != 0; }
  /// 64-bit error counters and XmitWait in PortCountersExtended.
  [[nodiscard]] bool additional_extended() const noexcept {
    return (capability_mask2 & (1U << 1)) != 0;
  }
  bool operator==(const ClassPortInfo&) const = default;
};
[[nodiscard]] ClassPortInfo class_port_info_from_wire(GmpData data) noexcept;
void to_wire(const ClassPortInfo& info, GmpDataOut data) noexcept;

/// All PMA attributes of ports begin with the port they are about.
void port_select_to_wire(model::PortNum port, GmpDataOut data) noexcept;
[[nodiscard]] model::PortNum port_select_from_wire(GmpData data) noexcept;

/// Appends what PortCounters (0x12) holds: errors always, XmitWait and QP1Dropped where `caps` has
/// them, and the 32-bit data and packet counters only if `caps` has no extended ones.
void port_counters_from_wire(GmpData data, const ClassPortInfo& caps,
                             model::CounterSample& sample) noexcept;
/// Appends what PortCountersExtended (0x1D) holds according to `caps`.
void port_counters_extended_from_wire(GmpData data, const ClassPortInfo& caps,
                                      model::CounterSample& sample) noexcept;
void port_rcv_error_details_from_wire(GmpData data, model::CounterSample& sample) noexcept;
void port_xmit_discard_details_from_wire(GmpData data, model::CounterSample& sample) noexcept;
/// PortSamplesControl.Tick.
[[nodiscard]] std::uint8_t samples_control_tick_from_wire(GmpData data) noexcept;

/// The values of one simulated port by Counter; each to_wire clips at its field's width, as devices
/// do.
using DeviceCounters = std::array<std::uint64_t, model::kCounterCount>;
void port_counters_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept;
void port_counters_extended_to_wire(const DeviceCounters& counters, const ClassPortInfo& caps,
                                    GmpDataOut data) noexcept;
void port_rcv_error_details_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept;
void port_xmit_discard_details_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept;
void samples_control_tick_to_wire(std::uint8_t tick, GmpDataOut data) noexcept;

}  // namespace heddle::mad
