#include "routing/live_write_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "routing/dependency_set.hpp"

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

/// Turns that could be part of a cycle of all mixtures and that neither table alone makes.
class MixtureTurns {
 public:
  MixtureTurns(const Graph& graph, const RoutingState& before, const RoutingState& after,
               const LevelSets& levels, std::uint16_t lanes, DependencySet pure,
               std::vector<std::uint32_t> components)
      : graph_(graph),
        before_(before),
        after_(after),
        levels_(levels),
        lanes_(lanes),
        pure_(std::move(pure)),
        components_(std::move(components)) {}

  [[nodiscard]] bool forbids(Lid to, ArcIndex held, ArcIndex wanted) const;

 private:
  /// VLs that a packet may leave by; it came in by one of the ports of a range.
  [[nodiscard]] unsigned vls(const Arc& arc, PortNum in, Sl sl) const {
    return 1U << before_.maps.vl(arc.from, in, arc.exit, sl).value() |
           1U << after_.maps.vl(arc.from, in, arc.exit, sl).value();
  }
  [[nodiscard]] bool in_cycle(const ChannelLane& held, const ChannelLane& wanted) const {
    const std::uint32_t component = components_[pure_.node(held)];
    return component != 0 && component == components_[pure_.node(wanted)] &&
           !pure_.contains(held, graph_.arc(held.arc).to, wanted);
  }

  const Graph& graph_;
  const RoutingState& before_;
  const RoutingState& after_;
  const LevelSets& levels_;
  std::uint16_t lanes_;
  DependencySet pure_;
  std::vector<std::uint32_t> components_;  ///< of the mixture, by Node
};

template <class Visit>
void for_each_vl(unsigned vls, Visit visit) {
  for (; vls != 0; vls &= vls - 1) {
    visit(model::Vl{static_cast<std::uint8_t>(std::countr_zero(vls))});
  }
}

bool MixtureTurns::forbids(Lid to, ArcIndex held, ArcIndex wanted) const {
  unsigned levels = 0;
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    if (!graph_.terminals_of(SwitchIndex{s}).empty()) levels |= levels_.levels(SwitchIndex{s}, to);
  }
  const Arc& first = graph_.arc(held);
  bool found = false;
  for (; levels != 0; levels &= levels - 1) {
    const Sl sl{static_cast<std::uint8_t>(std::countr_zero(levels))};
    unsigned holds = 0;
    for (unsigned in = 0; in <= graph_.port_count(first.from); ++in) {
      holds |= vls(first, PortNum{static_cast<std::uint8_t>(in)}, sl);
    }
    const unsigned wants = vls(graph_.arc(wanted), first.entry, sl);
    for_each_vl(holds & lanes_, [&](model::Vl hold) {
      for_each_vl(wants & lanes_, [&](model::Vl want) {
        found = found || in_cycle({held, hold}, {wanted, want});
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

}  // namespace

Result<WritePlan> order_live_change(const Graph& graph, const Availability& availability,
                                    const RoutingState& before, const RoutingState& after,
                                    const WriteOrderOptions& options, Workers& workers) {
  const std::vector<ChangedEntry> changes =
      changed_entries(graph, availability, before.tables, after.tables);
  const LevelSets levels = levels_in_use(graph, before, after.levels);
  const std::uint16_t lanes = lanes_in_transition(before, after);
  const auto dependencies = [&](const RoutingState& old, const RoutingState& now) {
    return mixture_dependencies(graph, availability, old, now, levels, lanes, workers);
  };
  std::vector<std::uint32_t> components = dependencies(before, after).components();
  if (!has_cycle(components)) {
    return order_writes(graph, availability, before.tables, changes, {}, options);
  }
  DependencySet pure = dependencies(before, before);
  pure.merge(dependencies(after, after));
  WriteOrderOptions cleared = options;
  cleared.old_entries = OldEntries::kClearedFirst;
  if (!has_cycle(pure.components())) {
    const MixtureTurns turns(graph, before, after, levels, lanes, std::move(pure),
                             std::move(components));
    Result<WritePlan> plan = order_writes(
        graph, availability, before.tables, changes,
        [&turns](Lid to, ArcIndex held, ArcIndex wanted) {
          return turns.forbids(to, held, wanted);
        },
        options);
    // A way that no packet takes in either table may be taken in a mixture: so each step is proved.
    const auto safe = [&] {
      ForwardingTables tables = with_top(before.tables, after.tables.row_length());
      return std::ranges::all_of(plan->steps, [&](const WriteStep& step) {
        const ForwardingTables begin = tables;
        put(tables, step);
        return !has_cycle(
            dependencies({begin, before.levels, before.maps}, {tables, after.levels, after.maps})
                .components());
      });
    };
    if (!plan || safe()) return plan;
  }
  return order_writes(graph, availability, before.tables, changes, {}, cleared);
}

}  // namespace heddle::routing
