#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/detours.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/structure.hpp"

namespace heddle::routing {

/// Which group the paths to a LID pass on their way, in a dragonfly or dragonfly+ (Valiant and
/// Brebner, STOC 1981, between groups as in Kim et al., ISCA 2008). The first LID of a range has
/// none: its paths are minimal. The others of all terminals of a group are dealt to groups of the
/// other half, one after another, so that each gets as many. A switch has one entry for a LID, so
/// the group is a matter of the LID alone: all groups but it and the destination's own send there.
///
/// Groups with even and with odd numbers are the halves. As a LID of one half passes a group of the
/// other half, channels between groups that lead into the passed half wait for those that lead out
/// of it and never the other way: paths to one half cannot deadlock with each other, nor with
/// minimal ones. Paths to the other half get lanes of their own.
class ViaGroups {
 public:
  /// `turn` by TerminalIndex: terminals of a group with the same turn have different ways already
  /// (other spines), so they are dealt the same group.
  ViaGroups(const Graph& graph, const Structure& structure, std::span<const std::uint32_t> turn);

  /// LIDs that have a group to pass, as positions in Graph::destinations(), ascending.
  [[nodiscard]] std::span<const std::uint32_t> destinations() const noexcept {
    return destinations_;
  }
  /// Of one of destinations().
  [[nodiscard]] std::uint32_t via(std::uint32_t destination) const noexcept {
    return via_[destination];
  }
  /// Nothing for a switch that is connected with no leaf.
  [[nodiscard]] std::optional<std::uint32_t> group(model::SwitchIndex sw) const noexcept {
    return group_[sw.value()];
  }
  [[nodiscard]] std::uint32_t groups() const noexcept { return groups_; }
  /// Whether paths to a switch are those that need lanes of their own.
  [[nodiscard]] bool needs_own_lanes(model::SwitchIndex at) const noexcept {
    return group_[at.value()].value_or(1) % 2 == 0;
  }
  /// By a group and another: all cables from the one to the other, as the graph has them.
  [[nodiscard]] std::span<const ArcIndex> cables(std::uint32_t from, std::uint32_t to) const {
    return cables_[std::size_t{from} * groups_ + to];
  }

 private:
  std::vector<std::optional<std::uint32_t>> group_;  ///< by SwitchIndex
  std::uint32_t groups_ = 0;
  std::vector<std::uint32_t> destinations_;
  std::vector<std::uint32_t> via_;  ///< by destination; 0 where there is none
  std::vector<std::vector<ArcIndex>> cables_;
};

/// What an engine's own paths take, so that detours can be added to them: see DetourOptions.
struct OwnLanes {
  bool beyond_minimal = false;  ///< whether there are other paths than minimal ones
  model::Sl first_free_sl{std::uint8_t{1}};
  std::uint8_t first_free_lane = 1;
  std::vector<Dependency> standing;
};

/// Detours in lanes and levels that `own` leaves free. `own` outlives it.
[[nodiscard]] inline DetourOptions beyond(const OwnLanes& own, std::uint8_t max_lanes) {
  return {.first_sl = own.first_free_sl,
          .first_lane = own.first_free_lane,
          .max_lanes = max_lanes,
          .standing = own.standing};
}

/// What the paths of one level hold and wait for, each once, in order of arc held.
[[nodiscard]] std::vector<Dependency> dependencies_of_level(
    const Graph& graph, const Availability& availability, const model::ForwardingTables& tables,
    const Lanes& lanes, model::Sl sl, std::span<const std::uint32_t> destinations);

}  // namespace heddle::routing
