#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/assert.hpp"

namespace heddle::mad {

/// Open transactions by their 32-bit number. Numbers count upwards and wrap, skipping 0 and those
/// whose place is still taken, so that none comes again while an answer to its last use may be
/// under way. Every operation is O(1).
template <class Value>
class TransactionTable {
 public:
  /// At most `capacity` may be open at once.
  TransactionTable(std::size_t capacity, std::uint32_t first)
      : places_(std::bit_ceil(std::max<std::size_t>(capacity, 16) * 4)), next_(first) {}

  [[nodiscard]] std::uint32_t open(Value value) {
    HEDDLE_ASSERT(open_ < places_.size());
    while (next_ == 0 || place(next_).value) ++next_;
    const std::uint32_t number = next_++;
    place(number) = {number, std::move(value)};
    ++open_;
    return number;
  }
  /// Null if there is none. Valid until the next call that changes something.
  [[nodiscard]] const Value* find(std::uint32_t number) const noexcept {
    const Place& found = places_[number & (places_.size() - 1)];
    return found.value && found.number == number ? &*found.value : nullptr;
  }
  void close(std::uint32_t number) {
    if (find(number) == nullptr) return;
    place(number).value.reset();
    --open_;
  }

 private:
  struct Place {
    std::uint32_t number = 0;
    std::optional<Value> value;
  };
  Place& place(std::uint32_t number) { return places_[number & (places_.size() - 1)]; }

  std::vector<Place> places_;  ///< a power of two, four times what may be open
  std::uint32_t next_;
  std::size_t open_ = 0;
};

}  // namespace heddle::mad
