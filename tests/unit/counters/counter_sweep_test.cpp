#include "counters/counter_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "counters/counter_store.hpp"
#include "unit/counters/sweep_bench.hpp"

namespace heddle::counters {
namespace {

namespace pma = mad::pma;
using model::Counter;
using model::Errc;
using testing::chain;
using ::testing::ElementsAre;
using testing::host_port;
using ::testing::IsEmpty;
using testing::ports_of_chain;
using testing::SweepBench;
using testing::switch_port;

CounterSweep::Options want(bool data, bool errors, bool details = false, bool tick = false) {
  CounterSweep::Options options;
  options.data = data;
  options.errors = errors;
  options.details = details;
  options.wait_tick = tick;
  return options;
}

// What a node can do, what is wanted, and how often each attribute is then asked a port.
struct Case {
  const char* name;
  std::uint16_t mask;
  std::uint32_t mask2;
  bool data;
  bool errors;
  unsigned extended;          ///< PortCountersExtended
  unsigned basic;             ///< PortCounters
  std::uint8_t symbol_width;  ///< 0: not read
  std::uint8_t data_width;
  bool multicast;
  bool xmit_wait;
};
constexpr std::uint16_t kExt = 1U << 9;
constexpr std::uint16_t kNoIetf = 1U << 10;
constexpr std::uint16_t kWait = 1U << 12;
constexpr std::uint32_t kAdditional = 1U << 1;

class CapabilitiesAndWishes : public ::testing::TestWithParam<Case> {};

TEST_P(CapabilitiesAndWishes, ReadTheRightAttributesAndValues) {
  const Case& c = GetParam();
  SweepBench bench(chain(2, 2));
  mad::ClassPortInfo caps;
  caps.capability_mask = c.mask;
  caps.capability_mask2 = c.mask2;
  const auto fabric = chain(2, 2);
  for (const model::Node& node : fabric->nodes()) bench.devices.set_capabilities(node.guid, caps);
  bench.device(switch_port(2, 1), Counter::kXmitData) = 4'000;
  bench.device(switch_port(2, 1), Counter::kSymbolErrors) = 17;
  bench.device(host_port(2, 2), Counter::kXmitWait) = 99;

  const auto outcome = bench.run(want(c.data, c.errors));
  ASSERT_TRUE(outcome);
  const std::size_t ports = ports_of_chain(2, 2);
  EXPECT_EQ(bench.asked(pma::kClassPortInfo), 6U);
  EXPECT_EQ(bench.asked(pma::kPortCountersExtended), c.extended * ports);
  EXPECT_EQ(bench.asked(pma::kPortCounters), c.basic * ports);
  EXPECT_EQ(bench.asked(pma::kPortRcvErrorDetails), 0U);
  EXPECT_EQ(outcome->queries, 6 + (c.extended + c.basic) * ports);
  EXPECT_EQ(outcome->ports, ports);
  EXPECT_EQ(outcome->ports_fresh, ports);
  EXPECT_EQ(outcome->failures, 0U);

  const auto data = bench.reading(switch_port(2, 1), Counter::kXmitData);
  ASSERT_EQ(data.has_value(), c.data_width != 0);
  if (data) {
    EXPECT_EQ(data->raw, 4'000U);
    EXPECT_EQ(data->width_bits, c.data_width);
  }
  const auto symbols = bench.reading(switch_port(2, 1), Counter::kSymbolErrors);
  ASSERT_EQ(symbols.has_value(), c.symbol_width != 0);
  if (symbols) {
    EXPECT_EQ(symbols->raw, 17U);
    EXPECT_EQ(symbols->width_bits, c.symbol_width);
  }
  EXPECT_EQ(bench.reading(host_port(2, 2), Counter::kMulticastRcvPkts).has_value(), c.multicast);
  const auto wait = bench.reading(host_port(2, 2), Counter::kXmitWait);
  ASSERT_EQ(wait.has_value(), c.xmit_wait);
  if (wait) {
    EXPECT_EQ(wait->raw, 99U);
  }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(CounterSweep, CapabilitiesAndWishes, ::testing::Values(
    //   name                    mask          mask2       data   errors ext basic sym data mcast wait
    Case{"old_data",             0,            0,          true,  false, 0,  1,    16, 32, false, false},
    Case{"old_errors",           kWait,        0,          false, true,  0,  1,    16, 32, false, true},
    Case{"old_both",             kWait,        0,          true,  true,  0,  1,    16, 32, false, true},
    Case{"extended_data",        kExt | kWait, 0,          true,  false, 1,  0,    0,  64, true,  false},
    Case{"extended_errors",      kExt | kWait, 0,          false, true,  0,  1,    16, 0,  false, true},
    Case{"extended_both",        kExt,         0,          true,  true,  1,  1,    16, 64, true,  false},
    Case{"no_ietf_data",         kNoIetf,      0,          true,  false, 1,  0,    0,  64, false, false},
    Case{"no_ietf_both",         kNoIetf | kWait, 0,       true,  true,  1,  1,    16, 64, false, true},
    Case{"additional_data",      kExt | kWait, kAdditional, true, false, 1,  0,    64, 64, true,  true},
    Case{"additional_errors",    kExt | kWait, kAdditional, false, true, 1,  0,    64, 64, true,  true},
    Case{"additional_both",      kExt | kWait, kAdditional, true, true,  1,  0,    64, 64, true,  true}),
    [](const auto& instance) { return std::string(instance.param.name); });
// clang-format on

TEST(CounterSweep, AsksForCapabilitiesOnceANode) {
  SweepBench bench(chain(3, 2));
  ASSERT_TRUE(bench.run(want(true, false)));
  ASSERT_TRUE(bench.run(want(true, false)));
  EXPECT_EQ(bench.asked(pma::kClassPortInfo), 9U);
  bench.capabilities.erase(host_port(2, 1).node);
  ASSERT_TRUE(bench.run(want(true, false)));
  EXPECT_EQ(bench.asked(pma::kClassPortInfo), 10U);
}

TEST(CounterSweep, BringsOneSampleAPortWithTheTimeItArrived) {
  SweepBench bench(chain(3, 3), {.delay = std::chrono::microseconds(50)});
  const auto began = bench.transport.now();
  ASSERT_TRUE(bench.run(want(true, true)));
  std::set<model::PortKey> ports;
  for (const model::CounterSample& sample : bench.samples) {
    EXPECT_TRUE(ports.insert(sample.port).second);
    EXPECT_GE(sample.time, began + std::chrono::microseconds(100)) << "ClassPortInfo comes first";
    EXPECT_LE(sample.time, bench.transport.now());
  }
  EXPECT_EQ(ports.size(), ports_of_chain(3, 3));
}

TEST(CounterSweep, ReadsDetailsAndTicksWhenAsked) {
  SweepBench bench(chain(2, 2));
  bench.device(switch_port(1, 2), Counter::kLoopingErrors) = 5;
  bench.device(switch_port(1, 2), Counter::kSwHoqLifetimeDiscards) = 6;
  bench.devices.set_wait_tick(switch_port(1, 0).node, 31);
  const auto outcome = bench.run(want(false, false, true, true));
  ASSERT_TRUE(outcome);
  const std::size_t ports = ports_of_chain(2, 2);
  EXPECT_EQ(bench.asked(pma::kPortRcvErrorDetails), ports);
  EXPECT_EQ(bench.asked(pma::kPortXmitDiscardDetails), ports);
  EXPECT_EQ(bench.asked(pma::kPortSamplesControl), ports);
  EXPECT_EQ(bench.asked(pma::kPortCountersExtended), 0U);
  EXPECT_EQ(bench.reading(switch_port(1, 2), Counter::kLoopingErrors)->raw, 5U);
  EXPECT_EQ(bench.reading(switch_port(1, 2), Counter::kSwHoqLifetimeDiscards)->raw, 6U);
  EXPECT_EQ(bench.ticks.size(), ports);
  EXPECT_EQ(bench.ticks.at(switch_port(1, 2)), 31);
  EXPECT_EQ(bench.ticks.at(host_port(1, 2)), 7);
  EXPECT_EQ(outcome->ports_fresh, ports);
}

TEST(CounterSweep, SaysWhatIsStuck) {
  const auto fabric = chain(1, 2);
  SweepBench bench(fabric);
  mad::ClassPortInfo caps;
  caps.capability_mask = kExt;
  bench.devices.set_capabilities(host_port(1, 2).node, caps);
  bench.device(host_port(1, 2), Counter::kSymbolErrors) = 1'000'000;
  bench.device(host_port(1, 2), Counter::kRcvErrors) = 1'000;
  ASSERT_TRUE(bench.run(want(true, true)));
  EXPECT_TRUE(bench.reading(host_port(1, 2), Counter::kSymbolErrors)->saturated());
  EXPECT_FALSE(bench.reading(host_port(1, 2), Counter::kRcvErrors)->saturated());
}

TEST(CounterSweep, CountsPortsWithoutALidAsUnreached) {
  SweepBench bench(chain(3, 2, {host_port(3, 1).node, switch_port(2, 0).node}));
  const auto outcome = bench.run(want(true, false));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ports_unreached, 1U + 4U);
  EXPECT_EQ(outcome->ports, ports_of_chain(3, 2) - 5);
  EXPECT_EQ(outcome->ports_fresh, outcome->ports);
  EXPECT_THAT(outcome->silent, IsEmpty());
}

TEST(CounterSweep, ASilentNodeIsNamedAndAskedNothingMore) {
  SweepBench bench(chain(3, 2));
  bench.devices.mute_performance(switch_port(2, 0).node);
  const auto outcome = bench.run(want(true, true));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->silent, ElementsAre(switch_port(2, 0).node));
  EXPECT_EQ(outcome->failures, 1U);
  EXPECT_EQ(outcome->ports, ports_of_chain(3, 2));
  EXPECT_EQ(outcome->ports_fresh, ports_of_chain(3, 2) - 4);
  EXPECT_EQ(bench.asked(pma::kPortCountersExtended), ports_of_chain(3, 2) - 4);
}

TEST(CounterSweep, SilentNodesCostTheOthersNoTime) {
  const auto last_answer = [](int silent) {
    SweepBench bench(chain(20, 8), {.delay = std::chrono::microseconds(100)});
    for (int s = 1; s <= silent; ++s) {
      bench.devices.mute_performance(host_port(s, 8).node);
    }
    const auto began = bench.transport.now();
    const auto outcome = bench.run(want(true, false));
    EXPECT_EQ(outcome->silent.size(), static_cast<std::size_t>(silent));
    EXPECT_EQ(outcome->ports - outcome->ports_fresh, static_cast<std::size_t>(silent));
    return bench.samples.back().time - began;
  };
  EXPECT_LE(last_answer(10), last_answer(0));
}

TEST(CounterSweep, ANodeThatFallsSilentLaterIsNamedThen) {
  SweepBench bench(chain(2, 2));
  ASSERT_TRUE(bench.run(want(true, false)));
  bench.devices.mute(host_port(2, 1).node);
  const auto outcome = bench.run(want(true, false));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->silent, ElementsAre(host_port(2, 1).node));
  bench.devices.unmute(host_port(2, 1).node);
  bench.transport.advance(std::chrono::minutes(3));
  EXPECT_THAT(bench.run(want(true, false))->silent, IsEmpty());
}

TEST(CounterSweep, UnderLossEveryPortIsReadInTheEndAndNoValueIsWrong) {
  const auto fabric = chain(6, 4);
  SweepBench bench(fabric, {.delay = std::chrono::microseconds(20),
                            .jitter = std::chrono::microseconds(500),
                            .loss = 0.2,
                            .duplicate = 0.1,
                            .seed = 3});
  const auto counted = [](model::PortKey port) {
    return port.node.value() * 256 + port.port.value();
  };
  for (std::uint32_t i = 0; i < fabric->ports().size(); ++i) {
    const model::PortKey port = fabric->key(model::PortIndex{i});
    bench.device(port, Counter::kXmitPkts) = counted(port);
  }
  std::set<model::PortKey> read;
  std::size_t fresh = 0;
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const auto outcome = bench.run(want(true, true));
    ASSERT_TRUE(outcome);
    fresh += outcome->ports_fresh;
    EXPECT_EQ(bench.samples.size(), outcome->ports_fresh) << "one query reads a port here";
    for (const model::CounterSample& sample : bench.samples) {
      ASSERT_EQ(bench.reading(sample.port, Counter::kXmitPkts)->raw, counted(sample.port));
      read.insert(sample.port);
    }
    bench.transport.advance(std::chrono::seconds(10));
  }
  EXPECT_EQ(read.size(), ports_of_chain(6, 4));
  EXPECT_GT(fresh, kRounds * ports_of_chain(6, 4) * 9 / 10);
}

