#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Cables on the shortest way between switches, over what is usable: from each of `from` to each of
/// `to`, one octet a pair. Breadth first from 64 destinations at a time, a bit each.
class Distances {
 public:
  static constexpr std::uint8_t kUnconnected = 255;
  static constexpr std::uint8_t kFar = 254;  ///< that far or farther

  /// Both ascending, without repetition. O(cables * diameter * to / 64 + from * to).
  Distances(const Graph& graph, const Availability& availability,
            std::span<const model::SwitchIndex> from, std::span<const model::SwitchIndex> to,
            Workers& workers);

  /// By position in `from`; `to` is the position in `to`.
  [[nodiscard]] std::span<const std::uint8_t> row(std::size_t to) const noexcept {
    return std::span(cells_).subspan(to * columns_, columns_);
  }

 private:
  std::size_t columns_;
  std::vector<std::uint8_t> cells_;
};

}  // namespace heddle::routing
