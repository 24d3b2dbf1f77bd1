#include "routing/dragonfly_plus_via.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>
#include <vector>

#include "routing/best.hpp"
#include "routing/rendezvous.hpp"
#include "routing/share.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;

namespace {

constexpr std::size_t kRowsAtOnce = 8;
constexpr Sl kOwnLevel{std::uint8_t{1}};
constexpr std::uint8_t kLanesWithTurns = 2;
constexpr std::uint8_t kLanesWithDives = 3;

/// Terminals that already go over different spines have the same turn: as many in a row as a leaf
/// has choices.
std::vector<std::uint32_t> turns(const Graph& graph, const FatTreePlan& plan) {
  std::vector<std::uint32_t> turn;
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const TerminalIndex terminal{t};
    const std::size_t choices = plan.wanted_slots(graph.terminal(terminal).leaf).size();
    turn.push_back(plan.number(terminal) /
                   static_cast<std::uint32_t>(std::max<std::size_t>(choices, 1)));
  }
  return turn;
}

/// Whether a packet that comes into a group by a spine has to go down there before it can leave, as
/// few spines have cables to the group that it is for.
bool must_dive(const Graph& graph, const ViaGroups& via, std::span<const SwitchIndex> spines) {
  std::size_t cabled = 0;
  std::vector<std::uint8_t> seen(via.groups());
  for (const SwitchIndex spine : spines) {
    std::ranges::fill(seen, std::uint8_t{0});
    for (const Arc& arc : graph.arcs_of(spine)) {
      const auto other = via.group(arc.to);
      if (other && other != via.group(spine)) seen[*other] = 1;
    }
    cabled += static_cast<std::size_t>(std::ranges::count(seen, 1));
  }
  return via.groups() > 1 && cabled * 2 < spines.size() * (via.groups() - 1);
}

class Paths {
 public:
  Paths(const Graph& graph, const Structure& structure, const FatTree& tree,
        const Availability& availability)
      : graph_(graph),
        plan_(tree.plan()),
        availability_(availability),
        reach_(tree.reach().has_drained ? tree.reach().preferred : tree.reach().any),
        via_(graph, structure, turns(graph, tree.plan())),
        across_(graph.switch_count()) {
    std::vector<SwitchIndex> spines;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (!via_.group(SwitchIndex{s})) continue;
      if (plan_.level(SwitchIndex{s}) == 0) continue;
      spines.emplace_back(s);
      across_[s].resize(via_.groups());
    }
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      const ArcIndex arc{a};
      const auto to = via_.group(graph.arc(arc).to);
      if (plan_.direction(arc) != Direction::kAcross || !to) continue;
      std::vector<std::vector<ArcIndex>>& from = across_[graph.arc(arc).from.value()];
      if (!from.empty()) from[*to].push_back(arc);
    }
    dives_ = must_dive(graph, via_, spines);
  }

  [[nodiscard]] const ViaGroups& via() const noexcept { return via_; }
  [[nodiscard]] bool dives() const noexcept { return dives_; }

  /// Sets the entries and levels of one switch. Reads nothing that it sets for another.
  void lead(SwitchIndex sw, ForwardingTables& tables, PathLevels& levels) const {
    const std::optional<std::uint32_t> group = via_.group(sw);
    if (!group || !availability_.up(sw)) return;
    for (const std::uint32_t d : via_.destinations()) {
      const Destination& to = graph_.destinations()[d];
      if (group == via_.group(to.at) || !availability_.usable(graph_, to)) continue;
      std::uint8_t& entry = tables.row(sw)[to.lid.value()];
      std::optional<ArcIndex> choice;
      bool own_level = via_.needs_own_lanes(to.at);
      if (group != via_.via(d)) {
        choice = plan_.level(sw) == 0 ? up(sw, d, tables) : across(sw, d, tables);
      } else if (plan_.level(sw) != 0 && entry == ForwardingTables::kNoPort) {
        choice = dive(sw, to, tables);
      } else {
        own_level = false;
      }
      if (choice) entry = graph_.arc(*choice).exit.value();
      if (own_level && entry != ForwardingTables::kNoPort) levels.set(sw, to.lid, kOwnLevel);
    }
  }

 private:
  struct Merit {
    bool accepts = false;
    bool direct = false;  ///< leads to what needs no dive
    bool wanted = false;
    std::uint64_t label_weight = 0;
    std::uint64_t cable_weight = 0;
    auto operator<=>(const Merit&) const = default;
  };
  [[nodiscard]] bool reaches(SwitchIndex sw, const Destination& to) const {
    return reach_.test(sw.value(), to.at.value());
  }

  /// The cable from a spine of the passed group to a leaf of it that leads on by another spine of
  /// it.
  [[nodiscard]] std::optional<ArcIndex> dive(SwitchIndex spine, const Destination& to,
                                             const ForwardingTables& tables) const {
    if (!dives_) return std::nullopt;
    Best<std::pair<bool, std::uint64_t>> best;
    for (const DownBundle& bundle : plan_.down_bundles(spine)) {
      if (via_.group(bundle.child) != via_.group(spine) || !reaches(bundle.child, to)) continue;
      const std::optional<PortNum> exit = tables.port(bundle.child, to.lid);
      const PortTarget target = exit ? graph_.target(bundle.child, *exit) : PortTarget{};
      if (target.kind != PortTarget::Kind::kSwitch) continue;
      const SwitchIndex next = graph_.arc(ArcIndex{target.index}).to;
      if (via_.group(next) != via_.group(spine) || next == spine || !reaches(next, to)) continue;
      for (const ArcIndex cable : bundle.cables) {
        if (!availability_.undrained(graph_, cable)) continue;
        best.offer(cable, {takes_share(graph_, availability_, cable, to.lid),
                           rendezvous_weight(to.lid.value(), graph_.guid(bundle.child).value())});
      }
    }
    return best.cable();
  }

  /// The cable from a spine into the group that the LID passes, if packets can go on there.
  [[nodiscard]] std::optional<ArcIndex> across(SwitchIndex spine, std::uint32_t destination,
                                               const ForwardingTables& tables) const {
    if (across_[spine.value()].empty()) return std::nullopt;
    const Destination& to = graph_.destinations()[destination];
    Best<Merit> best;
    for (const ArcIndex cable : across_[spine.value()][via_.via(destination)]) {
      if (!availability_.undrained(graph_, cable)) continue;
      const SwitchIndex next = graph_.arc(cable).to;
      const bool direct = reaches(next, to);
      if (!direct && !dive(next, to, tables)) continue;
      best.offer(cable, {.accepts = takes_share(graph_, availability_, cable, to.lid),
                         .direct = direct,
                         .wanted = plan_.label(next) == plan_.label(spine),
                         .label_weight = rendezvous_weight(to.lid.value(), plan_.label(next)),
                         .cable_weight =
                             rendezvous_weight(to.lid.value(), graph_.arc(cable).exit.value())});
    }
    return best.cable();
  }

  /// The cable from a leaf to a spine that has a cable into the group that the LID passes.
  [[nodiscard]] std::optional<ArcIndex> up(SwitchIndex leaf, std::uint32_t destination,
                                           const ForwardingTables& tables) const {
    const Destination& to = graph_.destinations()[destination];
    const auto leads = [&](ArcIndex cable) {
      return plan_.direction(cable) == Direction::kUp && availability_.undrained(graph_, cable) &&
             via_.group(graph_.arc(cable).to) == via_.group(leaf) &&
             across(graph_.arc(cable).to, destination, tables).has_value();
    };
    const auto slots = plan_.wanted_slots(leaf);
    std::optional<std::uint32_t> wanted;
    if (!slots.empty()) {
      const std::uint8_t digit = plan_.digits(leaf)[destination];
      const std::optional<UpSlot>& slot = slots[digit];
      if (slot && takes_share(graph_, availability_, slot->arc, to.lid) && leads(slot->arc)) {
        return slot->arc;
      }
      wanted = digit % plan_.width(leaf);
    }
    Best<Merit> best;
    for (const UpSlot& slot : plan_.up_cables(leaf)) {
      if (!leads(slot.arc)) continue;
      best.offer(slot.arc, {.accepts = takes_share(graph_, availability_, slot.arc, to.lid),
                            .direct = true,
                            .wanted = wanted == slot.label,
                            .label_weight = rendezvous_weight(to.lid.value(), slot.label),
                            .cable_weight = rendezvous_weight(to.lid.value(),
                                                              graph_.arc(slot.arc).exit.value())});
    }
    return best.cable();
  }

  const Graph& graph_;
  const FatTreePlan& plan_;
  const Availability& availability_;
  const BitRows& reach_;
  ViaGroups via_;
  /// By SwitchIndex, of spines by group: the cables into it.
  std::vector<std::vector<std::vector<ArcIndex>>> across_;
  bool dives_ = false;
};

