#include "mad/pma.hpp"

#include <algorithm>
#include <array>

#include "mad/wire.hpp"

namespace heddle::mad {
namespace {

using model::Counter;

constexpr std::size_t kPortSelect = 1;
constexpr std::size_t kSamplesControlTick = 2;

/// A counter of whole bytes: 8, 16, 32 or 64 bits wide.
struct CounterField {
  Counter counter;
  std::size_t offset;
  std::uint8_t width_bits;
};

// PortCounters (16.1.3.5). LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors share byte 19
// and are handled apart, as are the optional ones.
constexpr std::array kErrorFields{
    CounterField{Counter::kSymbolErrors, 4, 16},
    CounterField{Counter::kLinkErrorRecovery, 6, 8},
    CounterField{Counter::kLinkDowned, 7, 8},
    CounterField{Counter::kRcvErrors, 8, 16},
    CounterField{Counter::kRcvRemotePhysicalErrors, 10, 16},
    CounterField{Counter::kRcvSwitchRelayErrors, 12, 16},
    CounterField{Counter::kXmitDiscards, 14, 16},
    CounterField{Counter::kXmitConstraintErrors, 16, 8},
    CounterField{Counter::kRcvConstraintErrors, 17, 8},
    CounterField{Counter::kVl15Dropped, 22, 16},
};
constexpr wire::Bits kLocalLinkIntegrity{19, 4, 4};
constexpr wire::Bits kExcessiveBufferOverrun{19, 0, 4};
// libibmad 2.x reads QP1Dropped at 22, the place of VL15Dropped; the specification and OpenSM's
// ib_port_counters_t have it before that one.
constexpr CounterField kQp1DroppedField{Counter::kQp1Dropped, 20, 16};
constexpr std::array kDataFields{
    CounterField{Counter::kXmitData, 24, 32},
    CounterField{Counter::kRcvData, 28, 32},
    CounterField{Counter::kXmitPkts, 32, 32},
    CounterField{Counter::kRcvPkts, 36, 32},
};
constexpr CounterField kXmitWaitField{Counter::kXmitWait, 40, 32};

// PortCountersExtended (16.1.4.11).
constexpr std::array kExtendedFields{
    CounterField{Counter::kXmitData, 8, 64},
    CounterField{Counter::kRcvData, 16, 64},
    CounterField{Counter::kXmitPkts, 24, 64},
    CounterField{Counter::kRcvPkts, 32, 64},
};
constexpr std::array kExtendedCastFields{
    CounterField{Counter::kUnicastXmitPkts, 40, 64},
    CounterField{Counter::kUnicastRcvPkts, 48, 64},
    CounterField{Counter::kMulticastXmitPkts, 56, 64},
    CounterField{Counter::kMulticastRcvPkts, 64, 64},
};
constexpr std::array kExtendedErrorFields{
    CounterField{Counter::kSymbolErrors, 72, 64},
    CounterField{Counter::kLinkErrorRecovery, 80, 64},
    CounterField{Counter::kLinkDowned, 88, 64},
    CounterField{Counter::kRcvErrors, 96, 64},
    CounterField{Counter::kRcvRemotePhysicalErrors, 104, 64},
    CounterField{Counter::kRcvSwitchRelayErrors, 112, 64},
    CounterField{Counter::kXmitDiscards, 120, 64},
    CounterField{Counter::kXmitConstraintErrors, 128, 64},
    CounterField{Counter::kRcvConstraintErrors, 136, 64},
    CounterField{Counter::kLocalLinkIntegrityErrors, 144, 64},
    CounterField{Counter::kExcessiveBufferOverruns, 152, 64},
    CounterField{Counter::kVl15Dropped, 160, 64},
};
constexpr CounterField kExtendedXmitWaitField{Counter::kXmitWait, 168, 64};
constexpr CounterField kExtendedQp1DroppedField{Counter::kQp1Dropped, 176, 64};

// PortRcvErrorDetails (16.1.4.2) and PortXmitDiscardDetails (16.1.4.3).
constexpr std::array kRcvErrorDetailFields{
    CounterField{Counter::kLocalPhysicalErrors, 4, 16},
    CounterField{Counter::kMalformedPackets, 6, 16},
    CounterField{Counter::kBufferOverruns, 8, 16},
    CounterField{Counter::kDlidMappingErrors, 10, 16},
    CounterField{Counter::kVlMappingErrors, 12, 16},
    CounterField{Counter::kLoopingErrors, 14, 16},
};
constexpr std::array kXmitDiscardDetailFields{
    CounterField{Counter::kInactiveDiscards, 4, 16},
    CounterField{Counter::kNeighborMtuDiscards, 6, 16},
    CounterField{Counter::kSwLifetimeDiscards, 8, 16},
    CounterField{Counter::kSwHoqLifetimeDiscards, 10, 16},
};

void read(GmpData data, const CounterField& field, model::CounterSample& sample) {
  std::uint64_t raw = 0;
  switch (field.width_bits) {
    case 8:
      raw = data[field.offset];
      break;
    case 16:
      raw = wire::load<std::uint16_t>(data, field.offset);
      break;
    case 32:
      raw = wire::load<std::uint32_t>(data, field.offset);
      break;
    default:
      raw = wire::load<std::uint64_t>(data, field.offset);
      break;
  }
  sample.add(field.counter, field.width_bits, raw);
}

void read(GmpData data, std::span<const CounterField> fields, model::CounterSample& sample) {
  for (const CounterField& field : fields) read(data, field, sample);
}

std::uint64_t value_of(const DeviceCounters& counters, Counter counter) {
  return counters[static_cast<std::size_t>(counter)];
}

void write(const DeviceCounters& counters, const CounterField& field, GmpDataOut data) {
  const std::uint64_t value = value_of(counters, field.counter);
  switch (field.width_bits) {
    case 8:
      wire::store_clipped<std::uint8_t>(data, field.offset, value);
      break;
    case 16:
      wire::store_clipped<std::uint16_t>(data, field.offset, value);
      break;
    case 32:
      wire::store_clipped<std::uint32_t>(data, field.offset, value);
      break;
    default:
      wire::store<std::uint64_t>(data, field.offset, value);
      break;
  }
}

void write(const DeviceCounters& counters, std::span<const CounterField> fields, GmpDataOut data) {
  for (const CounterField& field : fields) write(counters, field, data);
}

std::uint8_t clip_to_nibble(std::uint64_t value) {
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 15));
}

