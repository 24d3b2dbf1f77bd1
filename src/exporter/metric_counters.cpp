#include <array>

#include "exporter/metric_families.hpp"

namespace heddle::exporter {
namespace {

struct CounterFamily {
  model::Counter counter;
  std::string_view name;  ///< without the prefix of the device class
  std::string_view help;
};

/// Names of treydock/infiniband_exporter 0.10 and its fork.
constexpr std::array<CounterFamily, 28> kFamilies{{
    {model::Counter::kXmitData, "port_transmit_data_bytes_total",
     "Bytes sent (PortXmitData, which counts words of four)"},
    {model::Counter::kRcvData, "port_receive_data_bytes_total",
     "Bytes received (PortRcvData, which counts words of four)"},
    {model::Counter::kXmitPkts, "port_transmit_packets_total", "Packets sent (PortXmitPkts)"},
    {model::Counter::kRcvPkts, "port_receive_packets_total", "Packets received (PortRcvPkts)"},
    {model::Counter::kUnicastXmitPkts, "port_unicast_transmit_packets_total",
     "Unicast packets sent (PortUnicastXmitPkts)"},
    {model::Counter::kUnicastRcvPkts, "port_unicast_receive_packets_total",
     "Unicast packets received (PortUnicastRcvPkts)"},
    {model::Counter::kMulticastXmitPkts, "port_multicast_transmit_packets_total",
     "Multicast packets sent (PortMulticastXmitPkts)"},
    {model::Counter::kMulticastRcvPkts, "port_multicast_receive_packets_total",
     "Multicast packets received (PortMulticastRcvPkts)"},
    {model::Counter::kSymbolErrors, "port_symbol_error_total",
     "Minor errors on one or more lanes (SymbolErrorCounter)"},
    {model::Counter::kLinkErrorRecovery, "port_link_error_recovery_total",
     "Link error recoveries that succeeded (LinkErrorRecoveryCounter)"},
    {model::Counter::kLinkDowned, "port_link_downed_total",
     "Times the link failed to recover and went down (LinkDownedCounter)"},
    {model::Counter::kRcvErrors, "port_receive_errors_total",
     "Packets received with an error (PortRcvErrors)"},
    {model::Counter::kRcvRemotePhysicalErrors, "port_receive_remote_physical_errors_total",
     "Packets received that another hop had marked bad (PortRcvRemotePhysicalErrors)"},
    {model::Counter::kRcvSwitchRelayErrors, "port_receive_switch_relay_errors_total",
     "Packets received that could not be forwarded (PortRcvSwitchRelayErrors)"},
    {model::Counter::kXmitDiscards, "port_transmit_discards_total",
     "Packets dropped on the way out (PortXmitDiscards)"},
    {model::Counter::kXmitConstraintErrors, "port_transmit_constraint_errors_total",
     "Packets not sent for a partition or raw filter (PortXmitConstraintErrors)"},
    {model::Counter::kRcvConstraintErrors, "port_receive_constraint_errors_total",
     "Packets dropped on entry for a partition or raw filter (PortRcvConstraintErrors)"},
    {model::Counter::kLocalLinkIntegrityErrors, "port_local_link_integrity_errors_total",
     "Times local physical errors passed the threshold (LocalLinkIntegrityErrors)"},
    {model::Counter::kExcessiveBufferOverruns, "port_excessive_buffer_overrun_errors_total",
     "Buffer overruns in consecutive flow control periods (ExcessiveBufferOverrunErrors)"},
    {model::Counter::kVl15Dropped, "port_vl15_dropped_total",
     "Management packets dropped for lack of room (VL15Dropped)"},
    {model::Counter::kXmitWait, "port_transmit_wait_total",
     "Ticks with data to send and none sent (PortXmitWait)"},
    {model::Counter::kQp1Dropped, "port_qp1_dropped_total",
     "General management packets dropped for lack of room (QP1Dropped)"},
    {model::Counter::kLocalPhysicalErrors, "port_local_physical_errors_total",
     "Received packets with a bad CRC or code (PortLocalPhysicalErrors)"},
    {model::Counter::kMalformedPackets, "port_malformed_packet_errors_total",
     "Received packets that were malformed (PortMalformedPacketErrors)"},
    {model::Counter::kBufferOverruns, "port_buffer_overrun_errors_total",
     "Received packets dropped for lack of room (PortBufferOverrunErrors)"},
    {model::Counter::kDlidMappingErrors, "port_dli_mapping_errors_total",
     "Received packets whose destination LID leads nowhere (PortDLIDMappingErrors)"},
    {model::Counter::kVlMappingErrors, "port_vl_mapping_errors_total",
     "Received packets whose SL maps to no lane (PortVLMappingErrors)"},
    {model::Counter::kLoopingErrors, "port_looping_errors_total",
     "Received packets that would leave where they came in (PortLoopingErrors)"},
}};

/// Of both classes of device; no exporter of the field reads PortXmitDiscardDetails.
constexpr std::array<CounterFamily, 4> kOwnFamilies{{
    {model::Counter::kInactiveDiscards, "heddle_port_inactive_discards_total",
     "Packets dropped on the way out: port not active (PortInactiveDiscards)"},
    {model::Counter::kNeighborMtuDiscards, "heddle_port_neighbor_mtu_discards_total",
     "Packets dropped on the way out: longer than the MTU (PortNeighborMTUDiscards)"},
    {model::Counter::kSwLifetimeDiscards, "heddle_port_switch_lifetime_discards_total",
     "Packets dropped on the way out: too long in the switch (PortSwLifetimeLimitDiscards)"},
    {model::Counter::kSwHoqLifetimeDiscards, "heddle_port_switch_hoq_lifetime_discards_total",
     "Packets dropped on the way out: too long at the head of the queue "
     "(PortSwHOQLifetimeLimitDiscards)"},
}};

void write_class(MetricWriter& out, const PortRows& rows, const CounterFamily& family,
                 DeviceClass device) {
  for (const PortRow& row : rows.rows()) {
    if (row.device != device || row.totals == nullptr || !row.totals->has(family.counter)) continue;
    const std::uint64_t total = row.totals->value[static_cast<std::size_t>(family.counter)];
    out.sample(rows.labels(row), counts_words(family.counter)
                                     ? model::to_bytes(model::Words32{total}).value()
                                     : total);
  }
}

/// treydock's name has lost a letter, and its dashboards with it; the fork has put it right.
std::string_view name_of(const CounterFamily& family, Compatibility compatibility) noexcept {
  if (family.counter == model::Counter::kDlidMappingErrors &&
      compatibility == Compatibility::kSckyzo) {
    return "port_dlid_mapping_errors_total";
  }
  return family.name;
}

void write_own(MetricWriter& out, const PortRows& rows) {
  for (const CounterFamily& family : kOwnFamilies) {
    out.family(family.name, MetricType::kCounter, family.help);
    for (const PortRow& row : rows.rows()) {
      if (row.totals == nullptr) continue;
      if (const auto total = row.totals->get(family.counter)) {
        out.sample(rows.identity(row), *total);
      }
    }
  }
}

void write_lower_bounds(MetricWriter& out, const PortRows& rows) {
  out.family("heddle_port_at_least_info", MetricType::kGauge,
             "1 where a total may be too low: the device's counter stuck, or a part is missing");
  for (const PortRow& row : rows.rows()) {
    if (row.totals == nullptr || row.totals->at_least == 0) continue;
    for (std::size_t i = 0; i < model::kCounterCount; ++i) {
      const auto counter = static_cast<model::Counter>(i);
      if (!row.totals->is_at_least(counter)) continue;
      std::string labels(rows.identity(row));
      append_label(labels, "counter", to_string(counter));
      out.sample(labels, std::uint64_t{1});
    }
  }
}

}  // namespace

void write_counter_families(MetricWriter& out, const PortRows& rows, Compatibility compatibility) {
  for (const DeviceClass device : {DeviceClass::kSwitch, DeviceClass::kHca}) {
    for (const CounterFamily& family : kFamilies) {
      const std::string name =
          std::string(prefix_of(device)).append(name_of(family, compatibility));
      out.family(name, MetricType::kCounter, family.help);
      write_class(out, rows, family, device);
    }
  }
  write_own(out, rows);
  write_lower_bounds(out, rows);
}

}  // namespace heddle::exporter
