#include "model/fabric_delta.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/fabric_summary.hpp"

namespace heddle::model {
namespace {

std::vector<FabricDelta::Cable> cables_of(const Fabric& fabric) {
  std::vector<FabricDelta::Cable> cables;
  cables.reserve(fabric.links().size());
  for (const Link& link : fabric.links())
    cables.push_back({fabric.key(link.a), fabric.key(link.b)});
  std::ranges::sort(cables);
  return cables;
}

bool same_for_watchers(const Port& a, const Port& b) {
  return a.state == b.state && a.physical_state == b.physical_state && a.rate == b.rate &&
         a.lid == b.lid && a.lmc == b.lmc && a.is_subnet_manager == b.is_subnet_manager;
}

void compare_node(const Fabric& before, NodeIndex old_node, const Fabric& after, NodeIndex new_node,
                  FabricDelta& delta) {
  const Node& was = before.node(old_node);
  const Node& is = after.node(new_node);
  if (was.description != is.description)
    delta.renamed.push_back({is.guid, was.description, is.description});
  for (const Port& port : after.ports_of(new_node)) {
    const std::optional<PortIndex> old_port = before.find_port(old_node, port.number);
    if (!old_port || same_for_watchers(before.port(*old_port), port)) continue;
    delta.ports_changed.push_back({{is.guid, port.number}, before.port(*old_port), port});
  }
}

/// The end as people know it, in the snapshot that has it.
std::string end_of(const Fabric& fabric, PortKey key) {
  const std::optional<PortIndex> port = fabric.find_port(key);
  return port ? describe_end(fabric, *port) : to_string(key);
}

std::string node_text(const Fabric& fabric, NodeGuid guid) {
  const Node& node = fabric.node(*fabric.find_node(guid));
  return fmt::format("{} \"{}\" {}", to_string(node.kind), printable(node.description), guid);
}

/// Ports whose cable came or went: their other changes follow from that and are not told again.
std::set<PortKey> recabled(const FabricDelta& delta) {
  std::set<PortKey> ports;
  for (const auto* cables : {&delta.links_added, &delta.links_removed}) {
    for (const FabricDelta::Cable& cable : *cables) {
      ports.insert(cable.a);
      ports.insert(cable.b);
    }
  }
  return ports;
}

class EventWriter {
 public:
  EventWriter(const Fabric& before, const Fabric& after, std::chrono::system_clock::time_point now)
      : before_(before), after_(after), now_(now) {}

  void nodes(const FabricDelta& delta) {
    for (const NodeGuid guid : delta.nodes_removed) {
      add(EventKind::kNodeVanished, Severity::kWarning, {guid, PortNum{}}, std::nullopt,
          fmt::format("{} vanished", node_text(before_, guid)));
    }
    for (const NodeGuid guid : delta.nodes_added) {
      add(EventKind::kNodeAppeared, Severity::kInfo, {guid, PortNum{}}, std::nullopt,
          fmt::format("{} appeared", node_text(after_, guid)));
    }
  }

  void links(const FabricDelta& delta) {
    const auto within = [](const std::vector<NodeGuid>& nodes, const FabricDelta::Cable& cable) {
      return std::ranges::binary_search(nodes, cable.a.node) ||
             std::ranges::binary_search(nodes, cable.b.node);
    };
    for (const FabricDelta::Cable& cable : delta.links_removed) {
      if (within(delta.nodes_removed, cable)) continue;
      add(EventKind::kLinkDown, Severity::kWarning, cable.a, cable.b,
          fmt::format("link down: {} - {}", end_of(before_, cable.a), end_of(before_, cable.b)));
    }
    for (const FabricDelta::Cable& cable : delta.links_added) {
      if (within(delta.nodes_added, cable)) continue;
      add(EventKind::kLinkUp, Severity::kInfo, cable.a, cable.b,
          fmt::format("link up: {} - {}", end_of(after_, cable.a), end_of(after_, cable.b)));
    }
  }

  void ports(const FabricDelta& delta) {
    const std::set<PortKey> skip = recabled(delta);
    for (const FabricDelta::PortChange& change : delta.ports_changed) {
      lid(change);
      if (skip.contains(change.port)) continue;
      rate(change);
      state(change);
    }
  }

