#include "plugins/opensm/subnet_fabric.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

/// Codes of PortInfo (section 14.2.5.6). XDR has one that OpenSM 3.3.23 does not keep.
model::LinkRate rate_of(const heddle_cable& cable) {
  using model::LinkSpeed;
  using model::LinkWidth;
  constexpr std::array<std::pair<std::uint8_t, LinkWidth>, 5> kWidths{{{1, LinkWidth::k1x},
                                                                       {2, LinkWidth::k4x},
                                                                       {4, LinkWidth::k8x},
                                                                       {8, LinkWidth::k12x},
                                                                       {16, LinkWidth::k2x}}};
  constexpr std::array<std::pair<std::uint8_t, LinkSpeed>, 3> kSpeeds{
      {{1, LinkSpeed::kSdr}, {2, LinkSpeed::kDdr}, {4, LinkSpeed::kQdr}}};
  constexpr std::array<std::pair<std::uint8_t, LinkSpeed>, 4> kExtended{
      {{1, LinkSpeed::kFdr}, {2, LinkSpeed::kEdr}, {4, LinkSpeed::kHdr}, {8, LinkSpeed::kNdr}}};
  const auto of_code = [](const auto& codes, std::uint8_t code, auto& value) {
    for (const auto& [known, meant] : codes) {
      if (known == code) value = meant;
    }
  };
  model::LinkRate rate;
  of_code(kWidths, cable.width, rate.width);
  if (cable.speed_ext != 0) {
    of_code(kExtended, cable.speed_ext, rate.speed);
  } else if (cable.is_fdr10 != 0) {
    rate.speed = LinkSpeed::kFdr10;
  } else {
    of_code(kSpeeds, cable.speed, rate.speed);
  }
  return rate;
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
      port.rate = rate_of(cable);
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
  const std::span cables(subnet.cables, subnet.cable_count);
  add_rates(cables, builder);
  for (const heddle_cable& cable : cables) {
    builder.connect({NodeGuid{cable.node_guid[0]}, PortNum{cable.port[0]}},
                    {NodeGuid{cable.node_guid[1]}, PortNum{cable.port[1]}});
  }
  return std::move(builder).build();
}

}  // namespace heddle::plugin
