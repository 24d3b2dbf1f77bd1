#include <gmock/gmock.h>

#include "discovery/guid2lid_text.hpp"
#include "discovery/weights_text.hpp"

namespace heddle::discovery {
namespace {

using model::Lid;
using testing::HasSubstr;

std::string error_of(const auto& result) {
  return result ? std::string() : result.error().message();
}

TEST(Guid2LidTextTest, ReadsWhatOpenSmWrites) {
  const auto lids =
      parse_guid2lid("0x0002c90300000011 0x0004 0x0007\n\n# remark\n0x2c9 0x1 0x1\n", "guid2lid");
  ASSERT_TRUE(lids.has_value()) << error_of(lids);
  ASSERT_EQ(lids->size(), 2U);
  const model::LidRange& range = lids->at(model::PortGuid{std::uint64_t{0x0002c90300000011}});
  EXPECT_EQ(range.first, Lid{std::uint16_t{4}});
  EXPECT_EQ(range.last, Lid{std::uint16_t{7}});
}

TEST(Guid2LidTextTest, SaysWhereALineIsWrong) {
  const auto refused = [](std::string_view text) { return error_of(parse_guid2lid(text, "g")); };
  EXPECT_THAT(refused("0x11 0x1 0x1\nhost 0x2 0x2\n"), HasSubstr("g:2: expected a port GUID"));
  EXPECT_THAT(refused("0x11 0x1\n"), HasSubstr("g:1: expected a LID"));
  EXPECT_THAT(refused("0x11 0x0 0x1\n"), HasSubstr("g:1: expected a LID from 0x0001 to 0xbfff"));
  EXPECT_THAT(refused("0x11 0x1 0xc000\n"), HasSubstr("g:1: expected a LID from 0x0001 to 0xbfff"));
  EXPECT_THAT(refused("0x11 0x1 0x1 0x1\n"), HasSubstr("g:1: expected the end of the line"));
  EXPECT_THAT(refused("0x11 0x1 0x1\n0x11 0x2 0x2\n"),
              HasSubstr("g:2: port 0x0000000000000011 stands here for the second time"));
}

TEST(WeightsTextTest, ReadsPercentagesByPort) {
  const auto weights =
      parse_weights("# drained\n0x0002c90300000000/5 0\n0x0002c90300000000/6\t100\n", "w");
  ASSERT_TRUE(weights.has_value()) << error_of(weights);
  ASSERT_EQ(weights->size(), 2U);
  EXPECT_EQ(weights->begin()->second, 0);
  EXPECT_EQ(weights->rbegin()->second, 100);
}

TEST(WeightsTextTest, SaysWhereALineIsWrong) {
  const auto refused = [](std::string_view text) { return error_of(parse_weights(text, "w")); };
  EXPECT_THAT(refused("0x1 5\n"), HasSubstr("w:1: '0x1' is not GUID/PORT"));
  EXPECT_THAT(refused("0x1/1 5\n0x1/2 101\n"),
              HasSubstr("w:2: expected a percentage from 0 to 100"));
  EXPECT_THAT(refused("0x1/1 -5\n"), HasSubstr("w:1: expected a percentage from 0 to 100"));
  EXPECT_THAT(refused("0x1/1 5 6\n"), HasSubstr("w:1: expected a percentage from 0 to 100"));
  EXPECT_THAT(refused("0x1/1 5\n0x1/1 6\n"),
              HasSubstr("w:2: port 0x0000000000000001/1 stands here for the second time"));
}

}  // namespace
}  // namespace heddle::discovery
