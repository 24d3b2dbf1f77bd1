#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/graph.hpp"
#include "routing/reach.hpp"
#include "routing/reach_change.hpp"
#include "routing/routes.hpp"
#include "routing/table_rows.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Tables of a fat tree in one lane: up*/down* by the plan's slots. The tables are a function of
/// the plan and of what is available, of nothing else: when a cable returns they are bit for bit
/// those of before. A destination whose slot is not available, or leads to a parent that cannot
/// deliver, moves to the slot that a rendezvous hash of (LID, label, level) picks among those that
/// can, the same for all switches of a level; nothing else moves. Holds the memory that computing
/// needs, so that the next call is faster. Not for use from several threads at once; `graph`
/// outlives it.
class FatTree {
 public:
  FatTree(const Graph& graph, FatTreePlan plan);

  /// All tables from nothing.
  void compute(const Availability& availability, Workers& workers);
  /// The same tables as compute() would make, from those of the last call; what changed, in order
  /// of switch, then LID.
  std::vector<ChangedEntry> repair(const Availability& availability, Workers& workers);

  /// Entries stay empty where up*/down* cannot deliver. Valid until the next call.
  [[nodiscard]] const model::ForwardingTables& tables() const noexcept { return tables_; }
  [[nodiscard]] const Reach& reach() const noexcept { return reach_; }
  [[nodiscard]] const FatTreePlan& plan() const noexcept { return plan_; }
  /// Moves the tables out; the next call starts from nothing.
  [[nodiscard]] model::ForwardingTables take_tables() && { return std::move(tables_); }

 private:
  bool find_change(const Availability& availability, std::span<const model::SwitchIndex> touched,
                   Workers& workers);

  const Graph* graph_;
  FatTreePlan plan_;
  Availability availability_;
  std::vector<DestinationRun> runs_;
  Reach reach_;
  ReachChange change_;  ///< by the last repair()
  model::ForwardingTables tables_;
};

}  // namespace heddle::routing
