#include "routing/detour_column.hpp"

#include <algorithm>
#include <array>

#include "routing/workers.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

DetourColumn::DetourColumn(const Graph& graph, const Availability& availability)
    : graph_(graph),
      availability_(&availability),
      seen_(availability),
      known_(graph.switch_count(), 0),
      next_(graph.switch_count()),
      hops_(graph.switch_count()),
      given_(graph.switch_count(), 0),
      given_arc_(graph.switch_count()),
      on_trail_(graph.switch_count(), 0),
      passed_at_(graph.switch_count(), 0),
      measured_at_(graph.switch_count(), 0),
      least_(graph.switch_count()) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    first_exit_.push_back(static_cast<std::uint32_t>(count));
    count += graph_.targets(SwitchIndex{s}).size();
  }
  first_exit_.push_back(static_cast<std::uint32_t>(count));
  exits_.resize(count);
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) take_exits_of(SwitchIndex{s});
}

void DetourColumn::see(const Availability& availability) {
  availability_ = &availability;
  const std::vector<SwitchIndex> changed = availability.changed_since(graph_, seen_);
  seen_ = availability;
  for (const SwitchIndex sw : changed) take_exits_of(sw);
}

void DetourColumn::take_exits_of(SwitchIndex sw) {
  std::size_t at = first_exit_[sw.value()];
  for (const PortTarget& target : graph_.targets(sw)) {
    const bool leads =
        target.kind == PortTarget::Kind::kSwitch && seen_.usable(graph_, ArcIndex{target.index});
    exits_[at++] =
        leads ? Exit{target.index, graph_.arc(ArcIndex{target.index}).to.value()} : Exit{};
  }
}

void DetourColumn::load(const ForwardingTables& tables, const Destination& destination,
                        std::span<const DetourHole> holes) {
  ++load_;
  tables_ = &tables;
  lid_ = destination.lid;
  for (const DetourHole& hole : holes) {
    if (hole.arc == DetourHole::kNoArc) continue;
    given_[hole.sw] = load_;
    given_arc_[hole.sw] = hole.arc;
  }
  learn(destination.at.value(), kArrived, 0);
}

DetourColumn::Exit DetourColumn::exit_of(std::uint32_t sw) const {
  if (given_[sw] == load_) {
    return {given_arc_[sw], graph_.arc(ArcIndex{given_arc_[sw]}).to.value()};
  }
  const std::size_t port = tables_->row(SwitchIndex{sw})[lid_.value()];
  const std::span<const Exit> exits = exits_of(sw);
  return port < exits.size() ? exits[port] : Exit{};
}

/// Walks until something known, then says of the whole trail what that is.
void DetourColumn::follow(std::uint32_t sw) {
  trail_.clear();
  trail_arcs_.clear();
  std::uint16_t hops = kFar;  // what meets its own trail is a loop
  for (;;) {
    if (known_[sw] == load_) {
      hops = hops_[sw];
      break;
    }
    if (on_trail_[sw] == load_) break;
    const Exit exit = exit_of(sw);
    on_trail_[sw] = load_;
    trail_.push_back(sw);
    trail_arcs_.push_back(exit.arc);
    if (exit.arc == kNowhere) break;
    sw = exit.to;
  }
  for (std::size_t i = trail_.size(); i-- > 0;) {
    if (hops == kFar) {
      learn(trail_[i], kNowhere, kFar);
    } else {
      learn(trail_[i], trail_arcs_[i], ++hops);
    }
  }
}

void DetourColumn::set(std::uint32_t sw, std::uint32_t arc) {
  const std::uint32_t to = graph_.arc(ArcIndex{arc}).to.value();
  learn(sw, arc, static_cast<std::uint16_t>(hops(to) + 1));
}

void DetourColumn::measure(std::span<const std::uint32_t> passed, bool drained) {
  ++measure_;
  for (std::vector<std::uint32_t>& bucket : by_least_) bucket.clear();
  const auto put = [this](std::uint32_t sw, std::size_t hops) {
    if (by_least_.size() <= hops) by_least_.resize(hops + 1);
    by_least_[hops].push_back(sw);
    least_[sw] = static_cast<std::uint16_t>(hops);
    measured_at_[sw] = measure_;
  };
  for (const std::uint32_t sw : passed) {
    if (hops(sw) != kFar) continue;
    passed_at_[sw] = measure_;
    std::size_t nearest = kFar;
    for (const Exit& exit : exits_of(sw)) {
      if (!passes(exit, drained)) continue;
      nearest = std::min<std::size_t>(nearest, hops(exit.to) + std::size_t{1});
    }
    if (nearest < kFar) put(sw, nearest);
  }
  for (std::size_t hops_here = 0; hops_here < by_least_.size(); ++hops_here) {
    for (std::size_t i = 0; i < by_least_[hops_here].size(); ++i) {
      const std::uint32_t sw = by_least_[hops_here][i];
      if (least_[sw] != hops_here) continue;  // found shorter since
      // A cable that leads here from a switch leads from here to it.
      for (const Exit& exit : exits_of(sw)) {
        if (!passes(exit, drained) || passed_at_[exit.to] != measure_) continue;
        if (least(exit.to) > hops_here + 1) put(exit.to, hops_here + 1);
      }
    }
  }
}

