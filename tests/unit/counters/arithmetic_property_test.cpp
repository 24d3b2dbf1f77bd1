#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

#include "counters/arithmetic.hpp"

/// fold() against a model that knows the truth: a device whose counters are known without bound
/// beside the registers that stick, cleared by others, restarted, read by an unreliable reader.
namespace heddle::counters {
namespace {

using model::Counter;
using model::CounterGroup;
using model::CounterSample;
using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

constexpr std::uint64_t kCapacityBytes = 4'000'000;  ///< a second: 1,000 words a millisecond

struct Kind {
  Counter counter;
  std::uint8_t width_bits;
  std::uint64_t most_per_ms;
};
// Narrow ones stick within the run; the data counters stay under what the link can carry.
constexpr std::array kKinds = {
    Kind{Counter::kXmitData, 32, 1000},      Kind{Counter::kRcvData, 64, 1000},
    Kind{Counter::kXmitPkts, 64, 50},        Kind{Counter::kSymbolErrors, 16, 40},
    Kind{Counter::kLinkDowned, 8, 1},        Kind{Counter::kLocalLinkIntegrityErrors, 4, 1},
    Kind{Counter::kInactiveDiscards, 16, 3},
};
constexpr std::size_t kKindCount = kKinds.size();

constexpr std::uint64_t limit_of(std::uint8_t width_bits) {
  return width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
}

/// What a counter is at one moment, and what only the model knows of it.
struct Known {
  std::uint64_t truth = 0;  ///< all that was ever counted
  std::uint64_t raw = 0;    ///< the register
  std::uint64_t clearings = 0;
  std::uint64_t dropped = 0;  ///< counted while the register stuck
};
using DeviceState = std::array<Known, kKindCount>;

struct Shot {
  CounterSample sample;
  DeviceState state;
};

class Device {
 public:
  void count(std::size_t k, std::uint64_t amount) {
    Known& c = state_[k];
    const std::uint64_t room = limit_of(kKinds[k].width_bits) - c.raw;
    c.truth += amount;
    c.raw += std::min(amount, room);
    c.dropped += amount - std::min(amount, room);
  }
  void clear(std::size_t k) {
    state_[k].raw = 0;
    ++state_[k].clearings;
  }
  void clear_all() {
    for (std::size_t k = 0; k < kKindCount; ++k) clear(k);
  }
  [[nodiscard]] Shot shoot(Time time) const {
    Shot shot{{}, state_};
    shot.sample.time = time;
    for (std::size_t k = 0; k < kKindCount; ++k) {
      shot.sample.add(kKinds[k].counter, kKinds[k].width_bits, state_[k].raw);
    }
    return shot;
  }

 private:
  DeviceState state_{};
};

/// The slow model: for each group the last shot that counted, and for each counter whether
/// anything was lost between two such shots, from the device's own books.
class Referee {
 public:
  void judge(const Shot& shot, const model::PortTotals& before, const model::PortTotals& after,
             const FoldOutcome& outcome) {
    bool any_late = false;
    bool any_reset = false;
    for (std::size_t g = 0; g < model::kCounterGroupCount; ++g) {
      const bool fell = fell_in(g, shot);
      const bool late = read_[g] && shot.sample.time <= time_[g];
      const bool present = std::ranges::any_of(kKinds, [&](const Kind& kind) {
        return static_cast<std::size_t>(model::group_of(kind.counter)) == g;
      });
      if (!present) continue;
      if (late) {
        any_late = true;
      } else {
        any_reset = any_reset || fell;
        accept(g, fell, shot);
      }
      check(g, late, before, after);
    }
    ASSERT_EQ(outcome.late, any_late);
    ASSERT_EQ(outcome.reset, any_reset);
    ASSERT_FALSE(outcome.implausible) << "the device never counts more than the link carries";
    ASSERT_EQ(after.resets, before.resets + (any_reset ? 1U : 0U));
  }

  [[nodiscard]] std::uint64_t exact() const { return exact_; }
  [[nodiscard]] std::uint64_t marked() const { return marked_; }
  [[nodiscard]] std::uint64_t unseen() const { return unseen_count_; }

