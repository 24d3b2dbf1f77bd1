#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "model/result.hpp"
#include "plugins/opensm/directed_paths.hpp"
#include "plugins/opensm/routing_run.hpp"
#include "plugins/opensm/weight_keeper.hpp"
#include "routing/availability.hpp"
#include "routing/routes.hpp"
#include "routing/tree_routes.hpp"
#include "routing/workers.hpp"
#include "routing/write_order.hpp"

namespace heddle::plugin {

/// What is to be written after a death, or for other weights.
struct Repair {
  /// The blocks of a step may be on their way together; the next step begins when all are in place.
  std::vector<std::vector<heddle_block>> steps;
  /// The first step takes entries away; packets are to be given their lifetime before the second.
  bool clears_first = false;
  std::vector<routing::ChangedEntry> entries;  ///< in order of switch, then LID
  std::size_t switches = 0;                    ///< that are written
  std::size_t blocks = 0;
  std::size_t away = 0;         ///< entries left to the sweep: their LIDs are gone
  std::size_t relaned = 0;      ///< likewise: paths would change their service level
  std::size_t lost = 0;         ///< pairs of a switch and a LID that had a way and have none now
  std::size_t interrupted = 0;  ///< that have none while it is written
};

/// What the switches hold between sweeps, and what is to be written there when cables die or are
/// worth something else. Its repairs are sticky: what the next run of the engine makes of the same
/// faults. Not for several threads at once.
class RepairBase {
 public:
  /// The run has a place of OpenSM. Proves it can compute what the run has, which takes as long as
  /// the run: not while anything waits.
  RepairBase(std::shared_ptr<const RoutingRun> run, routing::Workers& workers);

  [[nodiscard]] const RoutingRun& run() const noexcept { return *run_; }
  /// Whether repairs are computed from what changes alone, in milliseconds.
  [[nodiscard]] bool incremental() const noexcept { return tree_ != nullptr; }
  /// What the switches hold, as far as repairs were applied().
  [[nodiscard]] const model::ForwardingTables& tables() const noexcept { return tables_; }
  [[nodiscard]] const routing::Availability& present() const noexcept { return present_; }

  /// The weights in present().
  [[nodiscard]] const WeightSet& weights() const noexcept { return weights_; }

  /// With the cables of `dead` down too, and with `weights`, from now on. The tables count as
  /// repaired.
  [[nodiscard]] model::Result<Repair> repair(std::span<const routing::ArcIndex> dead,
                                             const WeightSet& weights, routing::Workers& workers);

  /// The next run of the engine, whose routes are then what repairs begin with.
  void follow(std::shared_ptr<const RoutingRun> run, routing::Workers& workers);

 private:
  void make_tree(routing::Workers& workers);
  [[nodiscard]] bool tree_agrees() const;
  [[nodiscard]] model::Result<routing::RoutesChange> changes(routing::Workers& workers);
  [[nodiscard]] model::Result<routing::RoutesChange> changes_afresh(
      routing::Workers& workers) const;
  [[nodiscard]] model::Result<routing::WritePlan> order(
      std::span<const routing::ChangedEntry> entries, routing::Workers& workers) const;

  std::shared_ptr<const RoutingRun> run_;
  std::shared_ptr<const RoutingRun> planned_;  ///< whose graph the tree is for
  std::unique_ptr<routing::TreeRoutes> tree_;
  bool has_detours_ = false;  ///< the tree had some before the last repair
  routing::Availability present_;
  WeightSet weights_;
  model::ForwardingTables tables_;
  std::set<model::Lid> relaned_;  ///< left to the next run: connections keep their level
};

}  // namespace heddle::plugin
