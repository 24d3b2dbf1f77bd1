#include "model/fabric_summary.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace heddle::model {
namespace {

constexpr std::uint32_t kUnvisited = std::numeric_limits<std::uint32_t>::max();

/// Neighbours of a node, once a cable.
template <class Visit>
void for_each_neighbour(const Fabric& fabric, NodeIndex node, Visit visit) {
  const std::uint32_t first = fabric.first_port(node).value();
  for (std::uint32_t i = 0; i < fabric.ports_of(node).size(); ++i) {
    const std::optional<PortIndex> peer = fabric.peer(PortIndex{first + i});
    if (peer) visit(fabric.port(*peer).node);
  }
}

bool is_down(const Port& port) {
  if (port.number == PortNum{}) return false;
  if (port.state == PortState::kDown) return true;
  return port.physical_state != PhysicalState::kUnknown &&
         port.physical_state != PhysicalState::kLinkUp;
}

/// What a port may train at: what it supports, less what the operator has not enabled.
template <class Set>
Set allowed(Set supported, Set enabled) {
  return enabled.empty() ? supported : supported.common(enabled);
}

/// The best that both ends may train at; unknown if one does not say.
LinkRate possible_at_both(const Fabric& fabric, const Link& link) {
  const Port& a = fabric.port(link.a);
  const Port& b = fabric.port(link.b);
  return {allowed(a.widths_supported, a.widths_enabled)
              .best_common(allowed(b.widths_supported, b.widths_enabled)),
          allowed(a.speeds_supported, a.speeds_enabled)
              .best_common(allowed(b.speeds_supported, b.speeds_enabled))};
}

/// What makes links siblings: one switch, and peers of one sort (a host, or a switch of one level).
struct SiblingGroup {
  NodeIndex node;
  NodeKind peer_kind;
  std::uint8_t peer_level;
  auto operator<=>(const SiblingGroup&) const = default;
};

/// The rate that most of a group runs at, if at least three quarters of it (and two links) do at
/// least that.
class SiblingRates {
 public:
  SiblingRates(const Fabric& fabric, const std::vector<std::optional<std::uint8_t>>& levels)
      : fabric_(fabric), levels_(levels) {
    for (const Link& link : fabric.links()) {
      const LinkRate rate = rate_of(fabric, link);
      if (!data_rate(rate)) continue;
      for_each_group(link, [&](const SiblingGroup& group) { rates_[group].push_back(rate); });
    }
    for (auto& [group, rates] : rates_) {
      std::ranges::sort(rates, [](LinkRate x, LinkRate y) { return slower(x, y); });
    }
  }

  /// What the siblings of `link` run at if that is more than `active`.
  [[nodiscard]] std::optional<LinkRate> expected(const Link& link, LinkRate active) const {
    std::optional<LinkRate> best;
    for_each_group(link, [&](const SiblingGroup& group) {
      const auto found = rates_.find(group);
      if (found == rates_.end()) return;
      // A quarter from below: three quarters run at this or more.
      const std::vector<LinkRate>& rates = found->second;
      if (rates.size() < 4) return;
      const LinkRate usual = rates[rates.size() / 4];
      if (slower(active, usual) && (!best || slower(*best, usual))) best = usual;
    });
    return best;
  }

 private:
  template <class Visit>
  void for_each_group(const Link& link, Visit visit) const {
    for (const auto& [own, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      const NodeIndex node = fabric_.port(own).node;
      const NodeIndex peer = fabric_.port(other).node;
      if (!fabric_.switch_index(node)) continue;
      const std::optional<SwitchIndex> peer_switch = fabric_.switch_index(peer);
      const std::uint8_t level =
          peer_switch ? levels_[peer_switch->value()].value_or(255) : std::uint8_t{0};
      visit(SiblingGroup{node, fabric_.node(peer).kind, level});
    }
  }

  const Fabric& fabric_;
  const std::vector<std::optional<std::uint8_t>>& levels_;
  std::map<SiblingGroup, std::vector<LinkRate>> rates_;
};

/// The fastest cable between each pair of nodes that has several.
std::map<std::pair<NodeIndex, NodeIndex>, LinkRate> bundle_rates(const Fabric& fabric) {
  std::map<std::pair<NodeIndex, NodeIndex>, LinkRate> best;
  for (const Link& link : fabric.links()) {
    const LinkRate rate = rate_of(fabric, link);
    const auto [entry, fresh] =
        best.try_emplace({fabric.port(link.a).node, fabric.port(link.b).node}, rate);
    if (!fresh && (!data_rate(entry->second) || slower(entry->second, rate))) entry->second = rate;
  }
  return best;
}

}  // namespace

LinkRate rate_of(const Fabric& fabric, const Link& link) noexcept {
  const LinkRate a = fabric.port(link.a).rate;
  const LinkRate b = fabric.port(link.b).rate;
  if (!data_rate(a)) return b;
  return slower(b, a) ? b : a;
}

std::string_view to_string(DegradedLink::Against against) noexcept {
  switch (against) {
    case DegradedLink::Against::kSupported:
      return "supported";
    case DegradedLink::Against::kParallel:
      return "parallel";
    case DegradedLink::Against::kSiblings:
      return "siblings";
  }
  return "supported";
}

std::vector<std::optional<std::uint8_t>> switch_levels(const Fabric& fabric) {
  std::vector<std::optional<std::uint8_t>> levels(fabric.switches().size());
  std::vector<NodeIndex> frontier;
  const auto reach = [&](NodeIndex node, std::uint8_t level) {
    const std::optional<SwitchIndex> sw = fabric.switch_index(node);
    if (!sw || levels[sw->value()]) return;
    levels[sw->value()] = level;
    frontier.push_back(node);
  };
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    if (fabric.nodes()[i].kind != NodeKind::kHostAdapter) continue;
    for_each_neighbour(fabric, NodeIndex{i}, [&](NodeIndex peer) { reach(peer, 0); });
  }
  for (std::uint8_t level = 1; !frontier.empty() && level < 255; ++level) {
    const std::vector<NodeIndex> reached = std::exchange(frontier, {});
    for (const NodeIndex node : reached) {
      for_each_neighbour(fabric, node, [&](NodeIndex peer) { reach(peer, level); });
    }
  }
  return levels;
}

