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
};

/// By level, then by SwitchIndex, so that cables between switches of one level have a direction
/// too. `level` by SwitchIndex, 0 the lowest.
[[nodiscard]] Order order_by_level(const Graph& graph, std::span<const std::uint8_t> level);

}  // namespace heddle::routing
