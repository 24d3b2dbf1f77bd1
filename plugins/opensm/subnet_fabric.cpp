#include "plugins/opensm/subnet_fabric.hpp"

#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "model/fabric_builder.hpp"

namespace heddle::plugin {

using model::NodeGuid;
using model::NodeKind;
using model::PortNum;

namespace {

constexpr std::uint8_t kSwitchType = 2;

/// NodeInfo.NodeType (InfiniBand Architecture Specification, volume 1, section 14.2.5.3);
/// aggregation nodes call themselves channel adapters and differ by device id or description.
NodeKind kind_of(const heddle_node& node) {
  switch (node.type) {
    case 1:
      return node.device_id == 0xCF09 || node.device_id == 0xCF10 ||
                     std::string_view(node.description).find("Aggregation Node") !=
                         std::string_view::npos
                 ? NodeKind::kAggregationNode
                 : NodeKind::kHostAdapter;
    case kSwitchType:
      return NodeKind::kSwitch;
    case 3:
      return NodeKind::kRouter;
    default:
      return NodeKind::kUnknown;
  }
}

model::Node node_of(const heddle_node& from) {
  model::Node node{.guid = NodeGuid{from.guid},
                   .system_guid = std::nullopt,
                   .kind = kind_of(from),
                   .vendor_id = from.vendor_id,
                   .device_id = from.device_id,
                   .port_count = from.port_count,
                   .description = from.description};
  if (from.system_guid != 0) node.system_guid = model::SystemGuid{from.system_guid};
  return node;
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
    if (node.type == kSwitchType && !with_tables.contains(node.guid)) {
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
  for (const heddle_cable& cable : std::span(subnet.cables, subnet.cable_count)) {
    builder.connect({NodeGuid{cable.node_guid[0]}, PortNum{cable.port[0]}},
                    {NodeGuid{cable.node_guid[1]}, PortNum{cable.port[1]}});
  }
  return std::move(builder).build();
}

}  // namespace heddle::plugin
