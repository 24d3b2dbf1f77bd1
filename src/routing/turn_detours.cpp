#include "routing/turn_detours.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "routing/best.hpp"
#include "routing/rendezvous.hpp"
#include "routing/share.hpp"
#include "routing/table_rows.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

namespace {

constexpr std::size_t kRowsAtOnce = 16;
/// Of rendezvous keys: LIDs end below, other choices have other purposes.
constexpr std::uint64_t kPurpose = std::uint64_t{5} << 16U;

Direction direction_of(TurnKind kind) {
  if (kind == TurnKind::kUp) return Direction::kUp;
  return kind == TurnKind::kTwice || kind == TurnKind::kAcross ? Direction::kAcross
                                                               : Direction::kDown;
}

/// Entries of one switch after another.
class Rows {
 public:
  Rows(const Graph& graph, const FatTree& tree, const Availability& availability,
       const TurnPlaces& places, const TurnReach& ways)
      : graph_(graph),
        plan_(tree.plan()),
        reach_(tree.reach()),
        availability_(availability),
        places_(places),
        ways_(ways) {}

  void write(SwitchIndex sw, std::span<const DestinationRun> runs, std::span<std::uint8_t> row) {
    for (std::vector<ArcIndex>& cables : cables_) cables.clear();
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      const ArcIndex arc{graph_.first_arc(sw).value() + i};
      if (plan_.order().is_sideways(arc)) continue;
      cables_[static_cast<std::size_t>(plan_.direction(arc))].push_back(arc);
    }
    for (const DestinationRun& run : runs) {
      const TurnKind kind = ways_.kind(sw, run.at);
      if (kind == TurnKind::kNone) continue;
      const std::span<const ArcIndex> all = cables_[static_cast<std::size_t>(direction_of(kind))];
      find(kind, sw, run.at, all);
      for (std::uint32_t d = run.first; d < run.first + run.count; ++d) {
        const Destination& to = graph_.destinations()[d];
        if (!availability_.usable(graph_, to)) continue;
        row[to.lid.value()] = graph_.arc(choose(to, all)).exit.value();
      }
    }
  }

  /// Whether an entry does what its pair's kind says.
  [[nodiscard]] bool right(SwitchIndex sw, const Destination& to,
                           const ForwardingTables& tables) const {
    const TurnKind kind = ways_.kind(sw, to.at);
    const std::optional<ArcIndex> arc = next(sw, to, tables);
    if (!arc || plan_.direction(*arc) != direction_of(kind)) return false;
    const SwitchIndex peer = graph_.arc(*arc).to;
    const TurnKind then = ways_.kind(peer, to.at);
    const std::optional<ArcIndex> following = next(peer, to, tables);
    if (!following) return false;
    switch (kind) {
      case TurnKind::kLate:
        return places_.late_leaf[peer.value()] != 0 && then == TurnKind::kNone &&
               graph_.arc(*following).to == to.at;
      case TurnKind::kTwice:
        return then == TurnKind::kNone && plan_.direction(*following) == Direction::kAcross;
      case TurnKind::kAcross:
        return then == TurnKind::kLate;
      case TurnKind::kUp:
        return is_passable(then);
      case TurnKind::kEarly:
        return places_.late_leaf[peer.value()] == 0 && then != TurnKind::kEarly;
      case TurnKind::kNone:
        break;
    }
    return false;
  }

 private:
  [[nodiscard]] std::optional<ArcIndex> next(SwitchIndex sw, const Destination& to,
                                             const ForwardingTables& tables) const {
    const std::uint8_t entry = tables.row(sw)[to.lid.value()];
    const PortTarget target = graph_.target(sw, PortNum{entry});
    if (target.kind != PortTarget::Kind::kSwitch) return std::nullopt;
    const ArcIndex arc{target.index};
    return availability_.usable(graph_, arc) ? std::optional(arc) : std::nullopt;
  }

  /// Of the cables in the kind's direction, by place, those that lead on and then soonest.
  void find(TurnKind kind, SwitchIndex sw, SwitchIndex at, std::span<const ArcIndex> all) {
    const bool undrained = reach_.has_drained && ways_.undrained.test(sw.value(), at.value());
    leads_.assign(all.size(), 0);
    found_.clear();
    unsigned least = ~0U;
    for (std::size_t place = 0; place < all.size(); ++place) {
      const std::optional<unsigned> left = remaining(kind, all[place], at, undrained);
      if (!left || *left > least) continue;
      if (*left < least) {
        least = *left;
        std::ranges::fill(leads_, std::uint8_t{0});
        found_.clear();
      }
      leads_[place] = 1;
      found_.push_back(all[place]);
    }
  }