/// Whether PortCountersExtended has the data and packet counters at all.
bool has_extended_data(const ClassPortInfo& caps) {
  return caps.extended_width() || caps.extended_width_no_ietf();
}

}  // namespace

ClassPortInfo class_port_info_from_wire(GmpData data) noexcept {
  // CapabilityMask2 and RespTimeValue share a word, 27 and 5 bits (13.4.8.1).
  const auto shared = wire::load<std::uint32_t>(data, 4);
  return {.base_version = data[0],
          .class_version = data[1],
          .capability_mask = wire::load<std::uint16_t>(data, 2),
          .capability_mask2 = shared >> 5,
          .response_time = static_cast<std::uint8_t>(shared & 0x1FU)};
}

void to_wire(const ClassPortInfo& info, GmpDataOut data) noexcept {
  data[0] = info.base_version;
  data[1] = info.class_version;
  wire::store(data, 2, info.capability_mask);
  wire::store(data, 4, info.capability_mask2 << 5 | (info.response_time & 0x1FU));
}

void port_select_to_wire(model::PortNum port, GmpDataOut data) noexcept {
  data[kPortSelect] = port.value();
}

model::PortNum port_select_from_wire(GmpData data) noexcept {
  return model::PortNum{data[kPortSelect]};
}

void port_counters_from_wire(GmpData data, const ClassPortInfo& caps,
                             model::CounterSample& sample) noexcept {
  read(data, kErrorFields, sample);
  sample.add(Counter::kLocalLinkIntegrityErrors, 4, wire::load(data, kLocalLinkIntegrity));
  sample.add(Counter::kExcessiveBufferOverruns, 4, wire::load(data, kExcessiveBufferOverrun));
  if (caps.qp1_dropped()) read(data, kQp1DroppedField, sample);
  if (caps.xmit_wait()) read(data, kXmitWaitField, sample);
  if (!has_extended_data(caps)) read(data, kDataFields, sample);
}

void port_counters_extended_from_wire(GmpData data, const ClassPortInfo& caps,
                                      model::CounterSample& sample) noexcept {
  if (has_extended_data(caps)) read(data, kExtendedFields, sample);
  if (caps.extended_width()) read(data, kExtendedCastFields, sample);
  if (!caps.additional_extended()) return;
  read(data, kExtendedErrorFields, sample);
  if (caps.xmit_wait()) read(data, kExtendedXmitWaitField, sample);
  if (caps.qp1_dropped()) read(data, kExtendedQp1DroppedField, sample);
}

void port_rcv_error_details_from_wire(GmpData data, model::CounterSample& sample) noexcept {
  read(data, kRcvErrorDetailFields, sample);
}

void port_xmit_discard_details_from_wire(GmpData data, model::CounterSample& sample) noexcept {
  read(data, kXmitDiscardDetailFields, sample);
}

std::uint8_t samples_control_tick_from_wire(GmpData data) noexcept {
  return data[kSamplesControlTick];
}

void port_counters_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept {
  write(counters, kErrorFields, data);
  wire::store(data, kLocalLinkIntegrity,
              clip_to_nibble(value_of(counters, Counter::kLocalLinkIntegrityErrors)));
  wire::store(data, kExcessiveBufferOverrun,
              clip_to_nibble(value_of(counters, Counter::kExcessiveBufferOverruns)));
  write(counters, kQp1DroppedField, data);
  write(counters, kDataFields, data);
  write(counters, kXmitWaitField, data);
}

void port_counters_extended_to_wire(const DeviceCounters& counters, const ClassPortInfo& caps,
                                    GmpDataOut data) noexcept {
  if (has_extended_data(caps)) write(counters, kExtendedFields, data);
  if (caps.extended_width()) write(counters, kExtendedCastFields, data);
  if (!caps.additional_extended()) return;
  write(counters, kExtendedErrorFields, data);
  if (caps.xmit_wait()) write(counters, kExtendedXmitWaitField, data);
  if (caps.qp1_dropped()) write(counters, kExtendedQp1DroppedField, data);
}

void port_rcv_error_details_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept {
  write(counters, kRcvErrorDetailFields, data);
}

void port_xmit_discard_details_to_wire(const DeviceCounters& counters, GmpDataOut data) noexcept {
  write(counters, kXmitDiscardDetailFields, data);
}

void samples_control_tick_to_wire(std::uint8_t tick, GmpDataOut data) noexcept {
  data[kSamplesControlTick] = tick;
}

}  // namespace heddle::mad
