#include "routing/orientation.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

constexpr std::uint32_t kUnplaced = ~std::uint32_t{0};

/// Usable terminals of each switch.
std::vector<std::uint32_t> terminals_by_switch(const Graph& graph,
                                               const Availability& availability) {
  std::vector<std::uint32_t> count(graph.switch_count(), 0);
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    ++count[graph.terminal(TerminalIndex{t}).leaf.value()];
  }
  return count;
}

std::uint32_t full_cables(const Graph& graph, const Availability& availability, SwitchIndex sw) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
    const ArcIndex arc{graph.first_arc(sw).value() + i};
    count += availability.undrained(graph, arc) ? 1U : 0U;
  }
  return count;
}

/// The switch of `members` that lies in the middle between two that are far apart.
SwitchIndex middle(const Graph& graph, const Availability& availability,
                   std::span<const SwitchIndex> members) {
  const auto farthest = [&](const std::vector<PathCost>& cost) {
    return *std::ranges::max_element(members, {}, [&](SwitchIndex sw) { return cost[sw.value()]; });
  };
  const SwitchIndex one = farthest(costs_to(graph, availability, members.first(1)));
  const std::vector<PathCost> from_one = costs_to(graph, availability, std::span(&one, 1));
  const SwitchIndex other = farthest(from_one);
  const std::vector<PathCost> from_other = costs_to(graph, availability, std::span(&other, 1));
  return *std::ranges::min_element(members, {}, [&](SwitchIndex sw) {
    return std::max(from_one[sw.value()], from_other[sw.value()]);
  });
}

/// Cables on the up*/down* paths between all terminals and those of some switches.
std::uint64_t cables_between_terminals(const Graph& graph, const Availability& availability,
                                       SwitchIndex root, std::span<const SwitchIndex> members,
                                       std::span<const std::uint32_t> terminals) {
  constexpr std::size_t kSamples = 32;
  const Orientation orientation(graph, availability, std::span(&root, 1));
  std::uint64_t sum = 0;
  UpDownCosts costs;
  const std::size_t stride = std::max<std::size_t>(1, members.size() / kSamples);
  for (std::size_t i = 0; i < members.size(); i += stride) {
    measure_up_down(graph, availability, orientation, members[i], costs);
    for (const SwitchIndex sw : members) {
      sum += std::uint64_t{costs.least[sw.value()].cables()} * terminals[sw.value()];
    }
  }
  return sum;
}

}  // namespace

Orientation::Orientation(const Graph& graph, const Availability& availability,
                         std::span<const SwitchIndex> roots)
    : place_(graph.switch_count(), kUnplaced), island_(graph.switch_count(), kUnplaced) {
  std::vector<std::uint32_t> level;
  for (const SwitchIndex root : roots) {
    if (availability.up(root)) level.push_back(root.value());
  }
  grow(graph, availability, std::move(level));
  // Now drained cables, one at a time: all that lies behind is entered there alone.
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const SwitchIndex sw{order_[i]};
    for (std::uint32_t k = 0; k < graph.arcs_of(sw).size(); ++k) {
      const ArcIndex arc{graph.first_arc(sw).value() + k};
      const std::uint32_t to = graph.arc(arc).to.value();
      if (place_[to] == kUnplaced && availability.usable(graph, arc)) {
        grow(graph, availability, {to});
      }
    }
  }
}

/// Adds `level` to the order and what cables that are not drained lead to from there, by distance.
void Orientation::grow(const Graph& graph, const Availability& availability,
                       std::vector<std::uint32_t> level) {
  const auto island = static_cast<std::uint32_t>(order_.size());
  while (!level.empty()) {
    std::ranges::sort(level);
    std::vector<std::uint32_t> next;
    for (const std::uint32_t s : level) {
      if (place_[s] != kUnplaced) continue;
      place_[s] = static_cast<std::uint32_t>(order_.size());
      island_[s] = island;
      order_.push_back(s);
    }
    for (const std::uint32_t s : level) {
      const std::uint32_t begin = graph.first_arc(SwitchIndex{s}).value();
      for (std::uint32_t k = 0; k < graph.arcs_of(SwitchIndex{s}).size(); ++k) {
        const ArcIndex arc{begin + k};
        const std::uint32_t to = graph.arc(arc).to.value();
        if (place_[to] == kUnplaced && availability.undrained(graph, arc)) next.push_back(to);
      }
    }
    level = std::move(next);
  }
}

void measure_up_down(const Graph& graph, const Availability& availability,
                     const Orientation& orientation, SwitchIndex destination, UpDownCosts& costs) {
  costs.down.assign(graph.switch_count(), PathCost::far());
  costs.down[destination.value()] = PathCost();
  // Ways down end at later switches, ways up at earlier ones: one pass each way sees each arc once.
  const auto relax = [&](std::uint32_t sw, bool up, const std::vector<PathCost>& known,
                         PathCost& best) {
    const bool spare_drained = orientation.together(sw, destination.value());
    const std::uint32_t begin = graph.first_arc(SwitchIndex{sw}).value();
    for (std::uint32_t i = 0; i < graph.arcs_of(SwitchIndex{sw}).size(); ++i) {
      const ArcIndex arc{begin + i};
      const Arc& a = graph.arc(arc);
      if (known[a.to.value()].is_far() || orientation.up(a) != up) continue;
      if (!(spare_drained ? availability.undrained(graph, arc) : availability.usable(graph, arc))) {
        continue;
      }
      best = std::min(best, known[a.to.value()].plus(availability.capacity(arc)));
    }
  };
  for (std::size_t i = orientation.order().size(); i-- > 0;) {
    const std::uint32_t sw = orientation.order()[i];
    if (sw != destination.value()) relax(sw, false, costs.down, costs.down[sw]);
  }
  costs.least = costs.down;
  for (const std::uint32_t sw : orientation.order()) {
    if (costs.down[sw].is_far()) relax(sw, true, costs.least, costs.least[sw]);
  }
}

std::vector<SwitchIndex> choose_roots(const Graph& graph, const Availability& availability) {
  const std::vector<std::uint32_t> terminals = terminals_by_switch(graph, availability);
  std::vector<std::uint8_t> done(graph.switch_count(), 0);
  std::vector<SwitchIndex> roots;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (done[s] != 0 || !availability.up(SwitchIndex{s})) continue;
    const SwitchIndex start{s};
    const std::vector<PathCost> cost = costs_to(graph, availability, std::span(&start, 1));
    std::vector<SwitchIndex> members;
    for (std::uint32_t m = s; m < graph.switch_count(); ++m) {
      if (cost[m].is_far()) continue;
      done[m] = 1;
      members.push_back(SwitchIndex{m});
    }
    const auto best_cabled = [&](bool with_terminals) {
      return *std::ranges::max_element(members, {}, [&](SwitchIndex sw) {
        return std::pair(!with_terminals || terminals[sw.value()] != 0,
                         full_cables(graph, availability, sw));
      });
    };
    std::vector<SwitchIndex> candidates{best_cabled(true)};
    for (const SwitchIndex other : {best_cabled(false), middle(graph, availability, members)}) {
      if (std::ranges::find(candidates, other) == candidates.end()) candidates.push_back(other);
    }
    roots.push_back(*std::ranges::min_element(candidates, {}, [&](SwitchIndex root) {
      return cables_between_terminals(graph, availability, root, members, terminals);
    }));
  }
  return roots;
}

}  // namespace heddle::routing