std::vector<std::uint32_t> components(const Fabric& fabric) {
  std::vector<std::uint32_t> component(fabric.nodes().size(), kUnvisited);
  std::vector<NodeIndex> stack;
  for (std::uint32_t start = 0; start < component.size(); ++start) {
    if (component[start] != kUnvisited) continue;
    component[start] = start;
    stack.push_back(NodeIndex{start});
    while (!stack.empty()) {
      const NodeIndex node = stack.back();
      stack.pop_back();
      for_each_neighbour(fabric, node, [&](NodeIndex peer) {
        if (component[peer.value()] != kUnvisited) return;
        component[peer.value()] = start;
        stack.push_back(peer);
      });
    }
  }
  return component;
}

FabricSummary summarise(const Fabric& fabric) {
  FabricSummary summary;
  for (const Node& node : fabric.nodes()) ++summary.nodes_by_kind[node.kind];
  summary.links = fabric.links().size();
  for (const Link& link : fabric.links()) ++summary.links_by_rate[to_string(rate_of(fabric, link))];
  summary.unresolved = fabric.unresolved().size();
  summary.ports_down = static_cast<std::size_t>(std::ranges::count_if(fabric.ports(), is_down));
  for (const std::optional<std::uint8_t>& level : switch_levels(fabric)) {
    if (!level) {
      ++summary.switches_without_level;
      continue;
    }
    if (summary.switches_by_level.size() <= *level)
      summary.switches_by_level.resize(*level + std::size_t{1});
    ++summary.switches_by_level[*level];
  }
  std::map<std::uint32_t, std::size_t> sizes;
  for (const std::uint32_t component : components(fabric)) ++sizes[component];
  for (const auto& [component, size] : sizes) summary.component_sizes.push_back(size);
  std::ranges::sort(summary.component_sizes, std::greater<>{});
  return summary;
}

std::vector<DuplicateName> duplicate_names(const Fabric& fabric) {
  std::map<std::pair<NodeKind, std::string>, std::vector<NodeGuid>> by_name;
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::kAggregationNode || node.kind == NodeKind::kUnknown) continue;
    by_name[{node.kind, node.description}].push_back(node.guid);
  }
  std::vector<DuplicateName> duplicates;
  for (auto& [name, nodes] : by_name) {
    if (nodes.size() > 1) duplicates.push_back({name.first, name.second, std::move(nodes)});
  }
  return duplicates;
}

std::vector<DegradedLink> degraded_links(const Fabric& fabric) {
  const std::vector<std::optional<std::uint8_t>> levels = switch_levels(fabric);
  const SiblingRates siblings(fabric, levels);
  const auto bundles = bundle_rates(fabric);
  std::vector<DegradedLink> degraded;
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
    const Link& link = fabric.links()[i];
    const LinkRate active = rate_of(fabric, link);
    if (!data_rate(active)) continue;
    const auto note = [&](LinkRate expected, DegradedLink::Against against) {
      degraded.push_back({LinkIndex{i}, active, expected, against});
    };
    const LinkRate possible = possible_at_both(fabric, link);
    const LinkRate bundle = bundles.at({fabric.port(link.a).node, fabric.port(link.b).node});
    if (slower(active, possible)) {
      note(possible, DegradedLink::Against::kSupported);
    } else if (slower(active, bundle)) {
      note(bundle, DegradedLink::Against::kParallel);
    } else if (const std::optional<LinkRate> usual = siblings.expected(link, active)) {
      note(*usual, DegradedLink::Against::kSiblings);
    }
  }
  return degraded;
}

std::string describe_end(const Fabric& fabric, PortIndex port) {
  const PortKey key = fabric.key(port);
  return fmt::format("\"{}\" {} port {}",
                     printable(fabric.node(fabric.port(port).node).description), key.node,
                     key.port);
}

}  // namespace heddle::model
