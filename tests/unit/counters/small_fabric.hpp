#pragma once

#include <memory>
#include <vector>

#include "model/fabric_builder.hpp"

namespace heddle::counters::testing {

inline model::PortKey key(std::uint64_t guid, int port) {
  return {model::NodeGuid{guid}, model::PortNum{static_cast<std::uint8_t>(port)}};
}

struct NodeSketch {
  std::uint64_t guid;
  model::NodeKind kind;
  std::uint8_t ports;
};

/// Nodes without cables, all ports active at `rate`.
inline std::shared_ptr<const model::Fabric> sketch(const std::vector<NodeSketch>& nodes,
                                                   model::LinkRate rate = {
                                                       model::LinkWidth::k4x,
                                                       model::LinkSpeed::kEdr}) {
  model::FabricBuilder builder("test");
  for (const NodeSketch& n : nodes) {
    model::Node node;
    node.guid = model::NodeGuid{n.guid};
    node.kind = n.kind;
    node.port_count = n.ports;
    builder.add_node(node);
    for (std::uint8_t p = 1; p <= n.ports; ++p) {
      model::Port port;
      port.number = model::PortNum{p};
      port.state = model::PortState::kActive;
      port.rate = rate;
      builder.set_port(node.guid, port);
    }
  }
  return std::make_shared<const model::Fabric>(std::move(builder).build());
}

}  // namespace heddle::counters::testing
