#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/graph.hpp"

namespace heddle::routing {

/// Which switches of a level stand for each other: in a PGFT all with the same digits below their
/// level, that is, one of each pod. They are told by the upper neighbours that they share, by
/// majority, so neither a missing nor a swapped cable changes a column. Where that leaves several
/// of one pod, since each of them meets all upper switches, each is a column.
struct Columns {
  struct Column {
    /// Place among the columns that serve the same lower column: what a lower switch knows its
    /// parents by. 0 for leaves.
    std::uint16_t label = 0;
    /// Labels that parents of its members have in the intact tree, 0 for roots.
    std::uint16_t width = 0;
    /// The column of most lower neighbours; of several that share their parents the first.
    std::optional<std::uint32_t> lower;
    /// The first of the columns that share their parents with this one: itself, unless all parents
    /// meet several switches of a pod.
    std::uint32_t first = 0;
  };
  std::vector<std::uint32_t> of;  ///< by SwitchIndex, into columns
  /// Level by level from the roots down, within a level by lowest SwitchIndex.
  std::vector<Column> columns;

  /// Whether the parent stands among those that switches like `sw` know by their labels.
  [[nodiscard]] bool serves(model::SwitchIndex parent, model::SwitchIndex sw) const noexcept {
    return at(parent).lower == at(sw).first;
  }
  [[nodiscard]] const Column& at(model::SwitchIndex sw) const noexcept {
    return columns[of[sw.value()]];
  }
};

/// `level` by SwitchIndex, 0 the lowest. Cables between levels that are not neighbours are ignored.
[[nodiscard]] Columns find_columns(const Graph& graph, std::span<const std::uint8_t> level);

/// Gives highest switches of different groups that are cabled to each other the same label, as far
/// as each group's labels allow: by the votes of the cables between groups, so that neither the
/// GUIDs within a group nor some missing cables matter. Cabling without such classes keeps its
/// labels.
void align_labels(const Graph& graph, std::span<const std::uint8_t> level, Columns& columns);

}  // namespace heddle::routing
