#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

/// A judge of tables that is obvious rather than fast, for small fabrics: what fast code says is
/// compared with it.
namespace heddle::support {

struct SlowVerdict {
  std::uint64_t pairs = 0;        ///< (source, LID elsewhere), of sources and destinations in use
  std::uint64_t unconnected = 0;  ///< no cabling leads there
  std::uint64_t unreachable = 0;
  std::uint64_t looping = 0;
  std::uint64_t longer_than_shortest = 0;
  std::uint64_t extra_hops = 0;
  std::uint32_t longest_hops = 0;  ///< cables, those of the hosts included
  std::uint16_t lanes_used = 0;    ///< a bit a VL
  bool cyclic = false;             ///< the channel dependency graph over (channel, VL) has a cycle
  [[nodiscard]] bool good() const noexcept { return unreachable == 0 && looping == 0 && !cyclic; }
  bool operator==(const SlowVerdict&) const = default;
};

enum class SlowSources : std::uint8_t { kTerminals, kTerminalsAndSwitches };

/// Switches by the number of cables between them and `from`; absent where no usable cable leads.
[[nodiscard]] inline std::map<model::SwitchIndex, std::uint32_t> slow_distances(
    const routing::Graph& graph, const routing::Availability& availability,
    model::SwitchIndex from) {
  std::map<model::SwitchIndex, std::uint32_t> distance;
  if (!availability.up(from)) return distance;
  std::vector<model::SwitchIndex> queue{from};
  distance[from] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      const routing::Arc& arc = graph.arc(routing::ArcIndex{a});
      if (arc.from != queue[head] || !availability.usable(graph, routing::ArcIndex{a})) continue;
      if (distance.emplace(arc.to, distance.at(arc.from) + 1).second) queue.push_back(arc.to);
    }
  }
  return distance;
}

/// Whether a graph given by its edges has a cycle: whether something remains when nodes that
/// nothing leads to are taken away again and again (Kahn, 1962).
template <class Node>
[[nodiscard]] bool slow_has_cycle(const std::set<std::pair<Node, Node>>& edges) {
  std::map<Node, std::size_t> incoming;
  for (const auto& [from, to] : edges) {
    incoming.try_emplace(from, 0);
    ++incoming[to];
  }
  std::vector<Node> free;
  for (const auto& [node, count] : incoming) {
    if (count == 0) free.push_back(node);
  }
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const Node node = free.back();
    free.pop_back();
    for (auto edge = edges.lower_bound({node, Node{}}); edge != edges.end() && edge->first == node;
         ++edge) {
      if (--incoming[edge->second] == 0) free.push_back(edge->second);
    }
  }
  return taken != incoming.size();
}

/// Walks every pair. Packets of a terminal enter on its leaf port, those of a switch on port 0.
[[nodiscard]] inline SlowVerdict slow_check(const routing::Graph& graph,
                                            const routing::Availability& availability,
                                            const model::ForwardingTables& tables,
                                            const routing::Lanes& lanes,
                                            SlowSources sources = SlowSources::kTerminals,
                                            std::uint32_t max_hops = 64) {
  using routing::ArcIndex;
  using routing::ChannelLane;
  using routing::Destination;
  using routing::PortTarget;
  SlowVerdict verdict;
  std::set<std::pair<ChannelLane, ChannelLane>> dependencies;

  const auto walk = [&](model::SwitchIndex source, model::PortNum entry, std::uint32_t shortest,
                        std::uint32_t end_cables, const Destination& destination) {
    const model::Sl sl = lanes.levels.sl(source, destination.lid);
    model::SwitchIndex at = source;
    std::optional<ChannelLane> held;
    std::uint32_t hops = end_cables;
    while (true) {
      const std::optional<model::PortNum> exit = tables.port(at, destination.lid);
      if (!exit) return void(++verdict.unreachable);
      const PortTarget target = graph.target(at, *exit);
      const bool arrives = at == destination.at &&
                           (destination.terminal ? target.kind == PortTarget::Kind::kTerminal &&
                                                       target.index == destination.terminal->value()
                                                 : exit->value() == 0);
      if (arrives) break;
      if (target.kind != PortTarget::Kind::kSwitch ||
          !availability.usable(graph, ArcIndex{target.index})) {
        return void(++verdict.unreachable);
      }
      if (++hops > max_hops) return void(++verdict.looping);
      const ChannelLane wanted{ArcIndex{target.index}, lanes.maps.vl(at, entry, *exit, sl)};
      verdict.lanes_used =
          static_cast<std::uint16_t>(verdict.lanes_used | (1U << wanted.vl.value()));
      if (held) dependencies.emplace(*held, wanted);
      held = wanted;
      entry = graph.arc(wanted.arc).entry;
      at = graph.arc(wanted.arc).to;
    }
    verdict.longest_hops = std::max(verdict.longest_hops, hops);
    if (hops > shortest + end_cables) {
      ++verdict.longer_than_shortest;
      verdict.extra_hops += hops - shortest - end_cables;
    }
  };

  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const model::SwitchIndex source{s};
    if (!availability.up(source)) continue;
    const auto distances = slow_distances(graph, availability, source);
    const auto from = [&](model::PortNum entry, std::optional<model::NodeIndex> node) {
      for (const Destination& destination : graph.destinations()) {
        const bool own = destination.terminal
                             ? node && graph.terminal(*destination.terminal).node == *node
                             : !node && destination.at == source;
        if (own || !availability.usable(graph, destination)) continue;
        ++verdict.pairs;
        const auto distance = distances.find(destination.at);
        if (distance == distances.end()) {
          ++verdict.unconnected;
        } else {
          walk(source, entry, distance->second, (node ? 1U : 0U) + (destination.terminal ? 1U : 0U),
               destination);
        }
      }
    };
    for (std::uint32_t t = 0; t < graph.terminals_of(source).size(); ++t) {
      const routing::TerminalIndex terminal{graph.first_terminal(source).value() + t};
      if (!availability.usable(graph, terminal)) continue;
      from(graph.terminal(terminal).leaf_port, graph.terminal(terminal).node);
    }
    if (sources == SlowSources::kTerminalsAndSwitches) from(model::PortNum{}, std::nullopt);
  }
  verdict.cyclic = slow_has_cycle(dependencies);
  return verdict;
}

}  // namespace heddle::support
