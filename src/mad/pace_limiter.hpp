#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace heddle::mad {

/// Allows at most `per_second` events a second, evenly spread, and up to 10 ms worth of them at
/// once, because callers wake up a millisecond apart. Time is an argument.
class PaceLimiter {
 public:
  using Clock = std::chrono::steady_clock;
  /// 0: no limit.
  explicit PaceLimiter(std::uint32_t per_second) noexcept
      : interval_(per_second == 0 ? Clock::duration{}
                                  : Clock::duration{std::chrono::seconds{1}} / per_second) {}

  [[nodiscard]] bool allows(Clock::time_point now) const noexcept { return now >= due(); }
  /// When allows() holds next.
  [[nodiscard]] Clock::time_point due() const noexcept { return theoretical_ - kBurst; }
  void count(Clock::time_point now) noexcept {
    theoretical_ = std::max(theoretical_, now) + interval_;
  }

 private:
  static constexpr std::chrono::milliseconds kBurst{10};
  Clock::duration interval_;
  /// When the next event would be if all were evenly spread.
  Clock::time_point theoretical_{};
};

}  // namespace heddle::mad
