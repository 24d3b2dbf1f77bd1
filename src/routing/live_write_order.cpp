#include "routing/live_write_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "routing/dependency_set.hpp"
#include "routing/lid_rounds.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Result;
using model::Sl;
using model::SwitchIndex;

namespace {

bool has_cycle(std::span<const std::uint32_t> components) {
  return std::ranges::any_of(components, [](std::uint32_t component) { return component != 0; });
}

/// A change as a whole, and what packets could hold and wait for during it.
struct Change {
  const Graph& graph;
  const Availability& availability;
  const RoutingState& before;
  const RoutingState& after;
  LevelSets levels;
  std::uint16_t lanes;
  Workers& workers;

  [[nodiscard]] DependencySet dependencies(const RoutingState& old, const RoutingState& now) const {
    return mixture_dependencies(graph, availability, old, now, levels, lanes, workers);
  }
};

/// Turns that could be part of a cycle of all mixtures, and that neither old paths make nor new
/// ones.
class MixtureTurns {
 public:
  MixtureTurns(const Change& change, const DependencySet& pure,
               std::span<const std::uint32_t> components)
      : change_(change), pure_(pure), components_(components) {}

  [[nodiscard]] bool forbids(Lid to, ArcIndex held, ArcIndex wanted) const;

 private:
  /// VLs, a bit each, by which packets that came in by the port may leave.
  [[nodiscard]] unsigned vls(const Arc& arc, PortNum in, Sl sl) const {
    return 1U << change_.before.maps.vl(arc.from, in, arc.exit, sl).value() |
           1U << change_.after.maps.vl(arc.from, in, arc.exit, sl).value();
  }
  [[nodiscard]] bool could_close(const ChannelLane& held, const ChannelLane& wanted) const;

  const Change& change_;
  const DependencySet& pure_;                  ///< of old paths and new ones
  std::span<const std::uint32_t> components_;  ///< of the mixture, by Node
};

bool MixtureTurns::could_close(const ChannelLane& held, const ChannelLane& wanted) const {
  const std::uint32_t component = components_[pure_.node(held)];
  if (component == 0 || component != components_[pure_.node(wanted)]) return false;
  return !pure_.contains(held, change_.graph.arc(held.arc).to, wanted);
}

template <class Visit>
void for_each_vl(unsigned vls, Visit visit) {
  for (; vls != 0; vls &= vls - 1) {
    visit(model::Vl{static_cast<std::uint8_t>(std::countr_zero(vls))});
  }
}

bool MixtureTurns::forbids(Lid to, ArcIndex held, ArcIndex wanted) const {
  const Graph& graph = change_.graph;
  unsigned levels = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex source{s};
    if (!graph.terminals_of(source).empty()) levels |= change_.levels.levels(source, to);
  }
  const Arc& first = graph.arc(held);
  bool found = false;
  for (; levels != 0; levels &= levels - 1) {
    const Sl sl{static_cast<std::uint8_t>(std::countr_zero(levels))};
    unsigned holds = 0;
    for (unsigned in = 0; in <= graph.port_count(first.from); ++in) {
      holds |= vls(first, PortNum{static_cast<std::uint8_t>(in)}, sl);
    }
    const unsigned wants = vls(graph.arc(wanted), first.entry, sl);
    for_each_vl(holds & change_.lanes, [&](model::Vl hold) {
      for_each_vl(wants & change_.lanes, [&](model::Vl want) {
        found = found || could_close({held, hold}, {wanted, want});
      });
    });
  }
  return found;
}

/// The same tables in rows of at least that length.
ForwardingTables with_top(const ForwardingTables& tables, std::size_t row_length) {
  if (tables.row_length() >= row_length) return tables;
  ForwardingTables longer(tables.switch_count(), Lid{static_cast<std::uint16_t>(row_length - 1)});
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    std::ranges::copy(tables.row(SwitchIndex{s}), longer.row(SwitchIndex{s}).begin());
  }
  return longer;
}

void put(ForwardingTables& tables, const WriteStep& step) {
  for (const BlockWrite& write : step.writes) {
    const auto row = tables.row(write.sw);
    const std::size_t first = std::size_t{write.block} * ForwardingTables::kBlockLids;
    for (std::size_t i = 0; i < write.ports.size() && first + i < row.size(); ++i) {
      row[first + i] = write.ports[i];
    }
  }
}

/// Whether no step has a dependency cycle, whatever part of it is written: a way that no packet
/// takes in either table may be taken in a mixture.
bool safe(const Change& change, const WritePlan& plan) {
  ForwardingTables tables = with_top(change.before.tables, change.after.tables.row_length());
  return std::ranges::all_of(plan.steps, [&](const WriteStep& step) {
    const ForwardingTables begin = tables;
    put(tables, step);
    return !has_cycle(change
                          .dependencies({begin, change.before.levels, change.before.maps},
                                        {tables, change.after.levels, change.after.maps})
                          .components());
  });
}

std::vector<Lid> lids_of(std::span<const ChangedEntry> changes) {
  std::vector<Lid> lids;
  for (const ChangedEntry& change : changes) lids.push_back(change.lid);
  std::ranges::sort(lids);
  lids.erase(std::unique(lids.begin(), lids.end()), lids.end());
  return lids;
}

}  // namespace

Result<WritePlan> order_live_change(const Graph& graph, const Availability& availability,
                                    const RoutingState& before, const RoutingState& after,
                                    NewLevels new_levels, const WriteOrderOptions& options,
                                    Workers& workers) {
  const std::vector<ChangedEntry> changes =
      changed_entries(graph, availability, before.tables, after.tables);
  const Change change{graph,
                      availability,
                      before,
                      after,
                      new_levels == NewLevels::kAfterwards
                          ? levels_until_told(graph, before, after.levels)
                          : levels_in_use(graph, before, after.levels),
                      lanes_in_transition(before, after),
                      workers};
  const std::vector<std::uint32_t> components = change.dependencies(before, after).components();
  if (!has_cycle(components)) {
    return order_writes(graph, availability, before.tables, changes, {}, options);
  }
  const std::vector<Lid> lids = lids_of(changes);
  // Mappings are written before tables.
  const DependencySet old = change.dependencies(before, {before.tables, before.levels, after.maps});
  const DependencySet fresh = change.dependencies(after, after);
  DependencySet pure = old;
  pure.merge(fresh);
  WriteOrderOptions in_rounds = options;
  if (has_cycle(pure.components())) {
    in_rounds.rounds =
        deal_rounds({graph, availability, before, after, change.levels, old, fresh, lids});
  }
  const MixtureTurns turns(change, pure, components);
  Result<WritePlan> plan = order_writes(
      graph, availability, before.tables, changes,
      [&turns](Lid to, ArcIndex held, ArcIndex wanted) { return turns.forbids(to, held, wanted); },
      in_rounds);
  if (!plan || safe(change, *plan)) return plan;
  WriteOrderOptions cleared = options;
  cleared.rounds.clear();
  for (const Lid lid : lids) cleared.rounds.push_back({.lid = lid, .cleared = true});
  return order_writes(graph, availability, before.tables, changes, {}, cleared);
}

}  // namespace heddle::routing
