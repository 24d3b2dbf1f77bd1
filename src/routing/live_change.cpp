#include "routing/live_change.hpp"

#include <algorithm>
#include <utility>

#include "routing/follow_lanes.hpp"
#include "routing/sources.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using model::Vl;

namespace {

/// The old entries that others replace, as they would be cleared.
std::vector<ChangedEntry> replaced_entries(const Graph& graph, const Availability& availability,
                                           const ForwardingTables& before,
                                           const ForwardingTables& after) {
  std::vector<ChangedEntry> replaced;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (!availability.up(sw) || !before.known(sw)) continue;
    for (const Destination& destination : graph.destinations()) {
      const std::optional<PortNum> old = before.port(sw, destination.lid);
      if (!old || old == after.port(sw, destination.lid)) continue;
      replaced.push_back({sw, destination.lid, old->value(), ForwardingTables::kNoPort});
    }
  }
  return replaced;
}

/// Finds the pairs whose open connections close a cycle, and takes their new entries back.
class Withholder {
 public:
  Withholder(const Graph& graph, const Availability& availability, const RoutingState& before,
             Routes& routes)
      : graph_(graph),
        availability_(availability),
        before_(before),
        routes_(routes),
        after_(routes.lanes.levels),
        sources_(graph, availability) {}

  /// Everything that a cycle of the new entries with old and new levels needs of open connections;
  /// false if it needs none of them.
  bool take_back(const std::vector<ChannelLane>& cycle);
  [[nodiscard]] std::vector<Undelivered> withheld() &&;

 private:
  [[nodiscard]] bool passes(const std::vector<ChannelLane>& cycle, SwitchIndex from, PortNum entry,
                            Sl sl, Lid to) const;
  [[nodiscard]] bool closes(const std::vector<ChannelLane>& cycle, SwitchIndex from, Lid to) const;
  void clear(SwitchIndex sw, Lid to);

  const Graph& graph_;
  const Availability& availability_;
  const RoutingState& before_;
  Routes& routes_;
  const LevelSets after_;
  const Sources sources_;
  std::vector<Undelivered> withheld_;
};

/// Whether a packet on its way holds one channel of the cycle and waits for the next.
bool Withholder::passes(const std::vector<ChannelLane>& cycle, SwitchIndex from, PortNum entry,
                        Sl sl, Lid to) const {
  std::optional<ChannelLane> held;
  bool passes = false;
  follow_lanes(graph_, routes_.tables, routes_.lanes.maps, from, entry, sl, to,
               [&](const ChannelLane& wanted) {
                 for (std::size_t i = 0; held && i < cycle.size(); ++i) {
                   passes |= cycle[i] == *held && cycle[(i + 1) % cycle.size()] == wanted;
                 }
                 held = wanted;
               });
  return passes;
}

/// Whether some terminal of the switch does so on a level that it had and has no more.
bool Withholder::closes(const std::vector<ChannelLane>& cycle, SwitchIndex from, Lid to) const {
  const unsigned old = before_.levels.levels(from, to) & ~unsigned{after_.levels(from, to)};
  for (std::uint8_t level = 0; old >> level != 0; ++level) {
    if (((old >> level) & 1U) == 0) continue;
    const std::uint32_t first = graph_.first_terminal(from).value();
    for (std::uint32_t t = 0; t < graph_.terminals_of(from).size(); ++t) {
      if (availability_.usable(graph_, TerminalIndex{first + t}) &&
          passes(cycle, from, graph_.terminals_of(from)[t].leaf_port, Sl{level}, to)) {
        return true;
      }
    }
  }
  return false;
}

/// Takes the entry back, and those of all switches that lead there.
void Withholder::clear(SwitchIndex sw, Lid to) {
  std::vector<SwitchIndex> queue{sw};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchIndex at = queue[head];
    routes_.tables.row(at)[to.value()] = ForwardingTables::kNoPort;
    if (routes_.lanes.levels.sl(at, to) != Sl{}) routes_.lanes.levels.set(at, to, Sl{});
    withheld_.push_back({.source = at, .destination = to});
    for (const Arc& arc : graph_.arcs_of(at)) {
      if (routes_.tables.row(arc.to)[to.value()] == arc.entry.value()) queue.push_back(arc.to);
    }
  }
}

