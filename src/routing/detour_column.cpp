#include "routing/detour_column.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "routing/workers.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

DetourColumn::DetourColumn(const Graph& graph, const Availability& availability)
    : graph_(graph),
      availability_(availability),
      next_(graph.switch_count()),
      hops_(graph.switch_count()),
      least_(graph.switch_count()),
      seen_(graph.switch_count()) {}

void DetourColumn::load(const ForwardingTables& tables, const Destination& destination,
                        std::span<const DetourHole> holes) {
  const auto switches = static_cast<std::uint32_t>(graph_.switch_count());
  for (std::uint32_t s = 0; s < switches; ++s) {
    next_[s] = kNowhere;
    hops_[s] = kFar;
    seen_[s] = 0;
    const std::optional<PortNum> port = tables.port(SwitchIndex{s}, destination.lid);
    if (!port || !availability_.up(SwitchIndex{s})) continue;
    const PortTarget target = graph_.target(SwitchIndex{s}, *port);
    if (target.kind == PortTarget::Kind::kSwitch &&
        availability_.usable(graph_, ArcIndex{target.index})) {
      next_[s] = target.index;
    }
  }
  for (const DetourHole& hole : holes) {
    if (hole.arc != DetourHole::kNoArc) next_[hole.sw] = hole.arc;
  }
  next_[destination.at.value()] = kArrived;
  hops_[destination.at.value()] = 0;
  for (std::uint32_t s = 0; s < switches; ++s) follow(s);
}

/// Walks until something known, then says of the whole trail what that is.
void DetourColumn::follow(std::uint32_t sw) {
  trail_.clear();
  while (seen_[sw] == 0 && next_[sw] != kNowhere && next_[sw] != kArrived) {
    seen_[sw] = 1;
    trail_.push_back(sw);
    sw = graph_.arc(ArcIndex{next_[sw]}).to.value();
  }
  std::uint16_t hops = hops_[sw];  // kFar for what lies on the trail itself: a loop
  for (std::size_t i = trail_.size(); i-- > 0;) {
    if (hops == kFar) {
      next_[trail_[i]] = kNowhere;
    } else {
      hops_[trail_[i]] = ++hops;
    }
  }
}

void DetourColumn::set(std::uint32_t sw, std::uint32_t arc) noexcept {
  next_[sw] = arc;
  hops_[sw] = static_cast<std::uint16_t>(hops_[graph_.arc(ArcIndex{arc}).to.value()] + 1);
}

void DetourColumn::measure(bool drained) {
  for (std::vector<std::uint32_t>& bucket : by_least_) bucket.clear();
  const auto put = [this](std::uint32_t sw, std::size_t hops) {
    if (by_least_.size() <= hops) by_least_.resize(hops + 1);
    by_least_[hops].push_back(sw);
    least_[sw] = static_cast<std::uint16_t>(hops);
  };
  for (std::uint32_t s = 0; s < next_.size(); ++s) {
    least_[s] = kFar;
    if (hops_[s] != kFar) put(s, hops_[s]);
  }
  for (std::size_t hops = 0; hops < by_least_.size(); ++hops) {
    for (std::size_t i = 0; i < by_least_[hops].size(); ++i) {
      const std::uint32_t sw = by_least_[hops][i];
      if (least_[sw] != hops) continue;  // found shorter since
      for (const Arc& arc : graph_.arcs_of(SwitchIndex{sw})) {
        const std::uint32_t other = arc.to.value();
        if (hops_[other] != kFar || least_[other] <= hops + 1) continue;
        if (passable(arc.reverse, drained)) put(other, hops + 1);
      }
    }
  }
}

namespace {

/// LIDs of which some switch has no entry, or one that leads to a port without a usable cable: as
/// indices into graph.destinations(), ascending. Entries are looked at, not followed.
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

/// A number for each set of switches that usable cables connect, by switch.
std::vector<std::uint32_t> components(const Graph& graph, const Availability& availability) {
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

}  // namespace

Holes find_holes(const Graph& graph, const Availability& availability,
                 const ForwardingTables& tables, DetourPairs wanted, Workers& workers) {
  constexpr std::size_t kGrain = 64;
  Holes found;
  const std::vector<std::uint32_t> suspects =
      holed_destinations(graph, availability, tables, workers);
  if (suspects.empty()) return found;
  const std::vector<std::uint32_t> component = components(graph, availability);
  std::vector<std::uint8_t> has_terminals(graph.switch_count(), 0);
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    has_terminals[graph.terminal(TerminalIndex{t}).leaf.value()] = 1;
  }
  found.lids.resize(suspects.size());
  std::vector<std::vector<std::uint16_t>> remaining((suspects.size() + kGrain - 1) / kGrain);
  workers.run_ranges(suspects.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint16_t>& left = remaining[begin / kGrain];
    left.resize(graph.arcs().size());
    DetourColumn column(graph, availability);
    std::vector<DetourHole> holes;
    for (std::size_t i = begin; i < end; ++i) {
      found.lids[i].destination = suspects[i];
      const std::uint32_t at = graph.destinations()[suspects[i]].at.value();
      column.load(tables, graph.destinations()[suspects[i]], {});
      holes.clear();
      bool any_wanted = false;
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        if (column.next(s) < left.size()) {
          left[column.next(s)] = std::max(left[column.next(s)], column.hops(s));
        }
        if (column.hops(s) != DetourColumn::kFar || component[s] != component[at]) continue;
        DetourPairs kind = DetourPairs::kAllSwitches;
        if (has_terminals[at] != 0) kind = DetourPairs::kFromOrToThem;
        if (has_terminals[s] != 0) kind = DetourPairs::kFromTerminals;
        DetourHole hole{.sw = s, .kind = std::nullopt};
        if (kind <= wanted) hole.kind = kind;
        any_wanted |= hole.kind.has_value();
        holes.push_back(hole);
      }
      // Spines of a healthy tree do not reach each other: too much to keep where nobody asks for
      // it.
      if (any_wanted) found.lids[i].holes = holes;
    }
  });
  std::erase_if(found.lids, [](const HoledLid& lid) { return lid.holes.empty(); });
  found.remaining.resize(graph.arcs().size());
  for (const std::vector<std::uint16_t>& left : remaining) {
    for (std::size_t a = 0; a < left.size(); ++a) {
      found.remaining[a] = std::max(found.remaining[a], left[a]);
    }
  }
  return found;
}

}  // namespace heddle::routing
