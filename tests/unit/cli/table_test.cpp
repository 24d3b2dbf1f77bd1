#include "cli/table.hpp"

#include <gmock/gmock.h>

namespace heddle::cli {
namespace {

using Align = Column::Align;

TEST(Table, escapes_what_would_reach_the_terminal_as_a_command) {
  EXPECT_EQ(render_table({{"A"}, {"B"}}, {{{"x\x1b[2J"}, {"y\n"}}}, "", Colour::kOff),
            "A         B\nx\\x1b[2J  y\\x0a\n");
}

TEST(Table, aligns_columns_and_leaves_no_blanks_at_line_ends) {
  EXPECT_EQ(render_table({{"NAME"}, {"COUNT", Align::kRight}, {"NOTE"}},
                         {{{"leaf"}, {"7"}, {""}}, {{"a spine"}, {"1234567"}, {"odd"}}}, "  ",
                         Colour::kOff),
            "  NAME       COUNT  NOTE\n"
            "  leaf           7\n"
            "  a spine  1234567  odd\n");
}

TEST(Table, leaves_the_headings_out_if_all_are_empty) {
  EXPECT_EQ(render_table({{""}, {""}}, {{{"a"}, {"b"}}}, "", Colour::kOff), "a  b\n");
}

TEST(Table, counts_code_points_not_bytes) {
  EXPECT_EQ(render_table({{""}, {""}}, {{{"né"}, {"x"}}, {{"abc"}, {"y"}}}, "", Colour::kOff),
            "né   x\nabc  y\n");
}

TEST(Table, takes_rows_that_are_shorter_than_the_columns) {
  EXPECT_EQ(render_table({{"A"}, {"B"}}, {{{"1"}}}, "", Colour::kOff), "A  B\n1\n");
}

TEST(Table, colours_only_where_asked_and_outside_of_the_alignment) {
  const std::vector<std::vector<Cell>> rows{{{"bad", Tint::kBad}, {"x"}}};
  EXPECT_EQ(render_table({{""}, {""}}, rows, "", Colour::kOff), "bad  x\n");
  EXPECT_EQ(render_table({{""}, {""}}, rows, "", Colour::kOn), "\x1b[31mbad\x1b[0m  x\n");
}

}  // namespace
}  // namespace heddle::cli