 private:
  template <class F>
  static void for_group(std::size_t g, F f) {
    for (std::size_t k = 0; k < kKindCount; ++k) {
      if (static_cast<std::size_t>(model::group_of(kKinds[k].counter)) == g) f(k);
    }
  }
  [[nodiscard]] bool fell_in(std::size_t g, const Shot& shot) const {
    bool fell = false;
    for_group(g, [&](std::size_t k) { fell = fell || shot.state[k].raw < last_[k].raw; });
    return read_[g] && fell;
  }
  void accept(std::size_t g, bool fell, const Shot& shot) {
    for_group(g, [&](std::size_t k) {
      const Known& now = shot.state[k];
      const bool stuck = now.raw == limit_of(kKinds[k].width_bits);
      if (read_[g]) {
        const bool cleared = now.clearings != last_[k].clearings;
        disturbed_[k] = disturbed_[k] || cleared || now.dropped != last_[k].dropped;
        unseen_[k] = unseen_[k] || (cleared && !fell);
      } else {
        start_[k] = now.truth - now.raw;
      }
      may_be_marked_[k] = may_be_marked_[k] || fell || stuck;
      last_[k] = now;
    });
    read_[g] = true;
    time_[g] = shot.sample.time;
  }
  void check(std::size_t g, bool late, const model::PortTotals& before,
             const model::PortTotals& after) {
    for_group(g, [&](std::size_t k) {
      const Counter counter = kKinds[k].counter;
      const std::uint64_t total = after.get(counter).value();
      const std::uint64_t truth = last_[k].truth - start_[k];
      ASSERT_GE(total, before.get(counter).value_or(0)) << "went backwards";
      ASSERT_LE(total, truth) << "invented counts";
      if (late) {
        ASSERT_EQ(total, before.get(counter).value());
      }
      if (!disturbed_[k]) {
        ASSERT_EQ(total, truth) << "lost counts for no reason";
      }
      if (!may_be_marked_[k]) {
        ASSERT_FALSE(after.is_at_least(counter)) << "marked for no reason";
      }
      if (total < truth && !unseen_[k]) {
        ASSERT_TRUE(after.is_at_least(counter)) << "lost counts unmarked";
      }
      exact_ += total == truth ? 1U : 0U;
      marked_ += after.is_at_least(counter) ? 1U : 0U;
      unseen_count_ += total < truth && !after.is_at_least(counter) ? 1U : 0U;
    });
  }

  std::array<bool, model::kCounterGroupCount> read_{};
  std::array<Time, model::kCounterGroupCount> time_{};
  DeviceState last_{};
  std::array<std::uint64_t, kKindCount> start_{};  ///< truth that was gone before the first reading
  std::array<bool, kKindCount> disturbed_{};       ///< cleared or stuck at some time
  std::array<bool, kKindCount> unseen_{};  ///< cleared with nothing in its group lower after
  std::array<bool, kKindCount> may_be_marked_{};
  std::uint64_t exact_ = 0;
  std::uint64_t marked_ = 0;
  std::uint64_t unseen_count_ = 0;
};

/// How unkind one run is.
struct Weather {
  double clear_one = 0;
  double clear_all = 0;
  double lost = 0.1;
  double delayed = 0.1;
  double duplicated = 0.1;
  double clock_back = 0.02;
  bool second_reader_clears = false;  ///< another reader that clears after each of its readings
};

struct Tally {
  std::uint64_t steps = 0;
  std::uint64_t exact = 0;
  std::uint64_t marked = 0;
  std::uint64_t unseen = 0;
};

class Run {
 public:
  Run(std::uint64_t seed, Weather weather) : random_(seed), weather_(weather) {}

  void go(int steps, Tally& tally) {
    // A device that has been counting, and was cleared, before we first see it.
    for (std::size_t k = 0; k < kKindCount; ++k) device_.count(k, upto(3));
    if (chance(0.5)) device_.clear_all();
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) step();
    tally.steps += static_cast<std::uint64_t>(steps);
    tally.exact += referee_.exact();
    tally.marked += referee_.marked();
    tally.unseen += referee_.unseen();
  }

 private:
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::uint64_t upto(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random_);
  }

