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

  /// Cables up and across by which a switch may reach another, the same for all LIDs of that one.
  struct UpChoices {
    std::vector<UpSlot> cables;
    std::vector<std::uint16_t> at_label;  ///< place among them plus 1; 0 for none, or kSeveral
    bool whole = true;                    ///< all take every destination

    static constexpr std::uint16_t kSeveral = 0xFFFF;
    /// The one with the label, if there is one alone.
    [[nodiscard]] const UpSlot* single(std::uint16_t label) const noexcept {
      if (label >= at_label.size() || at_label[label] == 0 || at_label[label] == kSeveral) {
        return nullptr;
      }
      return &cables[at_label[label] - 1U];
    }
    [[nodiscard]] bool has(std::uint16_t label) const noexcept {
      return label < at_label.size() && at_label[label] != 0;
    }
    [[nodiscard]] bool has(const UpSlot& slot) const noexcept;
  };
  /// Memory of one thread for write_row().
  struct Scratch {
    std::vector<std::uint16_t>
        bundle_of;  ///< by SwitchIndex: place of the bundle that leads down to it, plus 1
    std::vector<std::uint64_t>
        open;  ///< destinations' switches that all upward slots can deliver to
    std::vector<std::uint8_t> port_of_slot;
    UpChoices up;  ///< toward the switch in hand
  };
  /// The whole row, by LID.
  void write_row(model::SwitchIndex sw, std::span<const DestinationRun> runs, Scratch& scratch,
                 std::span<std::uint8_t> row) const;
  /// What write_row() writes for the LIDs of one switch, in order of graph.destinations_at(at).
  void entries_at(model::SwitchIndex sw, model::SwitchIndex at, Scratch& scratch,
                  std::vector<std::uint8_t>& out) const;

 private:
  /// Which cables a choice may use: drained ones only where others do not lead.
  enum class Drained : std::uint8_t { kAvoid, kAllow };

  /// Of a destination that is not to be reached upwards.
  [[nodiscard]] std::uint8_t entry_below(model::SwitchIndex sw, std::uint32_t destination) const;
  [[nodiscard]] std::uint8_t entry_here(const Destination& to) const;
  [[nodiscard]] std::uint8_t entry_down(model::SwitchIndex sw, std::uint32_t destination) const;
  void find_up(model::SwitchIndex sw, model::SwitchIndex at, UpChoices& found) const;
  /// `up`: what find_up() gives for the destination's switch.
  [[nodiscard]] std::uint8_t entry_up(model::SwitchIndex sw, std::uint32_t destination,
                                      const UpChoices& up) const;
  [[nodiscard]] bool usable(ArcIndex cable, Drained drained) const {
    return drained == Drained::kAllow ? availability_.usable(graph_, cable)
                                      : availability_.undrained(graph_, cable);
  }
  /// A cable between switches of a level that ways to `at` do without.
  [[nodiscard]] bool idle(ArcIndex cable, model::SwitchIndex at) const {
    return plan_.order().is_sideways(cable) && !test_bit(reach_.sideways, at.value());
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
