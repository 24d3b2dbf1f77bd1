#include "plugins/opensm/subnet_fabric.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_set>
#include <utility>

#include "mad/smp.hpp"
#include "model/fabric_builder.hpp"

namespace heddle::plugin {

using model::NodeGuid;
using model::PortNum;

namespace {

model::Node node_of(const heddle_node& from) {
  model::Node node{
      .guid = NodeGuid{from.guid},
      .system_guid = std::nullopt,
      .kind = mad::kind_of({.node_type = mad::NodeType{from.type}, .device_id = from.device_id},
                           from.description),
      .vendor_id = from.vendor_id,
      .device_id = from.device_id,
      .port_count = from.port_count,
      .description = from.description};
  if (from.system_guid != 0) node.system_guid = model::SystemGuid{from.system_guid};
  return node;
}

model::LinkRate rate_of(const heddle_cable& cable, PortNum port) {
  if (cable.speed_ext == 0 && cable.is_fdr10 != 0) {
    return {mad::to_port({.link_width_active = cable.width}, port).rate.width,
            model::LinkSpeed::kFdr10};
  }
  // XDR has a code that OpenSM 3.3.23 does not keep.
  return mad::to_port({.link_width_active = cable.width,
                       .link_speed_active = cable.speed,
                       .link_speed_ext_active = cable.speed_ext},
                      port)
      .rate;
}

/// Rates of cables between switches where they differ; where they do not, nobody needs them.
void add_rates(std::span<const heddle_cable> cables, model::FabricBuilder& builder) {
  const auto same_rate = [](const heddle_cable& a, const heddle_cable& b) {
    return a.width == b.width && a.speed == b.speed && a.speed_ext == b.speed_ext &&
           a.is_fdr10 == b.is_fdr10;
  };
  const auto has_rate = [](const heddle_cable& cable) { return cable.width != 0; };
  const auto first = std::ranges::find_if(cables, has_rate);
  const bool differ = std::any_of(first, cables.end(), [&](const heddle_cable& cable) {
    return has_rate(cable) && !same_rate(cable, *first);
  });
  if (!differ) return;
  for (const heddle_cable& cable : cables) {
    if (!has_rate(cable)) continue;
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      model::Port port;
      port.number = PortNum{cable.port[end]};
      port.rate = rate_of(cable, port.number);
      builder.set_port(NodeGuid{cable.node_guid[end]}, std::move(port));
    }
  }
}

}  // namespace

model::Fabric fabric_of(const heddle_subnet& subnet) {
  model::FabricBuilder builder("opensm");
  std::unordered_set<std::uint64_t> with_tables;
  for (const heddle_switch& sw : std::span(subnet.switches, subnet.switch_count)) {
    with_tables.insert(sw.guid);
  }
  std::unordered_set<std::uint64_t> without_tables;
  for (const heddle_node& node : std::span(subnet.nodes, subnet.node_count)) {
    if (mad::NodeType{node.type} == mad::NodeType::kSwitch && !with_tables.contains(node.guid)) {
      without_tables.insert(node.guid);
    } else {
      builder.add_node(node_of(node));
    }
  }
  for (const heddle_end_port& end : std::span(subnet.end_ports, subnet.end_port_count)) {
    if (without_tables.contains(end.node_guid)) continue;
    model::Port port;
    port.number = PortNum{end.number};
    port.lmc = end.lmc;
    if (end.lid != 0) port.lid = model::Lid{end.lid};
    port.guid = model::PortGuid{end.port_guid};
    builder.set_port(NodeGuid{end.node_guid}, std::move(port));
  }
  const std::span cables(subnet.cables, subnet.cable_count);
  add_rates(cables, builder);
  for (const heddle_cable& cable : cables) {
    builder.connect({NodeGuid{cable.node_guid[0]}, PortNum{cable.port[0]}},
                    {NodeGuid{cable.node_guid[1]}, PortNum{cable.port[1]}});
  }
  return std::move(builder).build();
}

}  // namespace heddle::plugin
