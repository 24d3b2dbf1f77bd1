#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"

namespace heddle::cli {

enum class Tint : unsigned char { kNone, kGood, kWarning, kBad, kHeading };

/// `text` between the escape sequences of `tint`, or as it is.
[[nodiscard]] std::string tinted(std::string_view text, Tint tint, Colour colour);

/// Columns a terminal needs for `text`: code points; wide and combining ones are counted as one.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

struct Cell {
  std::string text;
  Tint tint = Tint::kNone;
};

struct Column {
  enum class Align : bool { kLeft, kRight };
  std::string heading;  ///< no line of headings if all are empty
  Align align = Align::kLeft;
};

/// Rows as aligned columns, two spaces apart, each line behind `indent`, without blanks at the end
/// of a line. Rows have at most as many cells as there are columns.
[[nodiscard]] std::string render_table(const std::vector<Column>& columns,
                                       std::vector<std::vector<Cell>> rows, std::string_view indent,
                                       Colour colour);

}  // namespace heddle::cli
