#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/order.hpp"
#include "routing/reach.hpp"

namespace heddle::routing {

/// Rows of Reach::down, Reach::any and Reach::sideways that differ between two states, and in which
/// bits.
class ReachChange {
 public:
  /// No row differs.
  void clear(std::size_t switches, std::size_t words_per_row);
  /// Notes the difference, if there is one, and says whether.
  bool note_down(model::SwitchIndex sw, std::span<const std::uint64_t> before,
                 std::span<const std::uint64_t> now) {
    return note(down_[sw.value()], before, now);
  }
  bool note_any(model::SwitchIndex sw, std::span<const std::uint64_t> before,
                std::span<const std::uint64_t> now) {
    return note(any_[sw.value()], before, now);
  }
  void note_sideways(std::span<const std::uint64_t> before, std::span<const std::uint64_t> now);

  /// Bits by SwitchIndex; empty where the row is the same.
  [[nodiscard]] std::span<const std::uint64_t> down(model::SwitchIndex sw) const noexcept {
    return difference(down_[sw.value()]);
  }
  [[nodiscard]] std::span<const std::uint64_t> any(model::SwitchIndex sw) const noexcept {
    return difference(any_[sw.value()]);
  }
  [[nodiscard]] std::span<const std::uint64_t> sideways() const noexcept { return sideways_; }

 private:
  bool note(std::uint32_t& place, std::span<const std::uint64_t> before,
            std::span<const std::uint64_t> now);
  [[nodiscard]] std::span<const std::uint64_t> difference(std::uint32_t place) const noexcept {
    return place == 0 ? std::span<const std::uint64_t>()
                      : std::span(words_).subspan((place - std::size_t{1}) * words_per_row_,
                                                  words_per_row_);
  }

  std::size_t words_per_row_ = 0;
  std::vector<std::uint32_t> down_;  ///< by switch: place among the differences plus 1, 0 for none
  std::vector<std::uint32_t> any_;
  std::vector<std::uint64_t> sideways_;
  std::vector<std::uint64_t> words_;  ///< differences, one after another
};

/// Whether update_reach() may follow from a reach to what is available now: nothing is or was
/// drained, and no cables lie between switches of a level. `touched`:
/// Availability::changed_since().
[[nodiscard]] bool can_update_reach(const Order& order, const Graph& graph, const Availability& now,
                                    std::span<const model::SwitchIndex> touched,
                                    const Reach& reach);
/// Makes `reach` what find_reach() would find now, and says where it differs from what it was. Only
/// rows that may differ are computed: O(switches + cables of those * switches / 64).
void update_reach(const Order& order, const Graph& graph, const Availability& now,
                  std::span<const model::SwitchIndex> touched, Reach& reach, ReachChange& change);

}  // namespace heddle::routing