TEST(CounterSweep, CancelEndsItOnceAndTheNextOneWorks) {
  SweepBench bench(chain(10, 8));
  const auto sweep = bench.begin(want(true, true));
  bench.turn_until([&] { return bench.samples.size() >= 20; });
  const std::size_t brought = bench.samples.size();
  ASSERT_LT(brought, ports_of_chain(10, 8));
  sweep->cancel();
  ASSERT_EQ(bench.finished.calls, 1);
  EXPECT_EQ(bench.finished.result->error().code, Errc::kCancelled);
  EXPECT_TRUE(bench.engine.idle());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(bench.engine.run_once(std::chrono::milliseconds(10)));
  sweep->cancel();
  EXPECT_EQ(bench.finished.calls, 1);
  EXPECT_EQ(bench.samples.size(), brought) << "answers that were under way are not delivered";
  EXPECT_EQ(bench.run(want(true, true))->ports_fresh, ports_of_chain(10, 8));
}

TEST(CounterSweep, CancelLeavesOtherJobsAlone) {
  SweepBench bench(chain(4, 4));
  auto other = want(true, false);
  other.job = 77;
  const auto kept = bench.begin(other);
  const auto cancelled = bench.begin(want(false, true));
  cancelled->cancel();
  EXPECT_EQ(bench.finished.calls, 1);
  bench.turn_until([&] { return bench.finished.calls == 2; });
  EXPECT_TRUE(bench.finished.result->has_value());
}

