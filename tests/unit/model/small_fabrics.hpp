#pragma once

#include <string>

#include "model/fabric_builder.hpp"

/// Small fabrics built by hand, for tests of the model itself.
namespace heddle::model::testing_support {

inline NodeGuid guid(std::uint64_t value) { return NodeGuid{value}; }
inline PortKey key(std::uint64_t node, std::uint8_t port) {
  return {NodeGuid{node}, PortNum{port}};
}

inline Node make_node(NodeKind kind, std::uint64_t node_guid, std::uint8_t ports,
                      std::string name) {
  Node node;
  node.guid = NodeGuid{node_guid};
  node.kind = kind;
  node.port_count = ports;
  node.description = std::move(name);
  return node;
}

inline void set_rate(FabricBuilder& builder, PortKey where, const char* rate,
                     std::uint16_t lid = 0) {
  Port port;
  port.number = where.port;
  port.rate = parse_link_rate(rate);
  port.state = PortState::kActive;
  port.physical_state = PhysicalState::kLinkUp;
  if (lid != 0) port.lid = Lid{lid};
  builder.set_port(where.node, port);
}

inline void cable(FabricBuilder& builder, PortKey a, PortKey b, const char* rate = "4xEDR") {
  for (const PortKey end : {a, b}) {
    if (builder.port(end) != nullptr && builder.port(end)->rate == LinkRate{})
      set_rate(builder, end, rate);
  }
  builder.connect(a, b);
}

//      spine 0x20
//      //     \    two cables to leaf 0x10, one to leaf 0x11
//  leaf 0x10  leaf 0x11
//   |    |     |
//  h1   h2    h3      (0x1, 0x2, 0x3)
inline FabricBuilder two_leaves() {
  FabricBuilder builder("test");
  builder.add_node(make_node(NodeKind::kSwitch, 0x20, 4, "spine"));
  builder.add_node(make_node(NodeKind::kSwitch, 0x10, 8, "leaf-0"));
  builder.add_node(make_node(NodeKind::kSwitch, 0x11, 8, "leaf-1"));
  for (std::uint64_t host = 1; host <= 3; ++host) {
    builder.add_node(make_node(NodeKind::kHostAdapter, host, 1, "host-" + std::to_string(host)));
  }
  cable(builder, key(0x10, 1), key(1, 1));
  cable(builder, key(0x10, 2), key(2, 1));
  cable(builder, key(0x11, 1), key(3, 1));
  cable(builder, key(0x10, 5), key(0x20, 1));
  cable(builder, key(0x10, 6), key(0x20, 2));
  cable(builder, key(0x11, 5), key(0x20, 3));
  return builder;
}

}  // namespace heddle::model::testing_support
