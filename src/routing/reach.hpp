#pragma once

#include <cstdint>
#include <vector>

#include "routing/availability.hpp"
#include "routing/bit_rows.hpp"
#include "routing/graph.hpp"
#include "routing/order.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Which switches each switch can reach over what is available, rows and bits by SwitchIndex. A
/// switch reaches itself. Drained cables (capacity 0) are apart: what they alone can reach is
/// reached by them, nothing else.
///
/// Cables between switches of one level are left alone: a swapped one would draw to itself all that
/// goes to the switches behind it. Only where switches with hosts cannot reach a switch otherwise
/// do the ways to that one use them, all of its ways in the same manner.
struct Reach {
  BitRows down;  ///< by going down only, over any usable cable
  /// Up, across at most once, then down: down where that is possible, else as the cables lead; over
  /// any usable one.
  BitRows any;
  /// The same without drained cables; where `down` leads only over a drained one, `preferred` has
  /// no bit, so that switches below choose another way up.
  BitRows down_preferred;
  BitRows preferred;
  std::vector<std::uint64_t>
      sideways;  ///< a row: whose ways use cables between switches of a level
  bool has_drained =
      false;  ///< else the preferred rows are empty: they would be those of `down` and `any`
};

/// O(cables * switches / 64). Reuses the memory of `reach`.
void find_reach(const Order& order, const Graph& graph, const Availability& availability,
                Workers& workers, Reach& reach);

}  // namespace heddle::routing
