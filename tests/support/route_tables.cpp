#include "support/route_tables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace heddle::support {

using model::ForwardingTables;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Availability;
using routing::Destination;
using routing::Graph;

namespace {

constexpr std::uint32_t kFar = ~std::uint32_t{0};

std::vector<std::uint32_t> distances(const Graph& graph, const Availability& availability,
                                     std::vector<SwitchIndex> queue) {
  std::vector<std::uint32_t> distance(graph.switch_count(), kFar);
  for (const SwitchIndex start : queue) distance[start.value()] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchIndex at = queue[head];
    for (std::uint32_t a = 0; a < graph.arcs_of(at).size(); ++a) {
      const ArcIndex arc{graph.first_arc(at).value() + a};
      const SwitchIndex to = graph.arc(arc).to;
      if (!availability.usable(graph, arc) || distance[to.value()] != kFar) continue;
      distance[to.value()] = distance[at.value()] + 1;
      queue.push_back(to);
    }
  }
  return distance;
}

ForwardingTables empty_tables(const Graph& graph) {
  ForwardingTables tables(graph.switch_count(), graph.top_lid());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) tables.mark_known(SwitchIndex{s});
  return tables;
}

std::uint8_t last_port(const Graph& graph, const Destination& destination) {
  return destination.terminal ? graph.terminal(*destination.terminal).leaf_port.value() : 0;
}

/// Cables to a neighbour, in order of port.
using Neighbours = std::map<SwitchIndex, std::vector<ArcIndex>>;

struct Tree {
  std::vector<std::uint32_t> level;
  std::vector<Neighbours> up;
  std::vector<Neighbours> down;
  /// Product of the numbers of parents below each level.
  std::vector<std::uint32_t> stride;
};

Tree tree_of(const Graph& graph) {
  std::vector<SwitchIndex> leaves;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (!graph.terminals_of(SwitchIndex{s}).empty()) leaves.emplace_back(s);
  }
  Tree tree;
  tree.level = distances(graph, Availability(graph), leaves);
  tree.up.resize(graph.switch_count());
  tree.down.resize(graph.switch_count());
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    const bool up = tree.level[arc.to.value()] > tree.level[arc.from.value()];
    (up ? tree.up : tree.down)[arc.from.value()][arc.to].push_back(ArcIndex{a});
  }
  tree.stride.assign(*std::ranges::max_element(tree.level) + std::size_t{1}, 1);
  for (std::uint32_t level = 1; level < tree.stride.size(); ++level) {
    const auto below = std::ranges::find(tree.level, level - 1) - tree.level.begin();
    tree.stride[level] =
        tree.stride[level - 1] *
        static_cast<std::uint32_t>(tree.up[static_cast<std::size_t>(below)].size());
  }
  return tree;
}

std::uint8_t port_up(const Graph& graph, const Tree& tree, SwitchIndex at, std::uint32_t rank) {
  const Neighbours& parents = tree.up[at.value()];
  if (parents.empty()) return ForwardingTables::kNoPort;
  const std::size_t cables = parents.begin()->second.size();
  const std::size_t q = rank / tree.stride[tree.level[at.value()]] % (parents.size() * cables);
  const auto parent = std::next(parents.begin(), static_cast<std::ptrdiff_t>(q % parents.size()));
  return graph.arc(parent->second[q / parents.size()]).exit.value();
}

}  // namespace

ForwardingTables shortest_tables(const Graph& graph, const Availability& availability) {
  ForwardingTables tables = empty_tables(graph);
  for (const Destination& destination : graph.destinations()) {
    if (!availability.usable(graph, destination)) continue;
    const auto distance = distances(graph, availability, {destination.at});
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      std::uint8_t& entry = tables.row(SwitchIndex{s})[destination.lid.value()];
      if (distance[s] == kFar) continue;
      if (distance[s] == 0) {
        entry = last_port(graph, destination);
        continue;
      }
      std::vector<std::uint8_t> nearer;
      for (std::uint32_t a = 0; a < graph.arcs_of(SwitchIndex{s}).size(); ++a) {
        const ArcIndex arc{graph.first_arc(SwitchIndex{s}).value() + a};
        if (availability.usable(graph, arc) && distance[graph.arc(arc).to.value()] < distance[s]) {
          nearer.push_back(graph.arc(arc).exit.value());
        }
      }
      entry = nearer[destination.lid.value() % nearer.size()];
    }
  }
  return tables;
}

ForwardingTables d_mod_k_tables(const Graph& graph) {
  ForwardingTables tables = empty_tables(graph);
  const Tree tree = tree_of(graph);
  std::vector<std::optional<SwitchIndex>> child(graph.switch_count());  // toward the destination
  for (const Destination& destination : graph.destinations()) {
    const std::uint32_t rank =
        destination.terminal ? destination.terminal->value() : destination.at.value();
    std::ranges::fill(child, std::nullopt);
    std::vector<SwitchIndex> above{destination.at};
    for (std::size_t head = 0; head < above.size(); ++head) {
      for (const auto& [parent, cables] : tree.up[above[head].value()]) {
        if (child[parent.value()]) continue;
        child[parent.value()] = above[head];
        above.push_back(parent);
      }
    }
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      std::uint8_t& entry = tables.row(SwitchIndex{s})[destination.lid.value()];
      if (SwitchIndex{s} == destination.at) {
        entry = last_port(graph, destination);
      } else if (child[s]) {
        const auto& cables = tree.down[s].at(*child[s]);
        const std::size_t parents = tree.up[child[s]->value()].size();
        const std::size_t q = rank / tree.stride[tree.level[child[s]->value()]] / parents;
        entry = graph.arc(cables[q % cables.size()]).exit.value();
      } else {
        entry = port_up(graph, tree, SwitchIndex{s}, rank);
      }
    }
  }
  return tables;
}

}  // namespace heddle::support
