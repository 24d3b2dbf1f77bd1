#include "model/link_rate.hpp"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

struct Row {
  const char* text;
  std::uint64_t signalling;
  std::uint64_t data;
};

class ExactRates : public testing::TestWithParam<Row> {};

TEST_P(ExactRates, AreSignallingAndDataBitsPerSecond) {
  const LinkRate rate = parse_link_rate(GetParam().text);
  EXPECT_EQ(to_string(rate), GetParam().text);
  EXPECT_EQ(signalling_rate(rate)->value(), GetParam().signalling);
  EXPECT_EQ(data_rate(rate)->value(), GetParam().data);
}

INSTANTIATE_TEST_SUITE_P(
    OfEverySpeedAndWidth, ExactRates,
    testing::Values(Row{"1xSDR", 2'500'000'000, 2'000'000'000},
                    Row{"4xDDR", 20'000'000'000, 16'000'000'000},
                    Row{"4xQDR", 40'000'000'000, 32'000'000'000},
                    Row{"4xFDR10", 41'250'000'000, 40'000'000'000},
                    // 14.0625 x 64/66 is no whole number of bits: rounded down.
                    Row{"4xFDR", 56'250'000'000, 54'545'454'545},
                    Row{"4xEDR", 103'125'000'000, 100'000'000'000},
                    Row{"2xHDR", 106'250'000'000, 100'000'000'000},
                    Row{"4xHDR", 212'500'000'000, 200'000'000'000},
                    Row{"4xNDR", 425'000'000'000, 400'000'000'000},
                    Row{"4xXDR", 850'000'000'000, 800'000'000'000},
                    Row{"8xEDR", 206'250'000'000, 200'000'000'000},
                    Row{"12xXDR", 2'550'000'000'000, 2'400'000'000'000}),
    [](const auto& row) { return row.param.text; });

TEST(LinkRates, AnUnknownCodeIsUnknownAndNeverTheSlowest) {
  for (const char* text : {"", "4x", "EDR", "3xEDR", "4xGDR", "4xedr", "???", "16xEDR"}) {
    const LinkRate rate = parse_link_rate(text);
    EXPECT_EQ(rate, LinkRate{}) << text;
    EXPECT_EQ(to_string(rate), "unknown");
    EXPECT_FALSE(signalling_rate(rate));
    EXPECT_FALSE(data_rate(rate));
  }
}

TEST(LinkRates, OnlyKnownRatesCompare) {
  EXPECT_TRUE(slower(parse_link_rate("4xDDR"), parse_link_rate("4xEDR")));
  EXPECT_TRUE(slower(parse_link_rate("2xHDR"), parse_link_rate("4xHDR")));
  EXPECT_FALSE(slower(parse_link_rate("2xHDR"), parse_link_rate("4xEDR")));
  EXPECT_FALSE(slower(LinkRate{}, parse_link_rate("4xEDR")));
  EXPECT_FALSE(slower(parse_link_rate("4xEDR"), LinkRate{}));
}

TEST(LinkRates, TheBestCommonSpeedIsWhatBothEndsHold) {
  SpeedSet a;
  SpeedSet b;
  EXPECT_EQ(a.best_common(b), LinkSpeed::kUnknown);
  a.insert(LinkSpeed::kEdr);
  a.insert(LinkSpeed::kHdr);
  b.insert(LinkSpeed::kEdr);
  b.insert(LinkSpeed::kSdr);
  EXPECT_EQ(a.best_common(b), LinkSpeed::kEdr);
  b.insert(LinkSpeed::kUnknown);
  EXPECT_FALSE(b.contains(LinkSpeed::kUnknown));
}

TEST(Units, WordsBecomeBytesByFour) { EXPECT_EQ(to_bytes(Words32(72)).value(), 288u); }

}  // namespace
}  // namespace heddle::model