std::vector<std::uint32_t> holed_destinations(const Graph& graph, const Availability& availability,
                                              const ForwardingTables& tables, Workers& workers) {
  constexpr std::size_t kGrain = 16;
  std::vector<std::vector<std::uint8_t>> holed((graph.switch_count() + kGrain - 1) / kGrain);
  workers.run_ranges(graph.switch_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t>& mine = holed[begin / kGrain];
    mine.resize(graph.destinations().size());
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      if (!availability.up(sw)) continue;
      std::array<std::uint8_t, 256> leads_nowhere{};
      leads_nowhere.fill(1);
      leads_nowhere[0] = 0;
      for (std::size_t port = 1; port < graph.targets(sw).size(); ++port) {
        const PortTarget target = graph.targets(sw)[port];
        const bool leads = target.kind == PortTarget::Kind::kTerminal ||
                           (target.kind == PortTarget::Kind::kSwitch &&
                            availability.usable(graph, ArcIndex{target.index}));
        leads_nowhere[port] = leads ? 0 : 1;
      }
      const auto row = tables.row(sw);
      for (std::size_t d = 0; d < mine.size(); ++d) {
        if (leads_nowhere[row[graph.destinations()[d].lid.value()]] != 0) mine[d] = 1;
      }
    }
  });
  std::vector<std::uint32_t> indices;
  for (std::uint32_t d = 0; d < graph.destinations().size(); ++d) {
    const bool hole = std::ranges::any_of(
        holed, [d](const std::vector<std::uint8_t>& range) { return range[d] != 0; });
    if (hole && availability.usable(graph, graph.destinations()[d])) indices.push_back(d);
  }
  return indices;
}

DetourPairs kind_of_hole(bool source_has_terminals, bool at_has_terminals) noexcept {
  if (source_has_terminals) return DetourPairs::kFromTerminals;
  return at_has_terminals ? DetourPairs::kFromOrToThem : DetourPairs::kAllSwitches;
}

std::vector<std::uint32_t> connected_parts(const Graph& graph, const Availability& availability) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> component(graph.switch_count(), kNone);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t start = 0; start < component.size(); ++start) {
    if (component[start] != kNone) continue;
    component[start] = start;
    queue.assign(1, start);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const SwitchIndex sw{queue[head]};
      for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
        const ArcIndex arc{graph.first_arc(sw).value() + i};
        const std::uint32_t to = graph.arc(arc).to.value();
        if (component[to] != kNone || !availability.usable(graph, arc)) continue;
        component[to] = start;
        queue.push_back(to);
      }
    }
  }
  return component;
}

Holes find_holes(const Graph& graph, const Availability& availability,
                 const ForwardingTables& tables, std::span<const std::uint32_t> destinations,
                 DetourPairs wanted, Workers& workers) {
  constexpr std::size_t kGrain = 64;
  Holes found;
  if (destinations.empty()) return found;
  const std::vector<std::uint32_t> component = connected_parts(graph, availability);
  std::vector<std::uint8_t> has_terminals(graph.switch_count(), 0);
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    has_terminals[graph.terminal(TerminalIndex{t}).leaf.value()] = 1;
  }
  found.lids.resize(destinations.size());
  found.unwanted.resize(destinations.size());
  std::vector<std::vector<std::uint16_t>> remaining((destinations.size() + kGrain - 1) / kGrain);
  workers.run_ranges(destinations.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint16_t>& left = remaining[begin / kGrain];
    left.resize(graph.arcs().size());
    DetourColumn column(graph, availability);
    std::vector<DetourHole> holes;
    std::vector<std::uint32_t> unwanted;
    for (std::size_t i = begin; i < end; ++i) {
      found.lids[i].destination = destinations[i];
      const std::uint32_t at = graph.destinations()[destinations[i]].at.value();
      column.load(tables, graph.destinations()[destinations[i]], {});
      holes.clear();
      unwanted.clear();
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        if (column.hops(s) != DetourColumn::kFar || component[s] != component[at]) continue;
        const DetourPairs kind = kind_of_hole(has_terminals[s] != 0, has_terminals[at] != 0);
        if (kind <= wanted) {
          holes.push_back({.sw = s, .kind = kind});
        } else {
          unwanted.push_back(s);
        }
      }
      // Spines of a healthy tree do not reach each other: too much to keep where nobody asks for
      // it.
      if (holes.empty()) continue;
      found.lids[i].holes = holes;
      found.unwanted[i] = unwanted;
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        if (column.next(s) >= left.size()) continue;
        left[column.next(s)] = std::max(left[column.next(s)], column.hops(s));
      }
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.lids.size(); ++i) {
    if (found.lids[i].holes.empty()) continue;
    if (kept != i) {
      found.lids[kept] = std::move(found.lids[i]);
      found.unwanted[kept] = std::move(found.unwanted[i]);
    }
    ++kept;
  }
  found.lids.resize(kept);
  found.unwanted.resize(kept);
  found.remaining.resize(graph.arcs().size());
  for (const std::vector<std::uint16_t>& left : remaining) {
    for (std::size_t a = 0; a < left.size(); ++a) {
      found.remaining[a] = std::max(found.remaining[a], left[a]);
    }
  }
  return found;
}

}  // namespace heddle::routing
