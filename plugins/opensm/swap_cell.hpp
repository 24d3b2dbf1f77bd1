#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::plugin {

/// A value that any number of threads read without waiting while one thread replaces it. What was
/// replaced lives until a later replacement meets no reader.
template <class T>
class SwapCell {
 public:
  SwapCell() = default;
  SwapCell(const SwapCell&) = delete;
  SwapCell& operator=(const SwapCell&) = delete;

  /// What `look` makes of the value, null before the first replacement. From any thread.
  template <class Look>
  auto read(Look look) const noexcept {
    readers_.fetch_add(1);
    const auto seen = look(static_cast<const T*>(current_.load()));
    readers_.fetch_sub(1);
    return seen;
  }

  /// One thread at a time.
  void replace(std::unique_ptr<const T> next) {
    kept_.push_back(std::move(next));
    current_.store(kept_.back().get());
    // Whoever counts himself in after this sees the new value, as all of it is in one total order.
    if (readers_.load() == 0) kept_.erase(kept_.begin(), kept_.end() - 1);
  }

 private:
  mutable std::atomic<std::uint32_t> readers_{0};
  std::atomic<const T*> current_{nullptr};
  std::vector<std::unique_ptr<const T>> kept_;  ///< the last is the current one
};

}  // namespace heddle::plugin
