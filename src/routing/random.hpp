#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "routing/rendezvous.hpp"

namespace heddle::routing {

/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers with every standard library,
/// whose own distributions and shuffles differ.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t operator()() noexcept {
    const std::uint64_t drawn = mixed(state_);
    state_ += kGoldenStep;
    return drawn;
  }
  /// Below `bound`, which is not 0, each equally likely.
  std::uint64_t below(std::uint64_t bound) noexcept {
    const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 mod bound: numbers to draw again
    std::uint64_t drawn = (*this)();
    while (drawn < surplus) drawn = (*this)();
    return drawn % bound;
  }

 private:
  std::uint64_t state_;
};

/// 0 … count - 1 in random order (Fisher and Yates).
[[nodiscard]] inline std::vector<std::uint32_t> random_order(std::uint32_t count,
                                                             SplitMix64& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::uint32_t>(random.below(i))]);
  }
  return order;
}

}  // namespace heddle::routing
