#include "cli/table.hpp"

#include <algorithm>

#include "model/fabric.hpp"

namespace heddle::cli {
namespace {

/// Escape sequences of ECMA-48, SGR.
std::string_view code_of(Tint tint) noexcept {
  switch (tint) {
    case Tint::kNone:
      return "";
    case Tint::kGood:
      return "\x1b[32m";
    case Tint::kWarning:
      return "\x1b[33m";
    case Tint::kBad:
      return "\x1b[31m";
    case Tint::kHeading:
      return "\x1b[1m";
  }
  return "";
}

std::string render_row(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                       const std::vector<Cell>& cells, std::string_view indent, Colour colour) {
  constexpr std::size_t kGap = 2;
  std::string line(indent);
  std::size_t owed = 0;  // blanks are written only before something visible
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t missing = widths[i] - display_width(cells[i].text);
    const bool right = columns[i].align == Column::Align::kRight;
    if (right) owed += missing;
    if (!cells[i].text.empty()) {
      line.append(owed, ' ');
      owed = 0;
      line += tinted(cells[i].text, cells[i].tint, colour);
    }
    owed += kGap + (right ? 0 : missing);
  }
  const std::size_t end = line.find_last_not_of(' ');
  line.resize(end == std::string::npos ? 0 : end + 1);
  line += '\n';
  return line;
}

}  // namespace

std::string tinted(std::string_view text, Tint tint, Colour colour) {
  const std::string_view code = code_of(tint);
  if (colour == Colour::kOff || code.empty()) return std::string(text);
  return std::string(code).append(text).append("\x1b[0m");
}

std::size_t display_width(std::string_view text) noexcept {
  const auto begins_code_point = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string render_table(const std::vector<Column>& columns, std::vector<std::vector<Cell>> rows,
                         std::string_view indent, Colour colour) {
  for (std::vector<Cell>& row : rows) {
    for (Cell& cell : row) cell.text = model::printable(cell.text);
  }
  std::vector<std::size_t> widths;
  std::vector<Cell> headings;
  bool any_heading = false;
  for (const Column& column : columns) {
    widths.push_back(display_width(column.heading));
    headings.push_back({column.heading, Tint::kHeading});
    any_heading = any_heading || !column.heading.empty();
  }
  for (const std::vector<Cell>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  std::string out;
  if (any_heading) out += render_row(columns, widths, headings, indent, colour);
  for (const std::vector<Cell>& row : rows) {
    out += render_row(columns, widths, row, indent, colour);
  }
  return out;
}

}  // namespace heddle::cli
