#pragma once

#include <algorithm>
#include <chrono>

namespace heddle::model {

/// Exponential back-off: after each failure the next attempt is allowed later, doubling up to a
/// limit; a success forgets all. Time is an argument. Not for use from several threads.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::chrono::milliseconds first{1000};
    std::chrono::milliseconds limit{60000};
  };
  explicit Backoff(Options options) noexcept : options_(options) {}

  void failed(Clock::time_point now) noexcept {
    delay_ = delay_.count() == 0 ? options_.first : std::min(delay_ * 2, options_.limit);
    next_ = now + delay_;
  }
  void succeeded() noexcept {
    delay_ = {};
    next_ = {};
  }
  [[nodiscard]] bool waiting(Clock::time_point now) const noexcept {
    return delay_.count() != 0 && now < next_;
  }
  [[nodiscard]] bool failing() const noexcept { return delay_.count() != 0; }
  [[nodiscard]] Clock::time_point next_attempt() const noexcept { return next_; }

 private:
  Options options_;
  std::chrono::milliseconds delay_{};
  Clock::time_point next_{};
};

}  // namespace heddle::model