  /// About how far it is from the far end of a cable that leads on; nothing if it does not.
  [[nodiscard]] std::optional<unsigned> remaining(TurnKind kind, ArcIndex cable, SwitchIndex at,
                                                  bool undrained) const {
    if (undrained ? !availability_.undrained(graph_, cable)
                  : !availability_.usable(graph_, cable)) {
      return std::nullopt;
    }
    const std::size_t peer = graph_.arc(cable).to.value();
    const BitRows& ordered = undrained ? reach_.preferred : reach_.any;
    const bool goes_on = ordered.test(peer, at.value()) && !reach_.down.test(peer, at.value());
    const TurnKind then = ways_.kind(graph_.arc(cable).to, at);
    if (then != TurnKind::kNone && undrained && !ways_.undrained.test(peer, at.value())) {
      return std::nullopt;
    }
    switch (kind) {
      case TurnKind::kLate:
        if (places_.late_leaf[peer] != 0 && goes_on && ends_above(peer, at, undrained)) return 0U;
        return std::nullopt;
      case TurnKind::kTwice:
        if (places_.top[peer] != 0 && goes_on) return 0U;
        return std::nullopt;
      case TurnKind::kAcross:
        if (then == TurnKind::kLate) return 0U;
        return std::nullopt;
      case TurnKind::kUp:
        if (!is_passable(then)) return std::nullopt;
        return static_cast<unsigned>(then);
      case TurnKind::kEarly:
        if (places_.late_leaf[peer] != 0) return std::nullopt;
        if (goes_on) return 0U;
        if (!is_passable(then)) return std::nullopt;
        return 1U;
      case TurnKind::kNone:
        break;
    }
    return std::nullopt;
  }

  /// Whether a late leaf has a cable up to the destination's own switch, and no other way there.
  [[nodiscard]] bool ends_above(std::size_t leaf, SwitchIndex at, bool undrained) const {
    const SwitchIndex sw{static_cast<std::uint32_t>(leaf)};
    bool direct = false;
    bool other = false;
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      const ArcIndex arc{graph_.first_arc(sw).value() + i};
      if (plan_.direction(arc) != Direction::kUp || !availability_.usable(graph_, arc)) continue;
      const SwitchIndex above = graph_.arc(arc).to;
      if (above == at && !plan_.order().is_sideways(arc)) {
        direct = direct || !undrained || availability_.undrained(graph_, arc);
      } else {
        other = other || reach_.any.test(above.value(), at.value());
      }
    }
    return direct && !other;
  }

  /// The cable that the destination's number asks for, else one of greatest weight.
  [[nodiscard]] ArcIndex choose(const Destination& to, std::span<const ArcIndex> all) const {
    const std::uint32_t number = to.terminal ? plan_.number(*to.terminal) : to.at.value();
    const std::size_t wanted = (number + to.path) % all.size();
    if (leads_[wanted] != 0 && takes_share(graph_, availability_, all[wanted], to.lid)) {
      return all[wanted];
    }
    Best<std::pair<bool, std::uint64_t>> best;
    for (const ArcIndex cable : found_) {
      best.offer(cable,
                 {takes_share(graph_, availability_, cable, to.lid),
                  rendezvous_weight(to.lid.value() | kPurpose, graph_.arc(cable).exit.value())});
    }
    return *best.cable();
  }

  const Graph& graph_;
  const FatTreePlan& plan_;
  const Reach& reach_;
  const Availability& availability_;
  const TurnPlaces& places_;
  const TurnReach& ways_;
  std::array<std::vector<ArcIndex>, 3> cables_;  ///< of the switch in hand, by Direction
  std::vector<std::uint8_t> leads_;              ///< by place among those of one direction
  std::vector<ArcIndex> found_;                  ///< the same ones, by themselves
};

bool has_usable_terminal(const Graph& graph, const Availability& availability, SwitchIndex sw) {
  const std::uint32_t first = graph.first_terminal(sw).value();
  for (std::uint32_t i = 0; i < graph.terminals_of(sw).size(); ++i) {
    if (availability.usable(graph, TerminalIndex{first + i})) return true;
  }
  return false;
}

}  // namespace

