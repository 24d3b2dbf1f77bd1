#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace heddle::daemon {

/// Where one writer puts the newest immutable value and any thread takes it. A mutex and not
/// std::atomic<shared_ptr>: ThreadSanitizer reports races inside libstdc++ 12's.
template <class T>
class SnapshotCell {
 public:
  explicit SnapshotCell(std::shared_ptr<const T> first) : value_(std::move(first)) {}

  [[nodiscard]] std::shared_ptr<const T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  /// The old value is released by the parameter, after the lock: it may be large.
  void store(std::shared_ptr<const T> next) {
    const std::lock_guard lock(mutex_);
    value_.swap(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace heddle::daemon
