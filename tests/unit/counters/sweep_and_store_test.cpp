#include <gtest/gtest.h>

#include "counters/counter_store.hpp"
#include "counters/counter_sweep.hpp"
#include "unit/counters/sweep_bench.hpp"

/// Sweeps over simulated devices into a store, over resets and changes of the fabric.
namespace heddle::counters {
namespace {

using model::Counter;
using std::chrono::seconds;
using testing::chain;
using testing::host_port;
using testing::SweepBench;
using testing::switch_port;

class SweepAndStore : public ::testing::Test {
 protected:
  std::shared_ptr<const model::Fabric> fabric_ = chain(2, 2);
  SweepBench bench_{fabric_};
  CounterStore store_;

  void SetUp() override { store_.adopt(fabric_, bench_.transport.now()); }

  void sweep() {
    CounterSweep::Options options;
    options.errors = true;
    ASSERT_TRUE(bench_.run(options));
    for (const model::CounterSample& sample : bench_.samples) store_.apply(sample);
    bench_.transport.advance(seconds(10));
  }
  [[nodiscard]] model::PortTotals totals(model::PortKey port) const {
    const auto table = store_.publish({}, {});
    return table->ports[table->fabric->find_port(port)->value()];
  }
};

TEST_F(SweepAndStore, TotalsFollowTheDevices) {
  bench_.device(switch_port(1, 1), Counter::kXmitData) = 1'000;
  sweep();
  bench_.device(switch_port(1, 1), Counter::kXmitData) = 51'000;
  sweep();
  EXPECT_EQ(totals(switch_port(1, 1)).get(Counter::kXmitData), 51'000U);
  EXPECT_EQ(totals(host_port(2, 2)).get(Counter::kSymbolErrors), 0U);
  EXPECT_EQ(totals(switch_port(1, 1)).at_least, 0U);
  const auto frame = store_.rates({});
  const auto& rates = frame->ports[fabric_->find_port(switch_port(1, 1))->value()];
  EXPECT_NEAR(rates.xmit_bytes_per_second.get().value(), 20'000, 50)
      << "50,000 words in 10 s and a little";
}

TEST_F(SweepAndStore, AResetOnTheDeviceKeepsTheTotalGoing) {
  bench_.device(switch_port(1, 1), Counter::kXmitData) = 1'000;
  bench_.device(switch_port(1, 1), Counter::kSymbolErrors) = 40;
  sweep();
  bench_.devices.counters(switch_port(1, 1)) = {};
  bench_.device(switch_port(1, 1), Counter::kXmitData) = 30;
  sweep();
  const model::PortTotals after = totals(switch_port(1, 1));
  EXPECT_EQ(after.get(Counter::kXmitData), 1'030U);
  EXPECT_EQ(after.get(Counter::kSymbolErrors), 40U);
  EXPECT_TRUE(after.is_at_least(Counter::kXmitData));
  EXPECT_EQ(after.resets, 1U);
  EXPECT_EQ(totals(switch_port(1, 2)).resets, 0U);
}

TEST_F(SweepAndStore, ANodeThatVanishesAndComesBackRestartedContinues) {
  bench_.device(host_port(2, 2), Counter::kRcvPkts) = 500;
  sweep();
  store_.adopt(chain(2, 1), bench_.transport.now());
  EXPECT_EQ(store_.parked(), 3U) << "two hosts and the cable end of the smaller switch: "
                                    "only what was read is kept";
  bench_.devices.counters(host_port(2, 2)) = {};
  bench_.device(host_port(2, 2), Counter::kRcvPkts) = 20;
  store_.adopt(fabric_, bench_.transport.now());
  EXPECT_EQ(store_.parked(), 0U);
  sweep();
  EXPECT_EQ(totals(host_port(2, 2)).get(Counter::kRcvPkts), 520U);
  EXPECT_TRUE(totals(host_port(2, 2)).is_at_least(Counter::kRcvPkts));
}

TEST_F(SweepAndStore, PortsThatAreDownKeepTheirTotals) {
  bench_.device(host_port(1, 2), Counter::kXmitPkts) = 70;
  sweep();
  bench_.devices.cut(host_port(1, 2));
  bench_.device(host_port(1, 2), Counter::kXmitPkts) = 90;
  sweep();
  EXPECT_EQ(totals(host_port(1, 2)).get(Counter::kXmitPkts), 70U);
}

}  // namespace
}  // namespace heddle::counters
