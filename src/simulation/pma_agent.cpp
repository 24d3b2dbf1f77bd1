#include "simulation/pma_agent.hpp"

#include <algorithm>
#include <limits>

#include "simulation/agent_status.hpp"

namespace heddle::simulation {
namespace {

constexpr model::PortNum kAllPorts{std::uint8_t{0xFF}};

/// Counters stick at all ones, sums of them too.
void add(mad::DeviceCounters& sum, const mad::DeviceCounters& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum[i];
    sum[i] += std::min(room, more[i]);
  }
}

}  // namespace

mad::ClassPortInfo PmaAgent::capabilities(model::NodeGuid node) const {
  const auto changed = settings_.capabilities.find(node);
  return changed == settings_.capabilities.end() ? kDefaultCapabilities : changed->second;
}

std::uint8_t PmaAgent::wait_tick(model::NodeGuid node) const {
  const auto changed = settings_.wait_ticks.find(node);
  return changed == settings_.wait_ticks.end() ? kDefaultWaitTick : changed->second;
}

std::optional<mad::DeviceCounters> PmaAgent::counters(model::NodeIndex node,
                                                      model::PortNum select) const {
  const model::NodeGuid guid = fabric_.node(node).guid;
  const auto of_port = [&](model::PortNum port) {
    const auto held = settings_.counters.find({guid, port});
    return held == settings_.counters.end() ? mad::DeviceCounters{} : held->second;
  };
  if (select == kAllPorts) {
    if (!capabilities(guid).all_port_select()) return std::nullopt;
    mad::DeviceCounters sum{};
    for (const model::Port& port : fabric_.ports_of(node)) {
      if (port.number != model::PortNum{}) add(sum, of_port(port.number));
    }
    return sum;
  }
  // Only an enhanced port 0 of a switch has counters.
  if (select == model::PortNum{} || !fabric_.find_port(node, select)) return std::nullopt;
  return of_port(select);
}

std::uint16_t PmaAgent::get(model::NodeIndex node, std::uint16_t attribute,
                            mad::GmpDataOut data) const {
  const model::NodeGuid guid = fabric_.node(node).guid;
  const model::PortNum select = mad::port_select_from_wire(data);
  const mad::ClassPortInfo caps = capabilities(guid);
  std::ranges::fill(data, std::uint8_t{0});
  if (attribute == mad::pma::kClassPortInfo) {
    to_wire(caps, data);
    return kStatusGood;
  }
  mad::port_select_to_wire(select, data);
  const bool extended =
      caps.extended_width() || caps.extended_width_no_ietf() || caps.additional_extended();
  if (attribute == mad::pma::kPortCountersExtended && !extended) return kStatusUnsupported;

  const std::optional<mad::DeviceCounters> values = counters(node, select);
  switch (attribute) {
    case mad::pma::kPortCounters:
      if (values) mad::port_counters_to_wire(*values, data);
      break;
    case mad::pma::kPortCountersExtended:
      if (values) mad::port_counters_extended_to_wire(*values, caps, data);
      break;
    case mad::pma::kPortRcvErrorDetails:
      if (values) mad::port_rcv_error_details_to_wire(*values, data);
      break;
    case mad::pma::kPortXmitDiscardDetails:
      if (values) mad::port_xmit_discard_details_to_wire(*values, data);
      break;
    case mad::pma::kPortSamplesControl:
      if (values) mad::samples_control_tick_to_wire(wait_tick(guid), data);
      break;
    default:
      return kStatusUnsupported;
  }
  return values ? kStatusGood : kStatusInvalidField;
}

}  // namespace heddle::simulation
