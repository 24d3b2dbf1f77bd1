#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/check.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/dependency_set.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/level_sets.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// One side of a change: what is in the switches, and the levels of the connections that were
/// opened under it.
struct RoutingState {
  const model::ForwardingTables& tables;
  const LevelSets& levels;
  const LaneMaps& maps;
};

/// Whether terminals of the switch may have connections to the LID that were opened under `state`:
/// not without an entry, be it over a cable that is gone now.
[[nodiscard]] bool may_be_open(const RoutingState& state, model::SwitchIndex source,
                               model::Lid destination) noexcept;
/// The levels of connections opened from now on, by `now`, and of those that may be open already.
[[nodiscard]] LevelSets levels_in_use(const Graph& graph, const RoutingState& before,
                                      const LevelSets& now);
/// Of those that may be open alone; pairs that cannot have any are given the levels that they will
/// have.
[[nodiscard]] LevelSets levels_until_told(const Graph& graph, const RoutingState& before,
                                          const LevelSets& now);

/// What can happen to packets while tables are replaced, and to connections that go on after it.
struct TransitionVerdict {
  struct Loop {
    model::Lid destination;
    std::vector<ArcIndex>
        arcs;  ///< each begins where the one before ends, the first after the last
  };
  /// LIDs toward which some mixture of old and new entries leads in a circle, ascending, and the
  /// loop of the lowest of them.
  std::vector<model::Lid> looping;
  std::optional<Loop> first_loop;
  /// A cycle in the dependency graph of all mixtures (form: Verdict::cycle). A deadlock that it
  /// begins outlasts the change.
  std::vector<ChannelLane> cycle;
  /// A cycle of the new entries alone, for the old and the new levels of every pair; looked for
  /// only if there is one in the mixture.
  std::vector<ChannelLane> settled_cycle;
  [[nodiscard]] bool good() const noexcept { return looping.empty() && cycle.empty(); }
};

/// Proves a change in flight: at each switch a packet may meet the old or the new entry, and the
/// old or the new SL to VL mapping, in any order of writing, and has the level that its pair had or
/// has. The dependency graph is that of all ways that this allows, so it holds those of every
/// mixture. Entries that lead nowhere now are passed over. O(switches on the way * LIDs * levels).
[[nodiscard]] TransitionVerdict check_transition(const Graph& graph,
                                                 const Availability& availability,
                                                 const RoutingState& before,
                                                 const RoutingState& after,
                                                 const CheckOptions& options, Workers& workers);

/// The dependency graph by which check_transition() judges: `levels` of all connections, `lanes` a
/// bit for each VL that they can be in. Of a state and itself, that of its tables.
[[nodiscard]] DependencySet mixture_dependencies(const Graph& graph,
                                                 const Availability& availability,
                                                 const RoutingState& before,
                                                 const RoutingState& after, const LevelSets& levels,
                                                 std::uint16_t lanes, Workers& workers);
/// The VLs that packets can be in while the one state becomes the other.
[[nodiscard]] std::uint16_t lanes_in_transition(const RoutingState& before,
                                                const RoutingState& after) noexcept;

}  // namespace heddle::routing
