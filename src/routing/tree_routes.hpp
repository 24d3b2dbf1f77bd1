#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/detour_column.hpp"
#include "routing/detour_space.hpp"
#include "routing/detours.hpp"
#include "routing/fat_tree.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// A service level that a repair gave to the paths from a switch to a LID.
struct ChangedLevel {
  model::SwitchIndex sw;
  model::Lid lid;
  model::Sl before;
  model::Sl after;
  bool operator==(const ChangedLevel&) const = default;
};

/// What a repair changed, each in order of switch, then LID.
struct RoutesChange {
  std::vector<ChangedEntry> entries;
  std::vector<ChangedLevel> levels;
};

/// The whole routes of a fat tree, kept up to date as things fail and return: FatTree's tables in
/// lane 0, and detours in further lanes for what up*/down* leaves out. They are a function of the
/// plan and of what is available alone, so a repair gives what computing afresh would. Proved
/// before they are given out: lane 0 by its order (ordered_proof.hpp), further lanes by walking
/// every detour and sorting what its channels wait for. After an error the next call starts from
/// nothing. Not for use from several threads at once; `graph` outlives it.
class TreeRoutes {
 public:
  TreeRoutes(const Graph& graph, FatTreePlan plan, std::uint8_t max_lanes);

  /// kConflict where the proof finds an error of our own making.
  [[nodiscard]] model::Status compute(const Availability& availability, Workers& workers);
  /// The same, from what the last call left. O(what changes and what could): for one cable far less
  /// than the tables.
  [[nodiscard]] model::Result<RoutesChange> repair(const Availability& availability,
                                                   Workers& workers);

  /// Repairs the loss of a cable and its return, twice, which leaves everything as it was: so that
  /// the first repair that counts finds its memory touched, which costs as much as the repair.
  [[nodiscard]] model::Status rehearse(Workers& workers);

  /// The tables of lane 0; the entries of detours() stand over them.
  [[nodiscard]] const model::ForwardingTables& ordered_tables() const noexcept {
    return tree_.tables();
  }
  [[nodiscard]] const FatTree& tree() const noexcept { return tree_; }
  [[nodiscard]] std::span<const DetourEntry> detours() const noexcept { return detours_.entries; }
  /// Pairs that no lane can take, in order of switch, then LID.
  [[nodiscard]] std::span<const Undelivered> undelivered() const noexcept {
    return detours_.undelivered;
  }
  /// All in one; nothing is left here.
  [[nodiscard]] Routes take_routes() &&;

 private:
  [[nodiscard]] Holes find_holes(const Availability& availability, Workers& workers) const;
  /// With their proof. Looks at nothing that proving lane 0 changes.
  [[nodiscard]] model::Status add_detours(const Availability& availability, const Holes& holes);

  const Graph* graph_;
  FatTree tree_;
  std::uint8_t max_lanes_;
  DetourSpace space_;
  Detours detours_;
  Availability proved_;  ///< what the tables were proved under
  bool whole_ = false;   ///< the tables are those of the last call, and proved
};

}  // namespace heddle::routing