bool Withholder::take_back(const std::vector<ChannelLane>& cycle) {
  bool any = false;
  for (const SwitchIndex source : sources_.switches()) {
    for (const Destination& destination : graph_.destinations()) {
      const Lid to = destination.lid;
      if (!may_be_open(before_, source, to) || !closes(cycle, source, to)) continue;
      clear(source, to);
      any = true;
    }
  }
  return any;
}

std::vector<Undelivered> Withholder::withheld() && {
  const auto sends = [this](const Undelivered& pair) {
    return std::ranges::find(sources_.switches(), pair.source) != sources_.switches().end();
  };
  std::erase_if(withheld_, [&](const Undelivered& pair) { return !sends(pair); });
  std::ranges::sort(withheld_);
  return std::move(withheld_);
}

}  // namespace

ForwardingTables without(ForwardingTables tables, std::span<const ChangedEntry> entries) {
  for (const ChangedEntry& entry : entries) {
    tables.row(entry.sw)[entry.lid.value()] = ForwardingTables::kNoPort;
  }
  return tables;
}

std::vector<LevelChange> changed_levels(const Graph& graph, const Availability& availability,
                                        const RoutingState& before, const LevelSets& after) {
  std::vector<LevelChange> changes;
  const Sources sources(graph, availability);
  for (const SwitchIndex source : sources.switches()) {
    for (const Destination& destination : graph.destinations()) {
      const LevelSets::Mask old = before.levels.levels(source, destination.lid);
      const LevelSets::Mask now = after.levels(source, destination.lid);
      const bool is_new = (now & ~unsigned{old}) != 0 && availability.usable(graph, destination);
      if (!is_new || !may_be_open(before, source, destination.lid)) continue;
      changes.push_back({source, destination.lid, old, now});
    }
  }
  return changes;
}

LiveChange make_live(const Graph& graph, const Availability& availability,
                     const RoutingState& before, RiskOfDeadlock risk, Routes& routes,
                     Workers& workers) {
  LiveChange change;
  if (risk == RiskOfDeadlock::kRefuse) {
    Withholder withholder(graph, availability, before, routes);
    for (;;) {
      const LevelSets levels = levels_in_use(graph, before, LevelSets(routes.lanes.levels));
      const Verdict verdict =
          check_routes(graph, availability, routes.tables, levels, routes.lanes.maps, {}, workers);
      if (verdict.cycle.empty() || !withholder.take_back(verdict.cycle)) break;
    }
    change.withheld = std::move(withholder).withheld();
    routes.undelivered.insert(routes.undelivered.end(), change.withheld.begin(),
                              change.withheld.end());
    std::ranges::sort(routes.undelivered);
  }
  const LevelSets levels(routes.lanes.levels);
  change.levels = changed_levels(graph, availability, before, levels);
  // Connections stay open when their entries are cleared.
  const LevelSets in_use = levels_in_use(graph, before, levels);
  const RoutingState after{routes.tables, in_use, routes.lanes.maps};
  change.transition = check_transition(graph, availability, before, after, {}, workers);
  if (change.transition.good()) return change;
  std::vector<ChangedEntry> entries =
      replaced_entries(graph, availability, before.tables, routes.tables);
  // First only what goes in circles; what then still could deadlock needs all of it.
  std::vector<ChangedEntry> looping = entries;
  std::erase_if(looping, [&](const ChangedEntry& entry) {
    return !std::ranges::binary_search(change.transition.looping, entry.lid);
  });
  for (std::vector<ChangedEntry>* const cleared : {&looping, &entries}) {
    const ForwardingTables rest = without(before.tables, *cleared);
    change.transition = check_transition(graph, availability, {rest, before.levels, before.maps},
                                         after, {}, workers);
    change.clear_first = std::move(*cleared);
    if (change.transition.good()) break;
  }
  return change;
}

}  // namespace heddle::routing
