#include "model/counters.hpp"

namespace heddle::model {

std::string_view to_string(Counter counter) noexcept {
  switch (counter) {
    case Counter::kXmitData:
      return "xmit_data";
    case Counter::kRcvData:
      return "rcv_data";
    case Counter::kXmitPkts:
      return "xmit_pkts";
    case Counter::kRcvPkts:
      return "rcv_pkts";
    case Counter::kUnicastXmitPkts:
      return "unicast_xmit_pkts";
    case Counter::kUnicastRcvPkts:
      return "unicast_rcv_pkts";
    case Counter::kMulticastXmitPkts:
      return "multicast_xmit_pkts";
    case Counter::kMulticastRcvPkts:
      return "multicast_rcv_pkts";
    case Counter::kSymbolErrors:
      return "symbol_errors";
    case Counter::kLinkErrorRecovery:
      return "link_error_recovery";
    case Counter::kLinkDowned:
      return "link_downed";
    case Counter::kRcvErrors:
      return "rcv_errors";
    case Counter::kRcvRemotePhysicalErrors:
      return "rcv_remote_physical_errors";
    case Counter::kRcvSwitchRelayErrors:
      return "rcv_switch_relay_errors";
    case Counter::kXmitDiscards:
      return "xmit_discards";
    case Counter::kXmitConstraintErrors:
      return "xmit_constraint_errors";
    case Counter::kRcvConstraintErrors:
      return "rcv_constraint_errors";
    case Counter::kLocalLinkIntegrityErrors:
      return "local_link_integrity_errors";
    case Counter::kExcessiveBufferOverruns:
      return "excessive_buffer_overruns";
    case Counter::kVl15Dropped:
      return "vl15_dropped";
    case Counter::kXmitWait:
      return "xmit_wait";
    case Counter::kQp1Dropped:
      return "qp1_dropped";
    case Counter::kLocalPhysicalErrors:
      return "local_physical_errors";
    case Counter::kMalformedPackets:
      return "malformed_packets";
    case Counter::kBufferOverruns:
      return "buffer_overruns";
    case Counter::kDlidMappingErrors:
      return "dlid_mapping_errors";
    case Counter::kVlMappingErrors:
      return "vl_mapping_errors";
    case Counter::kLoopingErrors:
      return "looping_errors";
    case Counter::kInactiveDiscards:
      return "inactive_discards";
    case Counter::kNeighborMtuDiscards:
      return "neighbor_mtu_discards";
    case Counter::kSwLifetimeDiscards:
      return "sw_lifetime_discards";
    case Counter::kSwHoqLifetimeDiscards:
      return "sw_hoq_lifetime_discards";
  }
  return "unknown";
}

std::string_view to_string(CounterGroup group) noexcept {
  switch (group) {
    case CounterGroup::kData:
      return "data";
    case CounterGroup::kErrors:
      return "errors";
    case CounterGroup::kRcvErrorDetails:
      return "rcv_error_details";
    case CounterGroup::kXmitDiscardDetails:
      return "xmit_discard_details";
  }
  return "unknown";
}

CounterGroup group_of(Counter counter) noexcept {
  if (counter <= Counter::kMulticastRcvPkts) return CounterGroup::kData;
  if (counter <= Counter::kQp1Dropped) return CounterGroup::kErrors;
  if (counter <= Counter::kLoopingErrors) return CounterGroup::kRcvErrorDetails;
  return CounterGroup::kXmitDiscardDetails;
}

}  // namespace heddle::model
