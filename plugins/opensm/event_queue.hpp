#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace heddle::plugin {

/// A bounded queue that any number of threads put into and one takes from, in the order in which
/// places were taken. Neither waits for anybody: put() says that there is no room. (The scheme is
/// Vyukov's: a number in each cell says whose turn it is.)
template <class T>
class EventQueue {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for `capacity` rounded up to a power of two.
  explicit EventQueue(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1), cells_(std::make_unique<Cell[]>(mask_ + 1)) {
    for (std::size_t i = 0; i <= mask_; ++i) {
      cells_[i].turn.store(i, std::memory_order_relaxed);
    }
  }

  /// False if there is no room. From any thread.
  bool put(const T& value) noexcept {
    std::size_t place = head_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[place & mask_];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == place) {
        if (head_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) {
          cell.value = value;
          cell.turn.store(place + 1, std::memory_order_release);
          return true;
        }
      } else if (static_cast<std::ptrdiff_t>(turn - place) < 0) {
        return false;
      } else {
        place = head_.load(std::memory_order_relaxed);
      }
    }
  }

  /// False if there is nothing. From one thread.
  bool take(T& value) noexcept {
    Cell& cell = cells_[tail_ & mask_];
    if (cell.turn.load(std::memory_order_acquire) != tail_ + 1) return false;
    value = cell.value;
    cell.turn.store(tail_ + mask_ + 1, std::memory_order_release);
    ++tail_;
    return true;
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    T value;
  };

  const std::size_t mask_;
  const std::unique_ptr<Cell[]> cells_;
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::size_t tail_ = 0;
};

}  // namespace heddle::plugin