TurnDetours::TurnDetours(const Graph& graph, const Structure& structure, const FatTree& tree,
                         const Availability& availability, Workers& workers)
    : graph_(graph),
      tree_(tree),
      availability_(availability),
      places_(places(structure)),
      ways_(find_turn_reach(graph, tree.plan().order(), availability, tree.reach(), places_,
                            workers)) {
  count();
}

TurnPlaces TurnDetours::places(const Structure& structure) const {
  TurnPlaces places{.late_leaf = std::vector<std::uint8_t>(graph_.switch_count()),
                    .top = std::vector<std::uint8_t>(graph_.switch_count(), 1),
                    .source = std::vector<std::uint8_t>(graph_.switch_count())};
  std::vector<std::uint8_t> next_is_late(structure.pods);
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      const ArcIndex arc{graph_.first_arc(sw).value() + i};
      if (tree_.plan().direction(arc) == Direction::kUp) places.top[s] = 0;
    }
    places.source[s] = has_usable_terminal(graph_, availability_, sw) ? 1 : 0;
    const std::optional<std::uint32_t> group = structure.pod[s];
    if (!group || tree_.plan().level(sw) != 0) continue;
    places.late_leaf[s] = next_is_late[*group];
    next_is_late[*group] ^= 1U;
  }
  return places;
}

void TurnDetours::count() {
  const std::size_t switches = graph_.switch_count();
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (!availability_.up(SwitchIndex{s})) continue;
    const auto any = tree_.reach().any.row(s);
    for (std::uint32_t at = 0; at < switches; ++at) {
      if (test_bit(any, at) || !availability_.up(SwitchIndex{at})) continue;
      holes_ += graph_.destinations_at(SwitchIndex{at}).size();
      const bool wanted = places_.source[s] != 0 || places_.source[at] != 0;
      if (wanted && ways_.kinds[s * switches + at] == TurnKind::kNone) complete_ = false;
    }
  }
}

void TurnDetours::map_lanes(LaneMaps& maps) const {
  model::SlToVl second = kVlIsSl;
  second[0] = 1;
  const Order& order = tree_.plan().order();
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const auto arcs = graph_.arcs_of(sw);
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto after = [&](Direction before, PortNum out) {
      for (std::uint32_t i = 0; i < arcs.size(); ++i) {
        const ArcIndex in = arcs[i].reverse;
        if (order.directions[in.value()] == before) maps.set(sw, arcs[i].exit, out, second);
      }
    };
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      const PortNum out = arcs[i].exit;
      switch (order.directions[first + i]) {
        case Direction::kDown:
          maps.set(sw, PortNum{}, out, second);
          for (const Terminal& terminal : graph_.terminals_of(sw)) {
            maps.set(sw, terminal.leaf_port, out, second);
          }
          break;
        case Direction::kAcross:
          after(Direction::kAcross, out);
          break;
        case Direction::kUp:
          if (places_.late_leaf[s] != 0) after(Direction::kDown, out);
          break;
      }
    }
  }
}

std::optional<Undelivered> TurnDetours::write(Routes& routes, Workers& workers) const {
  const std::vector<DestinationRun> runs = destination_runs(graph_);
  const std::size_t switches = graph_.switch_count();
  workers.run_ranges(switches, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    Rows rows(graph_, tree_, availability_, places_, ways_);
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      if (availability_.up(sw)) rows.write(sw, runs, routes.tables.row(sw));
    }
  });
  map_lanes(routes.lanes.maps);
  std::vector<std::optional<Undelivered>> wrong((switches + kRowsAtOnce - 1) / kRowsAtOnce);
  workers.run_ranges(switches, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    const Rows rows(graph_, tree_, availability_, places_, ways_);
    std::optional<Undelivered>& first = wrong[begin / kRowsAtOnce];
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      for (const DestinationRun& run : runs) {
        if (ways_.kind(sw, run.at) == TurnKind::kNone) continue;
        for (std::uint32_t d = run.first; d < run.first + run.count && !first; ++d) {
          const Destination& to = graph_.destinations()[d];
          if (!availability_.usable(graph_, to) || rows.right(sw, to, routes.tables)) continue;
          first = Undelivered{.source = sw, .destination = to.lid};
        }
      }
    }
  });
  const auto found = std::ranges::find_if(wrong, [](const auto& part) { return part.has_value(); });
  return found == wrong.end() ? std::nullopt : *found;
}

}  // namespace heddle::routing
