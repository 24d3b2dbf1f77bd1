#include "discovery/walk_record.hpp"

#include <algorithm>

namespace heddle::discovery {
namespace {

/// Port 255 is no port number (volume 1, 14.2.5.3).
std::uint8_t port_count_of(const mad::NodeInfo& info) {
  return std::min<std::uint8_t>(info.port_count, 254);
}

}  // namespace

std::uint32_t WalkRecord::add(mad::NodeInfo info, const mad::DirectedRoute& route) {
  info.port_count = port_count_of(info);
  const auto index = static_cast<std::uint32_t>(nodes.size());
  by_guid.emplace(info.node_guid, index);
  SeenNode& node = nodes.emplace_back();
  node.info = info;
  node.route = route;
  node.ports.resize(info.port_count + std::size_t{1});
  for (std::size_t i = 0; i < node.ports.size(); ++i) {
    node.ports[i].port.number = model::PortNum{static_cast<std::uint8_t>(i)};
  }
  ports += node.ports.size();
  if (node.is_switch()) node.ports[0].port.guid = info.port_guid;
  return index;
}

const SeenPort* WalkRecord::find(model::PortKey key) const noexcept {
  const auto found = by_guid.find(key.node);
  if (found == by_guid.end()) return nullptr;
  const SeenNode& node = nodes[found->second];
  return key.port.value() < node.ports.size() ? &node.ports[key.port.value()] : nullptr;
}

mad::DirectedRoute WalkRecord::route_to(const SeenNode& node, model::PortNum port) const {
  if (node.is_switch() || port.value() >= node.ports.size()) return node.route;
  const bool own_port = node.route.hops() == 0 && port == node.info.local_port;
  const SeenPort& entered = node.ports[port.value()];
  if (own_port || entered.beyond != SeenPort::Beyond::kPeer) return node.route;
  const SeenNode& from = nodes[by_guid.at(entered.peer.node)];
  if (from.route.hops() >= mad::DirectedRoute::kMaxHops) return node.route;
  return from.route.then(entered.peer.port);
}

bool same_device(const SeenNode& known, const mad::NodeInfo& info, model::PortKey from) {
  if (known.info.node_type != info.node_type || known.info.device_id != info.device_id ||
      known.info.vendor_id != info.vendor_id || known.info.system_guid != info.system_guid ||
      known.info.port_count != port_count_of(info)) {
    return false;
  }
  if (info.local_port.value() >= known.ports.size()) return true;
  const SeenPort& entered = known.ports[info.local_port.value()];
  return entered.beyond != SeenPort::Beyond::kPeer || entered.peer == from;
}

}  // namespace heddle::discovery
