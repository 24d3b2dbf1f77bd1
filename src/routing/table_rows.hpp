#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/graph.hpp"
#include "routing/reach.hpp"

namespace heddle::routing {

/// Destinations with consecutive LIDs at one switch.
struct DestinationRun {
  model::SwitchIndex at;
  std::uint32_t first = 0;  ///< into Graph::destinations()
  std::uint32_t count = 0;
};
[[nodiscard]] std::vector<DestinationRun> destination_runs(const Graph& graph);

/// Computes entries of a fat tree's tables for one state of availability; see FatTree. Stateless
/// but for what it refers to, so that any number of threads may share it.
class TableRows {
 public:
  TableRows(const Graph& graph, const FatTreePlan& plan, const Availability& availability,
            const Reach& reach)
      : graph_(graph), plan_(plan), availability_(availability), reach_(reach) {}

  /// Memory of one thread for write_row().
  struct Scratch {
    std::vector<std::uint16_t>
        bundle_of;  ///< by SwitchIndex: place of the bundle that leads down to it, plus 1
    std::vector<std::uint64_t>
        open;  ///< destinations' switches that all upward slots can deliver to
    std::vector<std::uint8_t> port_of_slot;
  };
  /// The whole row, by LID.
  void write_row(model::SwitchIndex sw, std::span<const DestinationRun> runs, Scratch& scratch,
                 std::span<std::uint8_t> row) const;
  /// One entry, ForwardingTables::kNoPort where nothing delivers: what write_row() writes, one by
  /// one.
  [[nodiscard]] std::uint8_t entry(model::SwitchIndex sw, std::uint32_t destination) const;

 private:
  /// Which cables a choice may use: drained ones only where others do not lead.
  enum class Drained : std::uint8_t { kAvoid, kAllow };

  [[nodiscard]] std::uint8_t entry_here(const Destination& to) const;
  [[nodiscard]] std::uint8_t entry_down(model::SwitchIndex sw, std::uint32_t destination) const;
  [[nodiscard]] std::uint8_t entry_up(model::SwitchIndex sw, std::uint32_t destination) const;
  [[nodiscard]] bool usable(ArcIndex cable, Drained drained) const {
    return drained == Drained::kAllow ? availability_.usable(graph_, cable)
                                      : availability_.undrained(graph_, cable);
  }
  [[nodiscard]] std::optional<ArcIndex> pick_parallel(std::span<const ArcIndex> cables,
                                                      std::uint32_t wanted, model::Lid lid,
                                                      Drained drained) const;
  [[nodiscard]] bool whole(std::span<const ArcIndex> cables) const;
  void open_columns(model::SwitchIndex sw, Scratch& scratch) const;
  void bundles_by_destination(model::SwitchIndex sw, Scratch& scratch) const;

  const Graph& graph_;
  const FatTreePlan& plan_;
  const Availability& availability_;
  const Reach& reach_;
};

}  // namespace heddle::routing
