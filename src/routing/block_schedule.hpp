#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/column_order.hpp"
#include "routing/routes.hpp"

namespace heddle::routing {

/// In which step each changed entry is written.
struct BlockSchedule {
  std::vector<std::uint32_t> step;  ///< by position, from 0 on
  std::uint32_t steps = 0;
  /// Positions in order of switch, then LID: entries of one block lie beside each other.
  std::vector<std::uint32_t> by_block;
};

/// Puts entries into steps such that each comes in a later step than those it waits for, in as few
/// steps as whole blocks allow. A block is written when nothing holds any of its entries. Where
/// blocks hold each other in a circle, one of them is written in part, with what nothing holds, and
/// again when the rest may be: the one whose part frees most. Entries marked `last`, all of one
/// LID, also wait for all blocks without a change of that LID. `changes` in order of LID, then
/// switch; the precedences have no circle and stay within a LID. O(changes log changes +
/// precedences), the linear part again for each step that cuts circles.
[[nodiscard]] BlockSchedule schedule_blocks(std::span<const ChangedEntry> changes,
                                            std::span<const Precedence> precedences,
                                            std::span<const std::uint8_t> last,
                                            std::span<const std::uint32_t> rounds);

}  // namespace heddle::routing
