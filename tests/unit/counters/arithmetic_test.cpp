#include "counters/arithmetic.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::counters {
namespace {

using model::Counter;
using model::CounterGroup;
using model::CounterSample;
using std::chrono::seconds;
using Time = std::chrono::steady_clock::time_point;

Time at(int second) { return Time{} + seconds(second); }

struct Value {
  Counter counter;
  std::uint8_t width_bits;
  std::uint64_t raw;
};

/// One port and what fold() has made of its samples so far.
class Folded {
 public:
  explicit Folded(std::optional<model::BytesPerSecond> capacity = std::nullopt)
      : capacity_(capacity) {}

  FoldOutcome read(int second, std::initializer_list<Value> values) {
    CounterSample sample;
    sample.time = at(second);
    for (const Value& v : values) sample.add(v.counter, v.width_bits, v.raw);
    return fold(totals_, baseline_, sample, capacity_);
  }
  [[nodiscard]] const model::PortTotals& totals() const { return totals_; }
  [[nodiscard]] std::uint64_t total(Counter c) const {
    return totals_.get(c).value_or(std::numeric_limits<std::uint64_t>::max());
  }

 private:
  model::PortTotals totals_;
  PortBaseline baseline_;
  std::optional<model::BytesPerSecond> capacity_;
};

TEST(Fold, FirstReadingIsTheTotal) {
  Folded port;
  const FoldOutcome outcome = port.read(5, {{Counter::kSymbolErrors, 16, 120}});
  EXPECT_EQ(port.total(Counter::kSymbolErrors), 120U);
  EXPECT_FALSE(port.totals().is_at_least(Counter::kSymbolErrors));
  EXPECT_FALSE(port.totals().has(Counter::kLinkDowned));
  EXPECT_EQ(port.totals().time_of(CounterGroup::kErrors), at(5));
  EXPECT_EQ(port.totals().time_of(CounterGroup::kData), std::nullopt);
  EXPECT_FALSE(outcome.reset || outcome.implausible || outcome.late);
}

TEST(Fold, DifferencesAreAdded) {
  Folded port;
  port.read(0, {{Counter::kRcvPkts, 64, 10}});
  port.read(1, {{Counter::kRcvPkts, 64, 15}});
  port.read(2, {{Counter::kRcvPkts, 64, 15}});
  EXPECT_EQ(port.total(Counter::kRcvPkts), 15U);
  EXPECT_FALSE(port.totals().is_at_least(Counter::kRcvPkts));
}

TEST(Fold, AResetAddsWhatTheDeviceHoldsNowAndMarksTheTotal) {
  Folded port;
  port.read(0, {{Counter::kRcvErrors, 16, 100}});
  const FoldOutcome outcome = port.read(10, {{Counter::kRcvErrors, 16, 7}});
  EXPECT_TRUE(outcome.reset);
  EXPECT_EQ(port.totals().resets, 1U);
  EXPECT_EQ(port.total(Counter::kRcvErrors), 107U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kRcvErrors));
  port.read(20, {{Counter::kRcvErrors, 16, 9}});
  EXPECT_EQ(port.total(Counter::kRcvErrors), 109U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kRcvErrors)) << "what was missed stays missed";
}

TEST(Fold, AResetSeenOnOneCounterMarksItsWholeGroupAndNoOther) {
  Folded port;
  port.read(0, {{Counter::kRcvErrors, 16, 100},
                {Counter::kSymbolErrors, 16, 0},
                {Counter::kXmitPkts, 64, 50}});
  port.read(10, {{Counter::kRcvErrors, 16, 0},
                 {Counter::kSymbolErrors, 16, 3},
                 {Counter::kXmitPkts, 64, 60}});
  EXPECT_EQ(port.total(Counter::kSymbolErrors), 3U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kSymbolErrors));
  EXPECT_FALSE(port.totals().is_at_least(Counter::kXmitPkts));
  EXPECT_EQ(port.totals().resets, 1U);
}

TEST(Fold, AStuckCounterIsAtLeastForGood) {
  Folded port;
  port.read(0, {{Counter::kLocalLinkIntegrityErrors, 4, 9}});
  port.read(10, {{Counter::kLocalLinkIntegrityErrors, 4, 15}});
  EXPECT_EQ(port.total(Counter::kLocalLinkIntegrityErrors), 15U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kLocalLinkIntegrityErrors));
  port.read(20, {{Counter::kLocalLinkIntegrityErrors, 4, 15}});
  EXPECT_EQ(port.total(Counter::kLocalLinkIntegrityErrors), 15U);
  port.read(30, {{Counter::kLocalLinkIntegrityErrors, 4, 2}});
  EXPECT_EQ(port.total(Counter::kLocalLinkIntegrityErrors), 17U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kLocalLinkIntegrityErrors));
}

TEST(Fold, ACounterFirstSeenStuckIsAtLeast) {
  Folded port;
  port.read(0, {{Counter::kLinkDowned, 8, 255}, {Counter::kSymbolErrors, 16, 255}});
  EXPECT_TRUE(port.totals().is_at_least(Counter::kLinkDowned));
  EXPECT_FALSE(port.totals().is_at_least(Counter::kSymbolErrors)) << "255 is no limit of 16 bits";
}

TEST(Fold, AnotherWidthIsANewBaseline) {
  Folded port;
  port.read(0, {{Counter::kSymbolErrors, 16, 40}});
  const FoldOutcome outcome = port.read(10, {{Counter::kSymbolErrors, 64, 90000}});
  EXPECT_FALSE(outcome.reset);
  EXPECT_EQ(port.total(Counter::kSymbolErrors), 40U);
  EXPECT_TRUE(port.totals().is_at_least(Counter::kSymbolErrors));
  port.read(20, {{Counter::kSymbolErrors, 64, 90002}});
  EXPECT_EQ(port.total(Counter::kSymbolErrors), 42U);
}

