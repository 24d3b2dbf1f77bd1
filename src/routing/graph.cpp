#include "routing/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::routing {

using model::Fabric;
using model::fail;
using model::Lid;
using model::NodeIndex;
using model::NodeKind;
using model::Port;
using model::PortIndex;
using model::PortNum;
using model::SwitchIndex;

model::Result<Graph> Graph::from(const Fabric& fabric) {
  // Names may repeat; identities may not.
  if (!fabric.anomalies().empty()) return fail(to_error(fabric.anomalies().front()));
  Graph graph;
  // First the places of arcs, so that each can name its reverse: by port, kNone where there is
  // none.
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> arc_at(fabric.ports().size(), kNone);
  std::uint32_t arcs = 0;
  for (const NodeIndex node : fabric.switches()) {
    for (std::uint32_t i = 0; i < fabric.ports_of(node).size(); ++i) {
      const PortIndex port{fabric.first_port(node).value() + i};
      const std::optional<PortIndex> peer = fabric.peer(port);
      if (!peer) continue;
      const NodeIndex other = fabric.port(*peer).node;
      if (other != node && fabric.switch_index(other)) arc_at[port.value()] = arcs++;
    }
  }
  graph.arcs_.reserve(arcs);
  for (std::uint32_t s = 0; s < fabric.switches().size(); ++s) {
    const SwitchIndex sw{s};
    const NodeIndex node = fabric.node_of(sw);
    graph.guids_.push_back(fabric.node(node).guid);
    graph.switch_lids_.push_back(fabric.ports_of(node).front().lid);
    for (std::uint32_t i = 0; i < fabric.ports_of(node).size(); ++i) {
      const PortIndex index{fabric.first_port(node).value() + i};
      const Port& port = fabric.port(index);
      PortTarget target;
      const std::optional<PortIndex> peer = fabric.peer(index);
      if (arc_at[index.value()] != kNone) {
        target = {PortTarget::Kind::kSwitch, arc_at[index.value()]};
        graph.arcs_.push_back({.from = sw,
                               .to = *fabric.switch_index(fabric.port(*peer).node),
                               .exit = port.number,
                               .entry = fabric.port(*peer).number,
                               .reverse = ArcIndex{arc_at[peer->value()]}});
      } else if (peer && fabric.port(*peer).node != node) {
        const Port& end = fabric.port(*peer);
        target = {PortTarget::Kind::kTerminal, static_cast<std::uint32_t>(graph.terminals_.size())};
        graph.terminals_.push_back({.port = *peer,
                                    .node = end.node,
                                    .kind = fabric.node(end.node).kind,
                                    .leaf = sw,
                                    .leaf_port = port.number,
                                    .lid = end.lid,
                                    .lmc = end.lmc});
      }
      graph.targets_.push_back(target);
    }
    graph.first_arc_.push_back(static_cast<std::uint32_t>(graph.arcs_.size()));
    graph.first_terminal_.push_back(static_cast<std::uint32_t>(graph.terminals_.size()));
    graph.first_target_.push_back(static_cast<std::uint32_t>(graph.targets_.size()));
    if (const std::optional<Lid> lid = graph.switch_lids_.back()) {
      graph.destinations_.push_back({.lid = *lid, .at = sw, .terminal = std::nullopt});
    }
  }
  for (std::uint32_t t = 0; t < graph.terminals_.size(); ++t) {
    const Terminal& terminal = graph.terminals_[t];
    if (!terminal.lid) continue;
    for (unsigned path = 0; path < 1U << terminal.lmc; ++path) {
      graph.destinations_.push_back(
          {.lid = Lid{static_cast<std::uint16_t>(terminal.lid->value() + path)},
           .at = terminal.leaf,
           .terminal = TerminalIndex{t},
           .path = static_cast<std::uint8_t>(path)});
    }
  }
  std::ranges::sort(graph.destinations_, {}, &Destination::lid);
  std::vector<std::uint32_t>& first = graph.first_destination_at_;
  first.resize(graph.switch_count() + 1);
  for (const Destination& to : graph.destinations_) ++first[to.at.value() + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next = first;
  graph.destinations_at_.resize(graph.destinations_.size());
  graph.place_of_lid_.resize(graph.top_lid().value() + std::size_t{1});
  for (std::uint32_t d = 0; d < graph.destinations_.size(); ++d) {
    graph.place_of_lid_[graph.destinations_[d].lid.value()] = d + 1;
    graph.destinations_at_[next[graph.destinations_[d].at.value()]++] = d;
  }
  return graph;
}

std::string describe_switch(const Fabric& fabric, SwitchIndex sw) {
  const model::Node& node = fabric.node(fabric.node_of(sw));
  return fmt::format("\"{}\" {}", model::printable(node.description), node.guid);
}

}  // namespace heddle::routing
