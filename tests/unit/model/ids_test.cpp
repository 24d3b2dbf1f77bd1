#include "model/ids.hpp"

#include <gtest/gtest.h>

#include "model/fabric.hpp"

namespace heddle::model {
namespace {

TEST(Ids, GuidsPrintAsSixteenHexDigitsAndLidsAsDecimals) {
  EXPECT_EQ(fmt::format("{}", NodeGuid{std::uint64_t{0x2c90000000010}}), "0x0002c90000000010");
  EXPECT_EQ(fmt::format("{}", Lid{std::uint16_t{48}}), "48");
  EXPECT_EQ(fmt::format("{}", PKey{std::uint16_t{0x7fff}}), "0x7fff");
}

TEST(Ids, GuidTextIsReadWithAndWithoutPrefixAndNothingElseIs) {
  EXPECT_EQ(parse_guid("0x0002c90000000010"), 0x2c90000000010u);
  EXPECT_EQ(parse_guid("fa57000000000240"), 0xfa57000000000240u);
  for (const char* bad : {"", "0x", "0xg", " 12", "12 ", "-1", "10000000000000000", "0x0x1"}) {
    EXPECT_FALSE(parse_guid(bad)) << bad;
  }
}

TEST(Ids, DecimalTextIsBoundedByTheGivenMaximum) {
  EXPECT_EQ(parse_decimal("254", 254), 254u);
  for (const char* bad : {"", "255", "1x", "-1", "+1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_decimal(bad, 254)) << bad;
  }
}

TEST(Ids, OnlyLidsBelowTheMulticastRangeAreUnicast) {
  EXPECT_FALSE(is_unicast(Lid{std::uint16_t{0}}));
  EXPECT_TRUE(is_unicast(Lid{std::uint16_t{1}}));
  EXPECT_TRUE(is_unicast(Lid{std::uint16_t{0xBFFF}}));
  EXPECT_FALSE(is_unicast(Lid{std::uint16_t{0xC000}}));
}

TEST(Ids, PortKeysReadBackWhatTheyPrint) {
  const PortKey key{NodeGuid{std::uint64_t{0xfa57000000000240}}, PortNum{std::uint8_t{36}}};
  EXPECT_EQ(to_string(key), "0xfa57000000000240/36");
  EXPECT_EQ(parse_port_key(to_string(key)).value(), key);
  for (const char* bad : {"", "0x1", "0x1/", "/1", "0x1/255", "0x1/-1", "x/1"}) {
    EXPECT_FALSE(parse_port_key(bad)) << bad;
  }
}

}  // namespace
}  // namespace heddle::model
