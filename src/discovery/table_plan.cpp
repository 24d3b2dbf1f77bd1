#include "discovery/table_plan.hpp"

#include <algorithm>
#include <ranges>

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::Node;
using model::NodeIndex;
using model::NodeKind;
using model::Port;
using model::PortIndex;
using model::PortNum;

constexpr PortNum kPort0{std::uint8_t{0}};

/// The same devices with the same cables: then an index means the same in both.
bool same_cabling(const Fabric& a, const Fabric& b) {
  const auto same_node = [](const Node& x, const Node& y) {
    return x.guid == y.guid && x.kind == y.kind && x.port_count == y.port_count;
  };
  const auto same_link = [](const model::Link& x, const model::Link& y) {
    return x.a == y.a && x.b == y.b;
  };
  return std::ranges::equal(a.nodes(), b.nodes(), same_node) &&
         std::ranges::equal(a.links(), b.links(), same_link);
}

bool same_addresses(const Fabric& a, const Fabric& b) {
  return std::ranges::equal(a.ports(), b.ports(), [](const Port& x, const Port& y) {
    return x.lid == y.lid && x.lmc == y.lmc;
  });
}

/// Whether anything about a node's ports differs that its tables may depend on.
bool ports_changed(const Fabric& now, NodeIndex node, const Fabric& before) {
  const auto old = before.find_node(now.node(node).guid);
  if (!old) return true;
  const auto ports = now.ports_of(node);
  const auto old_ports = before.ports_of(*old);
  if (ports.size() != old_ports.size()) return true;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].operational_vls != old_ports[i].operational_vls ||
        ports[i].state != old_ports[i].state || ports[i].lid != old_ports[i].lid) {
      return true;
    }
    const auto offset = static_cast<std::uint32_t>(i);
    const auto peer = now.peer(PortIndex{now.first_port(node).value() + offset});
    const auto old_peer = before.peer(PortIndex{before.first_port(*old).value() + offset});
    if (peer.has_value() != old_peer.has_value()) return true;
    if (peer && now.key(*peer) != before.key(*old_peer)) return true;
  }
  return false;
}

class Planner {
 public:
  Planner(const SweepOutcome& now, const SweepOutcome* before, const model::FabricTables* previous,
          std::uint64_t round, std::uint32_t rotation)
      : now_(now), before_(before), previous_(previous), round_(round), rotation_(rotation) {
    all_ = before_ == nullptr || previous_ == nullptr;
    routes_moved_ = all_ || !same_cabling(*now_.fabric, *before_->fabric) ||
                    !same_addresses(*now_.fabric, *before_->fabric);
  }

  [[nodiscard]] TablePlan run() const {
    TablePlan plan;
    const Fabric& fabric = *now_.fabric;
    for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
      const NodeIndex node{i};
      const model::NodeGuid guid = fabric.node(node).guid;
      if (!now_.routes.contains(guid)) continue;
      if (const auto sw = fabric.switch_index(node);
          sw && (routes_moved_ || turn(sw->value()) ||
                 previous_->unread.forwarding.contains(guid) || forwarding_suspect(node))) {
        plan.forwarding.push_back(guid);
      }
      const bool again = all_ || turn(i) || ports_changed(fabric, node, *before_->fabric);
      if (again || previous_->unread.sl_to_vl.contains(guid) || sl_to_vl_missing(node)) {
        plan.sl_to_vl.push_back(guid);
      }
      if (again || previous_->unread.partitions.contains(guid) || partitions_missing(node)) {
        plan.partitions.push_back(guid);
      }
    }
    return plan;
  }

 private:
  [[nodiscard]] bool turn(std::uint32_t index) const {
    return rotation_ != 0 && index % rotation_ == round_ % rotation_;
  }

  [[nodiscard]] bool forwarding_suspect(NodeIndex node) const {
    const model::NodeGuid guid = now_.fabric->node(node).guid;
    const auto info = now_.switches.find(guid);
    const auto old = before_->switches.find(guid);
    if (info != now_.switches.end() &&
        (old == before_->switches.end() ||
         old->second.port_state_change != info->second.port_state_change ||
         old->second.linear_fdb_top != info->second.linear_fdb_top)) {
      return true;
    }
    const auto known = previous_->fabric->find_node(guid);
    const auto sw = known ? previous_->fabric->switch_index(*known) : std::nullopt;
    return !sw || !previous_->forwarding.known(*sw);
  }

  /// Each cabled port stands in some pair with port 0 or with the first output, so these tell
  /// whether the node was read since it was cabled as it is.
  [[nodiscard]] bool sl_to_vl_missing(NodeIndex node) const {
    const std::vector<PortPair> pairs = sl_to_vl_pairs(*now_.fabric, node);
    const model::NodeGuid guid = now_.fabric->node(node).guid;
    return std::ranges::any_of(pairs, [&](const PortPair& pair) {
      return (pair.in == kPort0 || pair.out == pairs.front().out) &&
             previous_->sl_to_vl.find(guid, pair.in, pair.out) == nullptr;
    });
  }

  [[nodiscard]] bool partitions_missing(NodeIndex node) const {
    const model::NodeGuid guid = now_.fabric->node(node).guid;
    return std::ranges::any_of(end_ports(*now_.fabric, node), [&](PortNum port) {
      return !previous_->partitions.contains({guid, port});
    });
  }

  const SweepOutcome& now_;
  const SweepOutcome* before_;
  const model::FabricTables* previous_;
  std::uint64_t round_;
  std::uint32_t rotation_;
  bool all_ = false;
  bool routes_moved_ = false;
};

}  // namespace

