#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::routing {

/// Rows of bits of equal length, in words of 64.
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::size_t rows, std::size_t bits)
      : words_per_row_((bits + 63) / 64), words_(rows * words_per_row_) {}

  [[nodiscard]] std::size_t words_per_row() const noexcept { return words_per_row_; }
  [[nodiscard]] std::span<std::uint64_t> row(std::size_t index) noexcept {
    return std::span(words_).subspan(index * words_per_row_, words_per_row_);
  }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t index) const noexcept {
    return std::span(words_).subspan(index * words_per_row_, words_per_row_);
  }
  [[nodiscard]] bool test(std::size_t row_index, std::size_t bit) const noexcept {
    return ((words_[row_index * words_per_row_ + bit / 64] >> (bit % 64)) & 1U) != 0;
  }
  void set(std::size_t row_index, std::size_t bit) noexcept {
    words_[row_index * words_per_row_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  bool operator==(const BitRows&) const = default;

 private:
  std::size_t words_per_row_ = 0;
  std::vector<std::uint64_t> words_;
};

[[nodiscard]] inline bool test_bit(std::span<const std::uint64_t> words, std::size_t bit) noexcept {
  return ((words[bit / 64] >> (bit % 64)) & 1U) != 0;
}

/// Calls `visit(bit)` for each set bit, ascending.
template <class Visit>
void for_each_bit(std::span<const std::uint64_t> words, Visit visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

}  // namespace heddle::routing
