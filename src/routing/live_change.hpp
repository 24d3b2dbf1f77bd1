#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/check.hpp"
#include "routing/graph.hpp"
#include "routing/level_sets.hpp"
#include "routing/routes.hpp"
#include "routing/transition.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// A pair that must be opened on another service level from now on. Connections that are open stay
/// on the old one and follow the new entries.
struct LevelChange {
  model::SwitchIndex source;  ///< of the terminals
  model::Lid destination;
  LevelSets::Mask before;  ///< levels, a bit each
  LevelSets::Mask after;
  bool operator==(const LevelChange&) const = default;
};

/// The pairs of a switch with usable terminals and a usable LID that may have connections, since
/// the old tables have an entry for them, and that have a level now which they did not have. In
/// order of source, then LID. O(switches with terminals * LIDs).
[[nodiscard]] std::vector<LevelChange> changed_levels(const Graph& graph,
                                                      const Availability& availability,
                                                      const RoutingState& before,
                                                      const LevelSets& after);

/// How new tables go into a fabric that carries traffic.
struct LiveChange {
  std::vector<LevelChange> levels;
  /// Pairs of Routes::undelivered that are there because open connections on their old level could
  /// deadlock on the new entries: to be delivered again when their path records have been renewed.
  std::vector<Undelivered> withheld;
  /// Entries to be cleared before any other is written, and a packet's lifetime to be waited for:
  /// otherwise some mixture of old and new entries loops or can deadlock. In order of switch, then
  /// LID; `after` is kNoPort. Empty where any order of writing will do.
  std::vector<ChangedEntry> clear_first;
  /// Of the mixture that is left with the above; not good only if the old tables were not, or with
  /// RiskOfDeadlock::kAccept.
  TransitionVerdict transition;
};

/// The tables with those entries cleared.
[[nodiscard]] model::ForwardingTables without(model::ForwardingTables tables,
                                              std::span<const ChangedEntry> entries);

/// Whether entries that open connections may deadlock on, on their old level, are written.
enum class RiskOfDeadlock : std::uint8_t { kRefuse, kAccept };

/// Makes `routes`, which check_routes() finds good, fit to be written over `before`: withholds from
/// them what open connections could deadlock on. All tables of one graph.
[[nodiscard]] LiveChange make_live(const Graph& graph, const Availability& availability,
                                   const RoutingState& before, RiskOfDeadlock risk, Routes& routes,
                                   Workers& workers);

}  // namespace heddle::routing