std::vector<PortNum> end_ports(const Fabric& fabric, NodeIndex node) {
  if (fabric.node(node).kind == NodeKind::kSwitch) return {kPort0};
  std::vector<PortNum> ports;
  for (const Port& port : fabric.ports_of(node)) {
    const auto index = fabric.find_port(node, port.number);
    if (index && fabric.link_of(*index)) ports.push_back(port.number);
  }
  return ports;
}

std::vector<PortPair> sl_to_vl_pairs(const Fabric& fabric, NodeIndex node) {
  const auto ports = fabric.ports_of(node);
  std::vector<PortPair> pairs;
  const bool is_switch = fabric.node(node).kind == NodeKind::kSwitch;
  const auto cabled = [&](const Port& port) {
    const auto index = fabric.find_port(node, port.number);
    return index && fabric.link_of(*index).has_value();
  };
  for (const Port& out : ports) {
    // With one data VL every SL is in it.
    if (out.operational_vls == 1 || !cabled(out)) continue;
    if (!is_switch) {
      pairs.push_back({out.number, out.number});
      continue;
    }
    for (const Port& in : ports) {
      if (in.number == kPort0 || (in.number != out.number && cabled(in))) {
        pairs.push_back({in.number, out.number});
      }
    }
  }
  return pairs;
}

std::optional<mad::DirectedRoute> route_to(const SweepOutcome& outcome, NodeIndex node,
                                           PortNum port) {
  const Fabric& fabric = *outcome.fabric;
  const auto found = outcome.routes.find(fabric.node(node).guid);
  if (found == outcome.routes.end()) return std::nullopt;
  if (fabric.node(node).kind == NodeKind::kSwitch) return found->second;
  const auto index = fabric.find_port(node, port);
  const auto peer = index ? fabric.peer(*index) : std::nullopt;
  if (!peer) return found->second;
  const model::PortKey far = fabric.key(*peer);
  const auto way = outcome.routes.find(far.node);
  if (way == outcome.routes.end()) return std::nullopt;
  // Our own port, which needs no cable: the way to its neighbour begins there.
  const auto exits = way->second.exit_ports();
  if (found->second.hops() == 0 && exits.size() == 1 && exits[0] == port.value()) {
    return found->second;
  }
  if (exits.size() >= mad::DirectedRoute::kMaxHops) return std::nullopt;
  return way->second.then(far.port);
}

TablePlan plan_tables(const SweepOutcome& now, const SweepOutcome* before,
                      const model::FabricTables* previous, std::uint64_t round,
                      std::uint32_t rotation) {
  return Planner(now, before, previous, round, rotation).run();
}

}  // namespace heddle::discovery