/// The way up from a leaf that packets came down to: one lane above.
void map_dives(const Graph& graph, const FatTreePlan& plan, LaneMaps& maps) {
  model::SlToVl next = kVlIsSl;
  ++next[0];
  ++next[kOwnLevel.value()];
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (plan.level(sw) != 0) continue;
    for (const Arc& in : graph.arcs_of(sw)) {
      for (const Arc& out : graph.arcs_of(sw)) maps.set(sw, in.exit, out.exit, next);
    }
  }
}

}  // namespace

OwnLanes add_dragonfly_plus_via_paths(const Graph& graph, const Structure& structure,
                                      const FatTree& tree, const Availability& availability,
                                      std::uint8_t max_lanes, Routes& routes, Workers& workers) {
  const Paths paths(graph, structure, tree, availability);
  const std::uint8_t lanes = paths.dives() ? kLanesWithDives : kLanesWithTurns;
  if (paths.via().destinations().empty() || max_lanes < lanes) return {};
  workers.run_ranges(graph.switch_count(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      paths.lead(SwitchIndex{static_cast<std::uint32_t>(s)}, routes.tables, routes.lanes.levels);
    }
  });
  if (paths.dives()) {
    map_dives(graph, tree.plan(), routes.lanes.maps);
    // Both levels go back to their first lane after a dive, so detours stay above all.
    return {.beyond_minimal = true,
            .first_free_sl = Sl{lanes},
            .first_free_lane = lanes,
            .standing = {}};
  }
  // Paths of level 1 stay in VL 1, where detours of that level may join them.
  return {.beyond_minimal = true,
          .first_free_sl = kOwnLevel,
          .first_free_lane = kOwnLevel.value(),
          .standing = dependencies_of_level(graph, availability, routes.tables, routes.lanes,
                                            kOwnLevel, paths.via().destinations())};
}

}  // namespace heddle::routing
