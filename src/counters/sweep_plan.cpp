#include "counters/sweep_plan.hpp"

#include <algorithm>

namespace heddle::counters {
namespace {

bool is_up(model::PortState state) noexcept {
  return state == model::PortState::kInit || state == model::PortState::kArmed ||
         state == model::PortState::kActive;
}

/// Ports of a text topology have no state: those that are cabled are taken.
bool to_be_read(const model::Fabric& fabric, model::PortIndex index) {
  const model::Port& port = fabric.port(index);
  if (port.number == model::PortNum{} || port.state == model::PortState::kDown) return false;
  return is_up(port.state) || fabric.link_of(index).has_value() ||
         std::ranges::binary_search(fabric.unresolved(), index, {}, &model::UnresolvedPeer::port);
}

}  // namespace

SweepPlan plan_sweep(const model::Fabric& fabric) {
  SweepPlan plan;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const model::NodeIndex node{n};
    NodeToAsk ask{node, {}, false};
    ask.has_subnet_manager =
        std::ranges::any_of(fabric.ports_of(node), &model::Port::is_subnet_manager);
    const std::uint32_t first = fabric.first_port(node).value();
    const auto count = static_cast<std::uint32_t>(fabric.ports_of(node).size());
    for (std::uint32_t i = first; i < first + count; ++i) {
      const model::PortIndex port{i};
      if (!to_be_read(fabric, port)) continue;
      const auto lid = fabric.management_lid(port);
      if (lid && model::is_unicast(*lid)) {
        ask.ports.push_back({port, *lid});
      } else {
        ++plan.ports_unreached;
      }
    }
    plan.ports += ask.ports.size();
    if (!ask.ports.empty()) plan.nodes.push_back(std::move(ask));
  }
  std::ranges::stable_sort(plan.nodes, std::ranges::greater{},
                           [](const NodeToAsk& ask) { return ask.ports.size(); });
  return plan;
}

std::vector<std::uint16_t> attributes_to_ask(const mad::ClassPortInfo& caps,
                                             const CounterSweep::Options& wanted) {
  const bool extended = caps.extended_width() || caps.extended_width_no_ietf();
  const bool errors_extended = extended && caps.additional_extended();
  std::vector<std::uint16_t> attributes;
  if ((wanted.data && extended) || (wanted.errors && errors_extended)) {
    attributes.push_back(mad::pma::kPortCountersExtended);
  }
  if ((wanted.data && !extended) || (wanted.errors && !errors_extended)) {
    attributes.push_back(mad::pma::kPortCounters);
  }
  if (wanted.details) {
    attributes.push_back(mad::pma::kPortRcvErrorDetails);
    attributes.push_back(mad::pma::kPortXmitDiscardDetails);
  }
  if (wanted.wait_tick) attributes.push_back(mad::pma::kPortSamplesControl);
  return attributes;
}

}  // namespace heddle::counters
