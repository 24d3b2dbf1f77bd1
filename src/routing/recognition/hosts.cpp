#include "routing/recognition/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace heddle::routing::recognition {
namespace {

/// `host` and `HCA-1` of `host HCA-1`: the last word is the device.
std::pair<std::string_view, std::string_view> split_name(std::string_view description) {
  const std::size_t space = description.rfind(' ');
  if (space == std::string_view::npos) return {description, {}};
  return {description.substr(0, space), description.substr(space + 1)};
}

/// Numbers compare as numbers: `mlx5_2` before `mlx5_10`.
bool in_natural_order(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const auto run = [&](std::string_view s) {
        return static_cast<std::size_t>(std::ranges::find_if_not(s, digit) - s.begin());
      };
      const std::string_view x = a.substr(0, run(a));
      const std::string_view y = b.substr(0, run(b));
      if (x != y) return std::tuple(x.size(), x) < std::tuple(y.size(), y);
      a.remove_prefix(x.size());
      b.remove_prefix(y.size());
    } else if (a.front() != b.front()) {
      return a.front() < b.front();
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

/// Terminals of host adapters by system image GUID, else by node.
std::vector<std::vector<TerminalIndex>> by_system(const model::Fabric& fabric, const Graph& graph) {
  std::map<std::uint64_t, std::size_t> place;
  std::vector<std::vector<TerminalIndex>> systems;
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const Terminal& terminal = graph.terminal(TerminalIndex{t});
    if (terminal.kind != model::NodeKind::kHostAdapter) continue;
    const model::Node& node = fabric.node(terminal.node);
    const bool named = node.system_guid && node.system_guid->value() != 0;
    const std::uint64_t key = named ? node.system_guid->value() : node.guid.value();
    const auto [found, added] = place.try_emplace(key, systems.size());
    if (added) systems.emplace_back();
    systems[found->second].push_back(TerminalIndex{t});
  }
  return systems;
}

}  // namespace

std::vector<std::vector<HostPort>> hosts_of(const model::Fabric& fabric, const Graph& graph) {
  const auto node_of = [&](TerminalIndex t) -> const model::Node& {
    return fabric.node(graph.terminal(t).node);
  };
  const std::vector<std::vector<TerminalIndex>> systems = by_system(fabric, graph);
  // Systems of one adapter are joined by name.
  std::map<std::string_view, std::vector<std::size_t>> named;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const model::NodeIndex first = graph.terminal(systems[s].front()).node;
    const bool one_adapter = std::ranges::all_of(
        systems[s], [&](TerminalIndex t) { return graph.terminal(t).node == first; });
    const auto [host, device] = split_name(fabric.node(first).description);
    if (one_adapter && !device.empty()) named[host].push_back(s);
  }
  std::vector<std::size_t> joined_to(systems.size());
  for (std::size_t s = 0; s < systems.size(); ++s) joined_to[s] = s;
  for (const auto& [host, adapters] : named) {
    std::set<std::string_view> descriptions;
    for (const std::size_t s : adapters) {
      descriptions.insert(node_of(systems[s].front()).description);
    }
    if (descriptions.size() != adapters.size()) continue;
    for (const std::size_t s : adapters) joined_to[s] = adapters.front();
  }
  std::vector<std::vector<HostPort>> hosts(systems.size());
  for (std::size_t s = 0; s < systems.size(); ++s) {
    for (const TerminalIndex t : systems[s]) {
      const std::string_view device = split_name(node_of(t).description).second;
      const model::PortNum port = fabric.port(graph.terminal(t).port).number;
      hosts[joined_to[s]].push_back({t, fmt::format("{}/{}", device, port)});
    }
  }
  std::erase_if(hosts, [](const auto& ports) { return ports.empty(); });
  for (auto& ports : hosts) {
    std::ranges::sort(ports, [&](const HostPort& a, const HostPort& b) {
      if (a.place != b.place) return in_natural_order(a.place, b.place);
      return graph.terminal(a.terminal).port < graph.terminal(b.terminal).port;
    });
  }
  return hosts;
}

std::vector<std::uint8_t> rails_of(const Graph& graph,
                                   const std::vector<std::vector<HostPort>>& hosts) {
  std::size_t ports = 0;
  std::size_t of_several = 0;
  std::map<std::size_t, std::size_t> hosts_by_ports;
  for (const auto& host : hosts) {
    ports += host.size();
    if (host.size() < 2) continue;
    of_several += host.size();
    ++hosts_by_ports[host.size()];
  }
  if (ports == 0 || 5 * of_several < 4 * ports) return {};
  const std::size_t rails =
      std::ranges::max_element(hosts_by_ports, {}, [](const auto& x) { return x.second; })->first;
  if (rails > 64) return {};
  // Whole hosts teach which place is which rail; hosts that lack a port know theirs from it.
  std::map<std::string_view, std::vector<std::size_t>> taught;
  for (const auto& host : hosts) {
    if (host.size() != rails) continue;
    for (std::size_t i = 0; i < rails; ++i) {
      auto& votes = taught[host[i].place];
      votes.resize(rails);
      ++votes[i];
    }
  }
  std::vector<std::vector<std::size_t>> votes_at(graph.switch_count());
  for (const auto& host : hosts) {
    if (host.size() < 2) continue;
    for (const HostPort& port : host) {
      const auto known = taught.find(port.place);
      if (known == taught.end()) continue;
      auto& votes = votes_at[graph.terminal(port.terminal).leaf.value()];
      votes.resize(rails);
      ++votes[static_cast<std::size_t>(std::ranges::max_element(known->second) -
                                       known->second.begin())];
    }
  }
  // A leaf's rail, and whether leaves keep to theirs: nine ports of ten.
  std::vector<std::uint8_t> rail_at(graph.switch_count(), 0);
  std::size_t kept = 0;
  std::size_t all = 0;
  std::set<std::uint8_t> used;
  for (std::size_t s = 0; s < votes_at.size(); ++s) {
    if (votes_at[s].empty()) continue;
    const auto most = std::ranges::max_element(votes_at[s]);
    rail_at[s] = static_cast<std::uint8_t>(most - votes_at[s].begin());
    used.insert(rail_at[s]);
    kept += *most;
    for (const std::size_t votes : votes_at[s]) all += votes;
  }
  if (used.size() < 2 || 10 * kept < 9 * all) return {};
  std::vector<std::uint8_t> rail;
  for (const Terminal& terminal : graph.terminals()) rail.push_back(rail_at[terminal.leaf.value()]);
  return rail;
}

}  // namespace heddle::routing::recognition
