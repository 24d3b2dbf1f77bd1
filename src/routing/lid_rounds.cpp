#include "routing/lid_rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "routing/follow_lanes.hpp"
#include "routing/sources.hpp"

namespace heddle::routing {

using model::Lid;
using model::Sl;
using model::SwitchIndex;

namespace {

using Node = DependencySet::Node;
using Edge = std::pair<Node, Node>;
using Edges = std::set<Edge>;
constexpr std::uint32_t kNoRound = ~std::uint32_t{0};

/// Dependencies by how many reasons there are for each; never with a cycle but what was added as
/// it was.
class CountedEdges {
 public:
  void put(const Edge& edge) { ++wanted_[edge.first][edge.second]; }
  void take(const Edges& edges) {
    for (const Edge& edge : edges) {
      auto& of = wanted_[edge.first];
      if (--of[edge.second] == 0) of.erase(edge.second);
    }
  }
  /// All of them, or none if that would close a cycle.
  [[nodiscard]] bool add(const Edges& edges) {
    Edges added;
    for (const Edge& edge : edges) {
      if (!wanted_[edge.first].contains(edge.second) && leads(edge.second, edge.first)) {
        take(added);
        return false;
      }
      put(edge);
      added.insert(edge);
    }
    return true;
  }

 private:
  [[nodiscard]] bool leads(Node from, Node to) const {
    std::set<Node> seen{from};
    std::vector<Node> queue{from};
    while (!queue.empty()) {
      const Node at = queue.back();
      queue.pop_back();
      if (at == to) return true;
      const auto of = wanted_.find(at);
      if (of == wanted_.end()) continue;
      for (const auto& [next, reasons] : of->second) {
        if (seen.insert(next).second) queue.push_back(next);
      }
    }
    return false;
  }

  std::map<Node, std::map<Node, std::uint32_t>> wanted_;
};

class Dealer {
 public:
  explicit Dealer(const ClashingChange& change)
      : change_(change), sources_(change.graph, change.availability) {
    DependencySet both = change.old;
    both.merge(change.fresh);
    component_ = both.components();
    both.for_each([&](const ChannelLane& held, const ChannelLane& wanted) {
      if (on_cycle(held, wanted) && in_old(held, wanted) && in_fresh(held, wanted)) {
        edges_.put({both.node(held), both.node(wanted)});
      }
    });
    for (const Lid lid : change.lids) {
      old_.push_back(edges_of(change.before.tables, {&change.before.maps, &change.after.maps}, lid,
                              change.old, change.fresh));
      fresh_.push_back(
          edges_of(change.after.tables, {&change.after.maps}, lid, change.fresh, change.old));
      for (const Edge& edge : old_.back()) edges_.put(edge);
    }
  }

  [[nodiscard]] std::vector<LidRound> deal() &&;

 private:
  [[nodiscard]] bool on_cycle(const ChannelLane& held, const ChannelLane& wanted) const {
    const std::uint32_t component = component_[change_.old.node(held)];
    return component != 0 && component == component_[change_.old.node(wanted)];
  }
  [[nodiscard]] bool in(const DependencySet& set, const ChannelLane& held,
                        const ChannelLane& wanted) const {
    return set.contains(held, change_.graph.arc(held.arc).to, wanted);
  }
  [[nodiscard]] bool in_old(const ChannelLane& held, const ChannelLane& wanted) const {
    return in(change_.old, held, wanted);
  }
  [[nodiscard]] bool in_fresh(const ChannelLane& held, const ChannelLane& wanted) const {
    return in(change_.fresh, held, wanted);
  }
  [[nodiscard]] Edges edges_of(const model::ForwardingTables& tables,
                               std::initializer_list<const LaneMaps*> maps, Lid lid,
                               const DependencySet& own, const DependencySet& other) const;
  [[nodiscard]] std::optional<std::size_t> most_clashing(std::span<const LidRound> dealt) const;

  const ClashingChange& change_;
  Sources sources_;
  std::vector<std::uint32_t> component_;  ///< by Node, of old and new paths together
  CountedEdges edges_;
  // By place in the LIDs: dependencies on cycles that only old, or only new paths make.
  std::vector<Edges> old_;
  std::vector<Edges> fresh_;
};

Edges Dealer::edges_of(const model::ForwardingTables& tables,
                       std::initializer_list<const LaneMaps*> maps, Lid lid,
                       const DependencySet& own, const DependencySet& other) const {
  Edges edges;
  const auto add = [&](const ChannelLane& held, const ChannelLane& wanted) {
    if (!on_cycle(held, wanted) || !in(own, held, wanted) || in(other, held, wanted)) return;
    edges.emplace(own.node(held), own.node(wanted));
  };
  for (std::uint32_t source = 0; source < sources_.switches().size(); ++source) {
    const SwitchIndex from = sources_.switches()[source];
    for (const TerminalIndex terminal : sources_.terminals(source)) {
      const model::PortNum entry = change_.graph.terminal(terminal).leaf_port;
      unsigned levels = change_.levels.levels(terminal, from, lid);
      for (; levels != 0; levels &= levels - 1) {
        const Sl sl{static_cast<std::uint8_t>(std::countr_zero(levels))};
        for (const LaneMaps* const map : maps) {
          std::optional<ChannelLane> held;
          follow_lanes(change_.graph, tables, *map, from, entry, sl, lid,
                       [&](const ChannelLane& wanted) {
                         if (held) add(*held, wanted);
                         held = wanted;
                       });
        }
      }
    }
  }
  return edges;
}

std::optional<std::size_t> Dealer::most_clashing(std::span<const LidRound> dealt) const {
  std::optional<std::size_t> most;
  for (std::size_t i = 0; i < old_.size(); ++i) {
    if (dealt[i].round != kNoRound || dealt[i].cleared || old_[i].empty()) continue;
    if (!most || old_[i].size() > old_[*most].size()) most = i;
  }
  return most;
}

std::vector<LidRound> Dealer::deal() && {
  std::vector<LidRound> dealt;
  for (const Lid lid : change_.lids) dealt.push_back({.lid = lid, .round = kNoRound});
  std::vector<std::size_t> left(old_.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (std::uint32_t round = 0; !left.empty();) {
    std::vector<std::size_t> fit;
    for (const std::size_t i : left) {
      if (edges_.add(fresh_[i])) fit.push_back(i);
    }
    if (fit.empty()) {
      const std::optional<std::size_t> cleared = most_clashing(dealt);
      if (cleared) {
        dealt[*cleared].cleared = true;
        edges_.take(old_[*cleared]);
        continue;
      }
      fit = left;  // new paths with a cycle of their own: no order helps
    }
    for (const std::size_t i : fit) {
      dealt[i].round = round;
      if (!dealt[i].cleared) edges_.take(old_[i]);
    }
    std::erase_if(left, [&](std::size_t i) { return dealt[i].round == round; });
    ++round;
  }
  return dealt;
}

}  // namespace

std::vector<LidRound> deal_rounds(const ClashingChange& change) { return Dealer(change).deal(); }

}  // namespace heddle::routing
