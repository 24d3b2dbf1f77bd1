#include "routing/memory.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "model/fabric_builder.hpp"

namespace heddle::routing {

using model::Fabric;
using model::NodeIndex;
using model::Port;
using model::PortIndex;
using model::PortKey;

namespace {

/// Whether the present fabric leaves room for a remembered end of a cable.
bool is_free(const Fabric& present, PortKey key) {
  if (!present.find_node(key.node)) return true;
  const std::optional<PortIndex> port = present.find_port(key);
  return port && !present.peer(*port);
}

bool lids_free(const Fabric& present, const Port& port) {
  if (!port.lid) return true;
  for (unsigned i = 0; i < 1U << port.lmc; ++i) {
    const unsigned lid = port.lid->value() + i;
    if (lid > model::kMaxUnicastLid.value() ||
        present.find_lid(model::Lid{static_cast<std::uint16_t>(lid)})) {
      return false;
    }
  }
  return true;
}

}  // namespace

Fabric remember(const Fabric& present, const Fabric& remembered) {
  model::FabricBuilder builder(present.name());
  for (const model::Node& node : present.nodes()) builder.add_node(node);
  for (const Port& port : present.ports()) builder.set_port(present.node(port.node).guid, port);
  for (const model::Anomaly& anomaly : present.anomalies()) builder.report(anomaly);
  for (const model::Link& link : present.links()) {
    builder.connect(present.key(link.a), present.key(link.b));
  }
  std::vector<model::Link> kept;
  std::vector<bool> is_needed(remembered.nodes().size());
  for (const model::Link& link : remembered.links()) {
    const PortKey a = remembered.key(link.a);
    const PortKey b = remembered.key(link.b);
    if (!is_free(present, a) || !is_free(present, b)) continue;
    kept.push_back(link);
    is_needed[remembered.port(link.a).node.value()] = true;
    is_needed[remembered.port(link.b).node.value()] = true;
  }
  for (std::uint32_t n = 0; n < remembered.nodes().size(); ++n) {
    const model::Node& node = remembered.node(NodeIndex{n});
    if (!is_needed[n] || present.find_node(node.guid)) continue;
    builder.add_node(node);
    for (Port port : remembered.ports_of(NodeIndex{n})) {
      if (!lids_free(present, port)) {
        port.lid.reset();
        port.lmc = 0;
      }
      builder.set_port(node.guid, std::move(port));
    }
  }
  for (const model::Link& link : kept) {
    builder.connect(remembered.key(link.a), remembered.key(link.b));
  }
  for (const model::UnresolvedPeer& peer : present.unresolved()) {
    builder.connect_unresolved(present.key(peer.port), peer.peer, peer.peer_port, peer.description);
  }
  return std::move(builder).build();
}

Availability present_in(const Fabric& whole, const Graph& graph, const Fabric& present) {
  Availability availability(graph);
  const auto is_cabled = [&](model::SwitchIndex sw, model::PortNum port) {
    const std::optional<PortIndex> found = present.find_port({graph.guid(sw), port});
    return found && present.peer(*found);
  };
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (!present.find_node(graph.guid(model::SwitchIndex{s}))) {
      availability.take_down(model::SwitchIndex{s});
    }
  }
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    if (!is_cabled(arc.from, arc.exit)) availability.take_down(graph, ArcIndex{a});
  }
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const Terminal& terminal = graph.terminal(TerminalIndex{t});
    const bool is_there = present.find_node(whole.node(terminal.node).guid).has_value();
    if (!is_there || !is_cabled(terminal.leaf, terminal.leaf_port)) {
      availability.take_down(TerminalIndex{t});
    }
  }
  return availability;
}

}  // namespace heddle::routing
