#include "cli/recognise_hints.hpp"

#include <gmock/gmock.h>

#include <string>

#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

using model::NodeGuid;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSpine0 = "0x0002c90300000000";
constexpr const char* kSpine1 = "0002C90300000010";

NodeGuid guid(const char* text) { return NodeGuid{*model::parse_guid(text)}; }

/// What parse_roots() has to say against a text.
std::string roots_error(const std::string& text) {
  const auto roots = parse_roots(text, "f.roots", support::ft2_k4());
  return roots ? "" : roots.error().message();
}
std::string groups_error(const std::string& text) {
  const auto groups = parse_groups(text, "f.groups", support::ft2_k4());
  return groups ? "" : groups.error().message();
}

TEST(RecogniseHints, roots_stand_one_a_line_between_comments) {
  const auto roots =
      parse_roots(std::string("# the spines\r\n\n  ") + kSpine0 + "\t# left\n" + kSpine1, "f",
                  support::ft2_k4());
  ASSERT_TRUE(roots) << roots.error().message();
  EXPECT_THAT(*roots, ElementsAre(guid(kSpine0), guid(kSpine1)));
  EXPECT_THAT(*parse_roots("# nothing\n", "f", support::ft2_k4()), IsEmpty());
}

TEST(RecogniseHints, groups_are_named_by_any_word_and_keep_their_order) {
  const auto groups = parse_groups(
      std::string("west ") + kSpine1 + "\neast " + kSpine0 + "\nwest 0x0002c90200000000 # a leaf\n",
      "f", support::ft2_k4());
  ASSERT_TRUE(groups) << groups.error().message();
  EXPECT_THAT(*groups, ElementsAre(ElementsAre(guid(kSpine1), guid("0002c90200000000")),
                                   ElementsAre(guid(kSpine0))));
}

TEST(RecogniseHints, says_in_which_line_a_file_is_wrong) {
  EXPECT_EQ(roots_error("\nspine-0000\n"),
            "f.roots:2: expected a GUID at column 1, found 'spine-0000'");
  EXPECT_EQ(roots_error(std::string(kSpine0) + " " + kSpine1),
            "f.roots:1: expected the end of the line at column 20, found '0002C90300000010'");
  EXPECT_EQ(roots_error("0x1"), "f.roots:1: 0x0000000000000001 is no switch of the fabric");
  // A host adapter.
  EXPECT_EQ(roots_error("0x0002c90100000000"),
            "f.roots:1: 0x0002c90100000000 is no switch of the fabric");
  EXPECT_EQ(roots_error(std::string(kSpine0) + "\n" + kSpine0),
            "f.roots:2: 0x0002c90300000000 stands here for the second time");
  EXPECT_EQ(groups_error("west"), "f.groups:1: expected a GUID at the end of the line");
  EXPECT_EQ(groups_error(std::string("a ") + kSpine0 + "\nb " + kSpine0),
            "f.groups:2: 0x0002c90300000000 stands here for the second time");
}

TEST(RecogniseHints, a_file_that_is_not_there_is_an_error) {
  EXPECT_FALSE(read_hints("/nonexistent/roots", std::nullopt, support::ft2_k4()));
  EXPECT_FALSE(read_hints(std::nullopt, "/nonexistent/groups", support::ft2_k4()));
  const auto none = read_hints(std::nullopt, std::nullopt, support::ft2_k4());
  ASSERT_TRUE(none);
  EXPECT_THAT(none->roots, IsEmpty());
  EXPECT_THAT(none->groups, IsEmpty());
}

}  // namespace
}  // namespace heddle::cli