TEST(Fold, ANarrowerSourceWithALowerValueIsNoReset) {
  Folded port;
  port.read(0, {{Counter::kXmitPkts, 64, 90000}});
  const FoldOutcome outcome = port.read(10, {{Counter::kXmitPkts, 32, 4}});
  EXPECT_FALSE(outcome.reset);
  EXPECT_EQ(port.total(Counter::kXmitPkts), 90000U);
}

TEST(Fold, CapacityIsInOctetsAndDataInWords) {
  const model::BytesPerSecond capacity{1000};
  // 9 s and 1 s to spare at 1,000 octets a second, and 2 %: 10,200 octets are 2,550 words.
  Folded inside(capacity);
  inside.read(0, {{Counter::kXmitData, 64, 100}});
  EXPECT_FALSE(inside.read(9, {{Counter::kXmitData, 64, 100 + 2550}}).implausible);
  EXPECT_EQ(inside.total(Counter::kXmitData), 2650U);

  Folded outside(capacity);
  outside.read(0, {{Counter::kXmitData, 64, 100}});
  EXPECT_TRUE(outside.read(9, {{Counter::kXmitData, 64, 100 + 2551}}).implausible);
  EXPECT_EQ(outside.total(Counter::kXmitData), 100U);
  EXPECT_TRUE(outside.totals().is_at_least(Counter::kXmitData));
  outside.read(10, {{Counter::kXmitData, 64, 100 + 2551 + 8}});
  EXPECT_EQ(outside.total(Counter::kXmitData), 108U) << "counting goes on from the new baseline";
}

TEST(Fold, APassingGlitchInDataAddsNothingOnTheWayUpNorDown) {
  Folded port(model::BytesPerSecond{1000});
  port.read(0, {{Counter::kRcvData, 64, 5'000'000}});
  port.read(1, {{Counter::kRcvData, 64, 900'000'000'000}});
  const FoldOutcome outcome = port.read(2, {{Counter::kRcvData, 64, 5'000'020}});
  EXPECT_TRUE(outcome.reset);
  EXPECT_TRUE(outcome.implausible);
  EXPECT_EQ(port.total(Counter::kRcvData), 5'000'000U);
}

TEST(Fold, PacketsAndErrorsHaveNoCapacity) {
  Folded port(model::BytesPerSecond{1});
  port.read(0, {{Counter::kXmitPkts, 64, 0}, {Counter::kXmitWait, 64, 0}});
  EXPECT_FALSE(
      port.read(1, {{Counter::kXmitPkts, 64, 1U << 30}, {Counter::kXmitWait, 64, 1U << 30}})
          .implausible);
}

TEST(Fold, AnOlderSampleIsIgnored) {
  Folded port;
  port.read(10, {{Counter::kRcvPkts, 64, 50}});
  const FoldOutcome outcome = port.read(9, {{Counter::kRcvPkts, 64, 45}});
  EXPECT_TRUE(outcome.late);
  EXPECT_FALSE(outcome.reset);
  EXPECT_EQ(port.total(Counter::kRcvPkts), 50U);
  EXPECT_EQ(port.totals().time_of(CounterGroup::kData), at(10));
  port.read(11, {{Counter::kRcvPkts, 64, 52}});
  EXPECT_EQ(port.total(Counter::kRcvPkts), 52U) << "its baseline was not taken";
}

TEST(Fold, OnlyTheGroupThatIsOlderIsIgnored) {
  Folded port;
  port.read(10, {{Counter::kRcvPkts, 64, 50}});
  const FoldOutcome outcome =
      port.read(9, {{Counter::kRcvPkts, 64, 45}, {Counter::kLinkDowned, 64, 2}});
  EXPECT_TRUE(outcome.late);
  EXPECT_EQ(port.total(Counter::kRcvPkts), 50U);
  EXPECT_EQ(port.total(Counter::kLinkDowned), 2U);
  EXPECT_EQ(port.totals().time_of(CounterGroup::kErrors), at(9));
}

TEST(Fold, ASampleOfTheSameMomentIsIgnoredAndTheNextMakesUpForIt) {
  Folded port;
  port.read(10, {{Counter::kRcvPkts, 64, 50}});
  EXPECT_TRUE(port.read(10, {{Counter::kRcvPkts, 64, 60}}).late);
  EXPECT_TRUE(port.read(10, {{Counter::kRcvPkts, 64, 45}}).late);
  EXPECT_EQ(port.total(Counter::kRcvPkts), 50U);
  EXPECT_FALSE(port.read(11, {{Counter::kRcvPkts, 64, 60}}).late);
  EXPECT_EQ(port.total(Counter::kRcvPkts), 60U);
  EXPECT_FALSE(port.totals().is_at_least(Counter::kRcvPkts));
}

TEST(Fold, ATotalStopsAtItsOwnWidth) {
  constexpr std::uint64_t kNearlyFull = std::numeric_limits<std::uint64_t>::max() - 5;
  Folded port;
  port.read(0, {{Counter::kXmitWait, 64, kNearlyFull}});
  port.read(1, {{Counter::kXmitWait, 64, 10}});
  EXPECT_EQ(port.total(Counter::kXmitWait), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(port.totals().is_at_least(Counter::kXmitWait));
}

TEST(Fold, AnEmptySampleChangesNothing) {
  Folded port;
  port.read(3, {});
  EXPECT_EQ(port.totals().known, 0U);
  EXPECT_EQ(port.totals().time_of(CounterGroup::kData), std::nullopt);
}

}  // namespace
}  // namespace heddle::counters
