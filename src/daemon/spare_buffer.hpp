#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace heddle::daemon {

/// Hands the memory of one large text on to the next: the first writing of fresh pages costs
/// several times what the text itself does. Holds one. Any thread.
class SpareBuffer {
 public:
  /// What give() got last, else an empty string.
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(buffer_, {});
  }
  void give(std::string buffer) noexcept {
    // What was held is freed after the lock is.
    const std::lock_guard lock(mutex_);
    buffer_.swap(buffer);
  }

 private:
  std::mutex mutex_;
  std::string buffer_;
};

}  // namespace heddle::daemon