  void step() {
    const std::uint64_t elapsed = chance(0.1) ? 0 : upto(20);
    now_ += milliseconds(elapsed);
    for (std::size_t k = 0; k < kKindCount; ++k) {
      if (chance(0.5)) device_.count(k, upto(elapsed * kKinds[k].most_per_ms));
      if (chance(weather_.clear_one)) device_.clear(k);
    }
    if (chance(weather_.clear_all)) device_.clear_all();
    if (weather_.second_reader_clears && chance(0.05)) device_.clear_all();

    // While others are under way every time must tell the order, as fold() asks for.
    const bool clock_back = under_way_.empty() && chance(weather_.clock_back);
    const Time stamp = clock_back ? now_ - milliseconds(upto(50)) : now_;
    const Shot shot = device_.shoot(stamp);
    if (chance(weather_.lost)) return;
    if (chance(weather_.delayed)) {
      under_way_.push_back(shot);
      return;
    }
    deliver(shot);
    if (chance(weather_.duplicated)) deliver(shot);
    if (!under_way_.empty() && chance(0.3)) {
      std::ranges::shuffle(under_way_, random_);
      for (const Shot& old : under_way_) deliver(old);
      under_way_.clear();
    }
  }

  void deliver(const Shot& shot) {
    const model::PortTotals before = totals_;
    const FoldOutcome outcome =
        fold(totals_, baseline_, shot.sample, model::BytesPerSecond{kCapacityBytes});
    referee_.judge(shot, before, totals_, outcome);
  }

  std::mt19937_64 random_;
  Weather weather_;
  Device device_;
  Time now_{milliseconds(1000)};
  std::vector<Shot> under_way_;
  model::PortTotals totals_;
  PortBaseline baseline_;
  Referee referee_;
};

std::uint64_t seed_of_this_run() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  const char* given = std::getenv("HEDDLE_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "HEDDLE_SEED=" << seed << '\n';
  return seed;
}

Tally run_many(Weather weather) {
  constexpr int kRuns = 100;
  constexpr int kSteps = 2500;
  const std::uint64_t seed = seed_of_this_run();
  Tally tally;
  for (std::uint64_t i = 0; i < kRuns && !testing::Test::HasFatalFailure(); ++i) {
    Run(seed + i, weather).go(kSteps, tally);
  }
  return tally;
}

TEST(FoldAgainstTheTruth, HoldsWhenNothingIsEverCleared) {
  const Tally tally = run_many(Weather{});
  EXPECT_GT(tally.exact, tally.steps) << "some counters of every step must be exact";
  EXPECT_EQ(tally.unseen, 0U) << "saturation can always be seen";
}

TEST(FoldAgainstTheTruth, HoldsWhenOthersClearSingleCounters) {
  const Tally tally = run_many(Weather{.clear_one = 0.002});
  EXPECT_GT(tally.exact, 0U);
  EXPECT_GT(tally.marked, 0U);
}

TEST(FoldAgainstTheTruth, HoldsWhenTheDeviceRestarts) {
  const Tally tally = run_many(Weather{.clear_all = 0.002, .lost = 0.4});
  EXPECT_GT(tally.exact, 0U);
  EXPECT_GT(tally.marked, 0U);
}

TEST(FoldAgainstTheTruth, HoldsBesideASecondReaderThatClears) {
  const Tally tally = run_many(Weather{.clear_one = 0.001,
                                       .delayed = 0.3,
                                       .duplicated = 0.3,
                                       .clock_back = 0.1,
                                       .second_reader_clears = true});
  EXPECT_GT(tally.marked, 0U);
}

/// Readings that are sheer noise must not move a data total faster than the link can.
TEST(FoldAgainstTheTruth, NoDataTotalEverMovesFasterThanTheLink) {
  std::mt19937_64 random(seed_of_this_run());
  model::PortTotals totals;
  PortBaseline baseline;
  Time now{milliseconds(1)};
  std::uint64_t implausible = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto elapsed = milliseconds(std::uniform_int_distribution<int>(0, 5000)(random));
    now += elapsed + std::chrono::nanoseconds(1);
    CounterSample sample;
    sample.time = now;
    const int shift = std::uniform_int_distribution<int>(0, 63)(random);
    sample.add(Counter::kXmitData, 64, random() >> shift);
    const std::uint64_t before = totals.get(Counter::kXmitData).value_or(0);
    const bool first = !totals.has(Counter::kXmitData);
    const FoldOutcome outcome =
        fold(totals, baseline, sample, model::BytesPerSecond{kCapacityBytes});
    implausible += outcome.implausible ? 1U : 0U;
    const std::uint64_t after = totals.get(Counter::kXmitData).value();
    ASSERT_GE(after, before);
    if (first) continue;
    const auto ms = static_cast<std::uint64_t>(elapsed.count());
    ASSERT_LE((after - before) * 4 * 1000 * 100, kCapacityBytes * (ms + 1001) * 102);
  }
  EXPECT_GT(implausible, 0U);
}

}  // namespace
}  // namespace heddle::counters