TEST(CounterSweep, DestroyingItEndsItWithoutACall) {
  SweepBench bench(chain(10, 8));
  auto sweep = bench.begin(want(true, true));
  bench.turn_until([&] { return bench.samples.size() >= 20; });
  const std::size_t brought = bench.samples.size();
  sweep.reset();
  EXPECT_TRUE(bench.engine.idle());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(bench.engine.run_once(std::chrono::milliseconds(10)));
  EXPECT_EQ(bench.finished.calls, 0);
  EXPECT_EQ(bench.samples.size(), brought);
}

TEST(CounterSweep, MayBeDestroyedWhenItIsDone) {
  SweepBench bench(chain(2, 2));
  auto sweep = std::make_unique<CounterSweep>(bench.engine, want(true, false), chain(2, 2),
                                              bench.capabilities);
  sweep->start(nullptr, nullptr, [&](const auto&) { sweep.reset(); });
  bench.turn_until([&] { return sweep == nullptr; });
  EXPECT_TRUE(bench.engine.idle());
}

TEST(CounterSweep, WithNothingToAskIsDoneAtOnce) {
  SweepBench bench(chain(2, 2));
  const auto nothing_wanted = bench.begin(want(false, false));
  ASSERT_EQ(bench.finished.calls, 1);
  EXPECT_EQ(bench.finished.result->value().ports, 0U);

  CounterSweep empty(bench.engine, want(true, true), std::make_shared<const model::Fabric>(),
                     bench.capabilities);
  int calls = 0;
  empty.start(nullptr, nullptr, [&](const auto& result) { calls += result ? 1 : 0; });
  EXPECT_EQ(calls, 1);
}

