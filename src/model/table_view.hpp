#pragma once

#include <cstddef>
#include <span>

namespace heddle::model {

/// Rows of equal length in one flat array.
template <class T>
class TableView {
 public:
  TableView(std::span<T> cells, std::size_t row_length) noexcept
      : cells_(cells), row_length_(row_length) {}
  [[nodiscard]] std::span<T> row(std::size_t index) const noexcept {
    return cells_.subspan(index * row_length_, row_length_);
  }
  [[nodiscard]] std::size_t row_length() const noexcept { return row_length_; }

 private:
  std::span<T> cells_;
  std::size_t row_length_;
};

}  // namespace heddle::model