  void names(const FabricDelta& delta) {
    for (const FabricDelta::Rename& rename : delta.renamed) {
      add(EventKind::kNameChanged, Severity::kInfo, {rename.node, PortNum{}}, std::nullopt,
          fmt::format("{} is called \"{}\" now, before \"{}\"", rename.node,
                      printable(rename.after), printable(rename.before)));
    }
  }

  [[nodiscard]] std::vector<Event> take() && { return std::move(events_); }

 private:
  void add(EventKind kind, Severity severity, PortKey port, std::optional<PortKey> peer,
           std::string text) {
    events_.push_back({0, now_, kind, severity, port, peer, std::move(text)});
  }

  [[nodiscard]] std::optional<PortKey> peer_of(PortKey key) const {
    const std::optional<PortIndex> port = after_.find_port(key);
    const std::optional<PortIndex> peer = port ? after_.peer(*port) : std::nullopt;
    return peer ? std::optional(after_.key(*peer)) : std::nullopt;
  }

  void rate(const FabricDelta::PortChange& change) {
    if (change.before.rate == change.after.rate) return;
    const bool worse = slower(change.after.rate, change.before.rate);
    add(EventKind::kLinkRateChanged, worse ? Severity::kWarning : Severity::kInfo, change.port,
        peer_of(change.port),
        fmt::format("{} runs at {} now, before {}", end_of(after_, change.port),
                    to_string(change.after.rate), to_string(change.before.rate)));
  }

  void state(const FabricDelta::PortChange& change) {
    if (change.before.state == change.after.state &&
        change.before.physical_state == change.after.physical_state) {
      return;
    }
    add(EventKind::kPortStateChanged, Severity::kInfo, change.port, peer_of(change.port),
        fmt::format("{} is {} ({}) now, before {} ({})", end_of(after_, change.port),
                    to_string(change.after.state), to_string(change.after.physical_state),
                    to_string(change.before.state), to_string(change.before.physical_state)));
  }

  void lid(const FabricDelta::PortChange& change) {
    if (change.before.lid == change.after.lid && change.before.lmc == change.after.lmc) return;
    const auto text = [](const Port& port) {
      return port.lid ? fmt::format("LID {} (LMC {})", *port.lid, port.lmc) : std::string("no LID");
    };
    add(EventKind::kLidChanged, Severity::kInfo, change.port, std::nullopt,
        fmt::format("{} has {} now, before {}", end_of(after_, change.port), text(change.after),
                    text(change.before)));
  }

  const Fabric& before_;
  const Fabric& after_;
  std::chrono::system_clock::time_point now_;
  std::vector<Event> events_;
};

}  // namespace

bool FabricDelta::empty() const noexcept {
  return nodes_added.empty() && nodes_removed.empty() && links_added.empty() &&
         links_removed.empty() && ports_changed.empty() && renamed.empty();
}

FabricDelta compare(const Fabric& before, const Fabric& after) {
  FabricDelta delta;
  const std::span<const Node> old_nodes = before.nodes();
  const std::span<const Node> new_nodes = after.nodes();
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i < old_nodes.size() || j < new_nodes.size()) {
    if (j == new_nodes.size() || (i < old_nodes.size() && old_nodes[i].guid < new_nodes[j].guid)) {
      delta.nodes_removed.push_back(old_nodes[i++].guid);
    } else if (i == old_nodes.size() || new_nodes[j].guid < old_nodes[i].guid) {
      delta.nodes_added.push_back(new_nodes[j++].guid);
    } else {
      compare_node(before, NodeIndex{i++}, after, NodeIndex{j++}, delta);
    }
  }
  const std::vector<FabricDelta::Cable> old_cables = cables_of(before);
  const std::vector<FabricDelta::Cable> new_cables = cables_of(after);
  std::ranges::set_difference(new_cables, old_cables, std::back_inserter(delta.links_added));
  std::ranges::set_difference(old_cables, new_cables, std::back_inserter(delta.links_removed));
  return delta;
}

std::vector<Event> events_of(const FabricDelta& delta, const Fabric& before, const Fabric& after,
                             std::chrono::system_clock::time_point now) {
  EventWriter writer(before, after, now);
  writer.nodes(delta);
  writer.links(delta);
  writer.ports(delta);
  writer.names(delta);
  return std::move(writer).take();
}

}  // namespace heddle::model