TEST(CounterSweep, AnUnpluggedTransportEndsIt) {
  SweepBench bench(chain(10, 8));
  const auto sweep = bench.begin(want(true, true));
  bench.turn_until([&] { return bench.samples.size() >= 20; });
  bench.transport.unplug();
  bench.turn_until([&] { return bench.finished.calls > 0; });
  ASSERT_EQ(bench.finished.calls, 1);
  EXPECT_EQ(bench.finished.result->error().code, Errc::kUnavailable);
}

TEST(CounterSweep, KeepsTheWindowFullAndTheQueueShort) {
  constexpr int kSwitches = 150;
  constexpr int kHosts = 20;
  const mad::MadEngine::Options options{.window = 256};
  SweepBench bench(chain(kSwitches, kHosts), {}, options);
  ASSERT_TRUE(bench.run(want(true, true)));  // capabilities are known from here on
  std::size_t fullest = 0;
  std::size_t emptiest = options.window;
  const std::size_t ports = ports_of_chain(kSwitches, kHosts);
  bench.on_sample = [&] {
    fullest = std::max(fullest, bench.engine.outstanding() + bench.engine.queued());
    const bool near_the_end = bench.samples.size() + 3 * options.window > ports;
    if (!near_the_end) emptiest = std::min(emptiest, bench.engine.outstanding());
  };
  ASSERT_TRUE(bench.run(want(true, true)));
  EXPECT_LE(fullest, 4096U);
  EXPECT_GE(emptiest, options.window - 16) << "less only by a batch (mad/engine)";
}

}  // namespace
}  // namespace heddle::counters
