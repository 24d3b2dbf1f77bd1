#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/counter_sweep.hpp"
#include "unit/counters/sweep_bench.hpp"

/// Devices that lack what a performance agent need not have.
namespace heddle::counters {
namespace {

namespace pma = mad::pma;
using testing::chain;
using testing::Fate;
using ::testing::IsEmpty;
using testing::ports_of_chain;
using testing::SweepBench;

class OptionalAttributes : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kNodes = 6;
  const std::size_t ports_ = ports_of_chain(2, 2);
  SweepBench bench_{chain(2, 2)};

  void let(std::uint16_t attribute, Fate fate) {
    bench_.meddler.judge_by(
        [=](std::uint16_t asked) { return asked == attribute ? fate : Fate::kPass; });
  }
  CounterSweep::Outcome run() {
    CounterSweep::Options options;
    options.errors = true;
    options.details = true;
    options.wait_tick = true;
    return bench_.run(options).value();
  }
};

TEST_F(OptionalAttributes, ARefusedOneIsTriedOnceANodeAndNeverAgain) {
  let(pma::kPortXmitDiscardDetails, Fate::kRefuse);
  const auto first = run();
  EXPECT_EQ(bench_.asked(pma::kPortXmitDiscardDetails), kNodes);
  EXPECT_EQ(first.failures, 0U);
  EXPECT_EQ(first.ports_fresh, ports_) << "what a node does not have is not missing";
  run();
  EXPECT_EQ(bench_.asked(pma::kPortXmitDiscardDetails), kNodes);
  EXPECT_EQ(bench_.asked(pma::kPortRcvErrorDetails), 2 * ports_) << "the other one goes on";
}

TEST_F(OptionalAttributes, ASweepForNothingElseThanRefusedOnesNamesNobodySilent) {
  let(pma::kPortSamplesControl, Fate::kRefuse);
  run();
  CounterSweep::Options ticks_only;
  ticks_only.data = false;
  ticks_only.wait_tick = true;
  const auto outcome = bench_.run(ticks_only).value();
  EXPECT_EQ(outcome.queries, 0U);
  EXPECT_THAT(outcome.silent, IsEmpty());
}

TEST_F(OptionalAttributes, SilenceOnOneIsNoSilenceOfTheNode) {
  let(pma::kPortSamplesControl, Fate::kSwallow);
  const auto outcome = run();
  EXPECT_EQ(outcome.ports_fresh, ports_);
  EXPECT_EQ(outcome.failures, kNodes);
  EXPECT_THAT(outcome.silent, IsEmpty());
  EXPECT_THAT(bench_.engine.mute_devices(), IsEmpty()) << "or the next data would not be read";
  EXPECT_TRUE(bench_.ticks.empty());
}

TEST_F(OptionalAttributes, SilenceOnOneIsBelievedTheSecondTime) {
  let(pma::kPortSamplesControl, Fate::kSwallow);
  run();
  run();
  const std::uint64_t attempts = bench_.asked(pma::kPortSamplesControl);
  run();
  EXPECT_EQ(bench_.asked(pma::kPortSamplesControl), attempts);
}

TEST_F(OptionalAttributes, ANodeThatRefusesClassPortInfoIsReadByTheMandatoryAttribute) {
  let(pma::kClassPortInfo, Fate::kRefuse);
  const auto first = run();
  EXPECT_EQ(first.ports_fresh, ports_);
  EXPECT_EQ(bench_.asked(pma::kPortCounters), ports_);
  EXPECT_EQ(bench_.asked(pma::kPortCountersExtended), 0U);
  EXPECT_THAT(first.silent, IsEmpty());
  run();
  EXPECT_EQ(bench_.asked(pma::kClassPortInfo), kNodes);
}

TEST_F(OptionalAttributes, ADeviceThatWasBusyForAWholeSweepIsNormalInTheNext) {
  bench_.meddler.judge_by([](std::uint16_t) { return Fate::kBusy; });
  EXPECT_EQ(run().ports_fresh, 0U);
  bench_.meddler.judge_by({});
  const auto next = run();
  EXPECT_EQ(next.ports_fresh, ports_);
  EXPECT_EQ(next.failures, 0U);
  EXPECT_THAT(next.silent, IsEmpty());
  EXPECT_GT(bench_.asked(pma::kPortCountersExtended), 0U);
  EXPECT_EQ(bench_.ticks.size(), ports_);
}

TEST_F(OptionalAttributes, OneThatEndsBusyAgainAndAgainIsStillAskedForLater) {
  let(pma::kPortSamplesControl, Fate::kBusy);
  for (int sweep = 0; sweep < 3; ++sweep) {
    const auto outcome = run();
    EXPECT_EQ(outcome.failures, kNodes);
    EXPECT_EQ(outcome.ports_fresh, ports_);
  }
  EXPECT_TRUE(bench_.ticks.empty());
  bench_.meddler.judge_by({});
  run();
  EXPECT_EQ(bench_.ticks.size(), ports_);
}

TEST_F(OptionalAttributes, ADeviceThatIsBusyIsNotSilent) {
  bench_.meddler.judge_by([](std::uint16_t) { return Fate::kBusy; });
  const auto outcome = run();
  EXPECT_THAT(outcome.silent, IsEmpty());
  EXPECT_EQ(outcome.ports_fresh, 0U) << "nor was it read";
}

TEST_F(OptionalAttributes, ARefusalThatDoesNotSayUnsupportedIsNotRemembered) {
  bench_.meddler.judge_by([](std::uint16_t) { return Fate::kRefuseNow; });
  run();
  bench_.meddler.judge_by({});
  EXPECT_EQ(run().ports_fresh, ports_);
  EXPECT_GT(bench_.asked(pma::kPortCountersExtended), 0U);
  EXPECT_EQ(bench_.ticks.size(), ports_);
}

TEST_F(OptionalAttributes, ARefusedMandatoryOneIsAFailure) {
  let(pma::kPortCountersExtended, Fate::kRefuse);
  const auto outcome = run();
  EXPECT_EQ(outcome.ports_fresh, 0U);
  EXPECT_EQ(outcome.failures, ports_);
  EXPECT_THAT(outcome.silent, IsEmpty()) << "it did answer";
}

}  // namespace
}  // namespace heddle::counters
