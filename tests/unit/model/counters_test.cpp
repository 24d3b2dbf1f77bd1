#include "model/counters.hpp"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

TEST(OptionalRates, AreNothingUntilTheyAreKnownAndThenAnyRateFromZeroOn) {
  OptionalRate rate;
  EXPECT_EQ(rate.get(), std::nullopt);
  rate = OptionalRate{0};
  EXPECT_EQ(rate.get(), std::optional<float>(0));
  rate = OptionalRate{5e10F};
  EXPECT_EQ(rate.get(), std::optional<float>(5e10F));
  rate = {};
  EXPECT_EQ(rate.get(), std::nullopt);
}

TEST(PortTotals, TellTheTimeOfAGroupOnlyOnceItWasRead) {
  PortTotals totals;
  EXPECT_EQ(totals.time_of(CounterGroup::kData), std::nullopt);
  const std::chrono::steady_clock::time_point epoch{};
  totals.read_at[static_cast<std::size_t>(CounterGroup::kData)] = epoch;
  EXPECT_EQ(totals.time_of(CounterGroup::kData), epoch) << "a time like any other";
  EXPECT_EQ(totals.time_of(CounterGroup::kErrors), std::nullopt);
}

}  // namespace
}  // namespace heddle::model
