#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// What a path costs: drained cables first, then cables. So a drained one is passed only where
/// nothing else leads on, however short it makes the way.
class PathCost {
 public:
  constexpr PathCost() noexcept = default;  ///< nothing
  static constexpr PathCost far() noexcept { return PathCost(~std::uint32_t{0}); }
  [[nodiscard]] constexpr PathCost plus(CapacityPercent cable) const noexcept {
    return PathCost(value_ + (cable.value == 0 ? kDrained : 1U));
  }
  [[nodiscard]] constexpr bool is_far() const noexcept { return *this == far(); }
  /// A drained cable counts as very many.
  [[nodiscard]] constexpr std::uint32_t cables() const noexcept { return value_; }
  constexpr auto operator<=>(const PathCost&) const noexcept = default;

 private:
  /// More than the cables of any path: there are fewer switches than LIDs.
  static constexpr std::uint32_t kDrained = 1U << 16U;
  explicit constexpr PathCost(std::uint32_t value) noexcept : value_(value) {}
  std::uint32_t value_ = 0;
};

/// The least cost between each switch and the nearest of `ends`, by switch; far where no usable
/// cable leads. The same in both directions.
[[nodiscard]] std::vector<PathCost> costs_to(const Graph& graph, const Availability& availability,
                                             std::span<const model::SwitchIndex> ends);

}  // namespace heddle::routing
