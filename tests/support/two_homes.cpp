#include "support/two_homes.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace heddle::support {

using model::SwitchIndex;
using routing::Graph;
using routing::TerminalIndex;

namespace {

using Hosts = std::map<std::uint64_t, std::vector<TerminalIndex>>;

/// Terminals by what the adapters of a host have in common.
Hosts terminals_by_host(const model::Fabric& fabric, const Graph& graph) {
  Hosts hosts;
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const model::Node& node = fabric.node(graph.terminal(TerminalIndex{t}).node);
    if (node.kind != model::NodeKind::kHostAdapter) continue;
    hosts[node.system_guid ? node.system_guid->value() : node.guid.value()].push_back(
        TerminalIndex{t});
  }
  return hosts;
}

/// Switches on the way from a leaf to a terminal, the leaf left out.
std::vector<SwitchIndex> way(const Graph& graph, const model::ForwardingTables& tables,
                             SwitchIndex leaf, TerminalIndex to) {
  const routing::Terminal& terminal = graph.terminal(to);
  const model::Lid lid = terminal.lid.value();
  std::vector<SwitchIndex> on_it;
  for (SwitchIndex at = leaf; at != terminal.leaf; on_it.push_back(at)) {
    const routing::PortTarget next = graph.target(at, model::PortNum{tables.row(at)[lid.value()]});
    if (next.kind != routing::PortTarget::Kind::kSwitch) throw std::logic_error("no way");
    at = graph.arc(routing::ArcIndex{next.index}).to;
  }
  return on_it;
}

}  // namespace

std::vector<Homes> homes_of(const model::Fabric& fabric, const Graph& graph) {
  std::vector<Homes> all;
  for (const auto& [host, ports] : terminals_by_host(fabric, graph)) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      for (std::size_t k = i + 1; k < ports.size(); ++k) all.push_back({ports[i], ports[k]});
    }
  }
  return all;
}

SharedWays shared_ways(const model::Fabric& fabric, const Graph& graph,
                       const model::ForwardingTables& tables) {
  SharedWays found;
  for (const Homes& homes : homes_of(fabric, graph)) {
    const SwitchIndex first_leaf = graph.terminal(homes.first).leaf;
    const SwitchIndex second_leaf = graph.terminal(homes.second).leaf;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      const SwitchIndex leaf{s};
      if (graph.terminals_of(leaf).empty() || leaf == first_leaf || leaf == second_leaf) continue;
      const auto first = way(graph, tables, leaf, homes.first);
      const auto second = way(graph, tables, leaf, homes.second);
      ++found.ways;
      if (std::ranges::find_first_of(first, second) != first.end()) ++found.shared;
    }
  }
  return found;
}

std::uint64_t hosts_cut_off(const model::Fabric& fabric, const Graph& graph,
                            const routing::Availability& availability) {
  const Hosts hosts = terminals_by_host(fabric, graph);
  return static_cast<std::uint64_t>(std::ranges::count_if(hosts, [&](const auto& host) {
    return std::ranges::none_of(host.second,
                                [&](TerminalIndex t) { return availability.usable(graph, t); });
  }));
}

}  // namespace heddle::support
