#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/direction.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// An order of the switches, which tells up from down.
struct Order {
  std::vector<model::SwitchIndex> ascending;
  std::vector<Direction> directions;  ///< by ArcIndex
  /// By ArcIndex, or empty if there is none: cables between switches of one level, which lead up in
  /// one direction and down in the other by no more than their numbers.
  std::vector<std::uint8_t> sideways;

  [[nodiscard]] bool is_sideways(ArcIndex arc) const noexcept {
    return !sideways.empty() && sideways[arc.value()] != 0;
  }
};

/// By level, then by SwitchIndex, so that cables between switches of one level have a direction
/// too. `level` by SwitchIndex, 0 the lowest.
[[nodiscard]] Order order_by_level(const Graph& graph, std::span<const std::uint8_t> level);

}  // namespace heddle::routing
