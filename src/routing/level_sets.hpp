#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

namespace heddle::routing {

/// The service level of one path, as path records and files name it.
struct PairLevel {
  model::Lid source;
  model::Lid destination;
  model::Sl sl;
  constexpr auto operator<=>(const PairLevel&) const noexcept = default;
};

/// The service levels that terminals of a switch use toward a LID: several where tables of other
/// origin tell the hosts of one switch apart, or where open connections keep the level that they
/// began with. {0} unless said otherwise. Rows appear when they are needed.
class LevelSets {
 public:
  using Mask = std::uint16_t;  ///< a bit a level

  LevelSets() = default;
  explicit LevelSets(const PathLevels& levels);
  /// Pairs that are not named have level 0. A pair counts by the first LID of its source's range
  /// (further ones only add), and is passed over if the source is no terminal of the graph, the
  /// destination no LID of it, or both of one node.
  LevelSets(const Graph& graph, std::span<const PairLevel> pairs);

  /// Of all terminals of a switch together.
  [[nodiscard]] Mask levels(model::SwitchIndex source, model::Lid destination) const noexcept {
    return source.value() < rows_.size() ? cell(rows_[source.value()], destination) : kZero;
  }
  /// Of one of them, which hangs on `leaf`.
  [[nodiscard]] Mask levels(TerminalIndex source, model::SwitchIndex leaf,
                            model::Lid destination) const noexcept {
    const bool apart =
        source.value() < by_terminal_.size() && !by_terminal_[source.value()].empty();
    return apart ? cell(by_terminal_[source.value()], destination) : levels(leaf, destination);
  }
  /// Adds what the other, of the same graph, holds.
  void merge(const Graph& graph, const LevelSets& other);
  /// Makes what terminals of `source` use toward the LID what it is in the other, of the same
  /// graph.
  void copy(const Graph& graph, const LevelSets& other, model::SwitchIndex source,
            model::Lid destination);
  /// All levels that some pair may have.
  [[nodiscard]] Mask used() const noexcept;

 private:
  static constexpr Mask kZero = 1;
  using Row = std::vector<Mask>;  ///< by LID; 0 where nothing was said

  [[nodiscard]] static Mask cell(const Row& row, model::Lid destination) noexcept {
    const bool said = destination.value() < row.size() && row[destination.value()] != 0;
    return said ? row[destination.value()] : kZero;
  }
  void tell_terminals_apart(const Graph& graph, std::span<const PairLevel> sorted);
  static void merge_row(Row& into, const Row& other);

  std::vector<Row> rows_;  ///< by SwitchIndex
  /// By TerminalIndex; only where terminals of one switch differ, and empty if none do.
  std::vector<Row> by_terminal_;
};

}  // namespace heddle::routing
