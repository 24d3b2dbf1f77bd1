#pragma once

#include <cstdint>
#include <optional>

#include "routing/availability.hpp"
#include "routing/fat_tree.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/turn_reach.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Ways between pairs that the order of a dragonfly+ (up, across once, down) leaves out: a leaf and
/// a spine of a group that the spine has no cable to, say. Two lanes hold all of them, on service
/// level 0, without a search, as the lane follows from the ports by which a packet enters and
/// leaves a switch. VL 1 has
///  - cables down out of the switch where a packet starts,
///  - cables across for those that came across,
///  - cables up out of a late leaf for those that came down;
/// VL 0 all the rest. A late leaf is every other one of a group. Packets that start downwards turn
/// up in leaves that are not late; those that turn up in a late leaf end at the next switch. So
/// channels wait for each other in one order only, those of a kind as the tree's order has them:
///
///     down from the start (VL 1) < up (VL 0) < across (VL 0) < across again (VL 1)
///       < down (VL 0) < up from a late leaf (VL 1)
///
/// Which of equal cables a LID takes follows from its number, as in FatTree, and from a rendezvous
/// hash where that one is not there: nothing else moves.
class TurnDetours {
 public:
  /// Finds out what can be delivered. `tree` has computed with this availability; all outlive the
  /// detours.
  TurnDetours(const Graph& graph, const Structure& structure, const FatTree& tree,
              const Availability& availability, Workers& workers);

  /// Whether no pair with a terminal at either end is left out.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// Entries that the order leaves empty.
  [[nodiscard]] std::uint64_t holes() const noexcept { return holes_; }

  /// Sets the entries and lane mappings in routes that are otherwise of the tree's order. The first
  /// entry that does not do what the order above asks for, none if it is right; whatever the order
  /// leads to is passed by as it is.
  [[nodiscard]] std::optional<Undelivered> write(Routes& routes, Workers& workers) const;

 private:
  [[nodiscard]] TurnPlaces places(const Structure& structure) const;
  void count();
  void map_lanes(LaneMaps& maps) const;

  const Graph& graph_;
  const FatTree& tree_;
  const Availability& availability_;
  TurnPlaces places_;
  TurnReach ways_;
  bool complete_ = true;
  std::uint64_t holes_ = 0;
};

}  // namespace heddle::routing
