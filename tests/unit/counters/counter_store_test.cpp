#include "counters/counter_store.hpp"

#include <gtest/gtest.h>

#include "unit/counters/small_fabric.hpp"

namespace heddle::counters {
namespace {

using model::Counter;
using model::NodeKind;
using model::PortKey;
using std::chrono::hours;
using std::chrono::seconds;
using testing::key;
using testing::NodeSketch;
using testing::sketch;
using Time = std::chrono::steady_clock::time_point;

constexpr NodeSketch kSwitch{0x10, NodeKind::kSwitch, 3};
constexpr NodeSketch kHost{0x20, NodeKind::kHostAdapter, 1};
constexpr NodeSketch kOtherHost{0x30, NodeKind::kHostAdapter, 2};
constexpr model::LinkRate kEdr{model::LinkWidth::k4x, model::LinkSpeed::kEdr};
constexpr model::LinkRate kSdr{model::LinkWidth::k1x, model::LinkSpeed::kSdr};

Time at(int second) { return Time{} + hours(100) + seconds(second); }

model::CounterSample sample_of(PortKey port, int second, Counter counter, std::uint64_t raw) {
  model::CounterSample sample;
  sample.port = port;
  sample.time = at(second);
  sample.add(counter, 64, raw);
  return sample;
}

model::CounterSample data_of(PortKey port, int second, std::uint64_t xmit, std::uint64_t rcv) {
  model::CounterSample sample = sample_of(port, second, Counter::kXmitData, xmit);
  sample.add(Counter::kRcvData, 64, rcv);
  return sample;
}

std::optional<std::uint64_t> total(const CounterStore& store, PortKey port, Counter counter) {
  const auto table = store.publish({}, {});
  return table->ports[table->fabric->find_port(port)->value()].get(counter);
}

model::PortTotals totals(const CounterStore& store, PortKey port) {
  const auto table = store.publish({}, {});
  return table->ports[table->fabric->find_port(port)->value()];
}

model::PortRates rates(const CounterStore& store, PortKey port, Time oldest = {}) {
  const auto frame = store.rates({}, oldest);
  return frame->ports[frame->fabric->find_port(port)->value()];
}

TEST(CounterStore, PublishesByPortIndexOfTheAdoptedFabric) {
  CounterStore store;
  const auto fabric = sketch({kSwitch, kHost});
  store.adopt(fabric, at(0));
  store.apply(sample_of(key(0x10, 2), 1, Counter::kXmitPkts, 7));
  store.apply(sample_of(key(0x20, 1), 1, Counter::kXmitPkts, 9));
  const auto wall = std::chrono::system_clock::time_point{seconds(77)};
  const auto table = store.publish(at(2), wall);
  EXPECT_EQ(table->fabric, fabric);
  EXPECT_EQ(table->published_at, at(2));
  EXPECT_EQ(table->published_at_wall, wall);
  ASSERT_EQ(table->ports.size(), fabric->ports().size());
  EXPECT_EQ(table->ports[2].get(Counter::kXmitPkts), 7U);
  EXPECT_EQ(table->ports[4].get(Counter::kXmitPkts), 9U);
  EXPECT_EQ(table->ports[1].known, 0U);
}

TEST(CounterStore, WhatIsPublishedStaysAsItWas) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(sample_of(key(0x20, 1), 1, Counter::kXmitPkts, 9));
  const auto table = store.publish(at(1), {});
  store.apply(sample_of(key(0x20, 1), 2, Counter::kXmitPkts, 12));
  EXPECT_EQ(table->ports[0].get(Counter::kXmitPkts), 9U);
}

TEST(CounterStore, IgnoresAndCountsPortsThatTheFabricDoesNotHave) {
  CounterStore store;
  store.apply(sample_of(key(0x20, 1), 1, Counter::kXmitPkts, 9));
  store.adopt(sketch({kHost}), at(0));
  store.apply(sample_of(key(0x20, 2), 1, Counter::kXmitPkts, 9));
  store.apply(sample_of(key(0x99, 1), 1, Counter::kXmitPkts, 9));
  store.set_wait_tick(key(0x99, 1), 7);
  EXPECT_EQ(store.stats().unknown_ports, 4U);
  EXPECT_EQ(store.stats().samples, 0U);
}

TEST(CounterStore, CountsWhatSamplesDid) {
  CounterStore store;
  store.adopt(sketch({kHost}, kSdr), at(0));
  store.apply(data_of(key(0x20, 1), 1, 1000, 1000));
  store.apply(data_of(key(0x20, 1), 2, 10, 1100));
  store.apply(data_of(key(0x20, 1), 3, std::uint64_t{1} << 50, 1200));
  store.apply(data_of(key(0x20, 1), 3, 10, 1100));
  EXPECT_EQ(store.stats().samples, 4U);
  EXPECT_EQ(store.stats().resets, 1U);
  EXPECT_EQ(store.stats().implausible, 1U);
  EXPECT_EQ(store.stats().late, 1U);
}

TEST(CounterStore, KeepsTheWaitTick) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  EXPECT_EQ(totals(store, key(0x20, 1)).wait_tick, std::nullopt);
  store.set_wait_tick(key(0x20, 1), 31);
  EXPECT_EQ(totals(store, key(0x20, 1)).wait_tick, 31);
}

TEST(CounterStore, CarriesTotalsByIdentityWhenNodesComeAndGo) {
  CounterStore store;
  store.adopt(sketch({kSwitch, kOtherHost}), at(0));
  store.apply(sample_of(key(0x10, 3), 1, Counter::kXmitPkts, 3));
  store.apply(sample_of(key(0x30, 2), 1, Counter::kXmitPkts, 5));
  store.adopt(sketch({{0x05, NodeKind::kRouter, 2}, kSwitch, kHost, kOtherHost}), at(2));
  EXPECT_EQ(total(store, key(0x10, 3), Counter::kXmitPkts), 3U);
  EXPECT_EQ(total(store, key(0x30, 2), Counter::kXmitPkts), 5U);
  EXPECT_EQ(totals(store, key(0x20, 1)).known, 0U);
  store.apply(sample_of(key(0x30, 2), 3, Counter::kXmitPkts, 6));
  EXPECT_EQ(total(store, key(0x30, 2), Counter::kXmitPkts), 6U) << "the baseline went along";
  EXPECT_EQ(store.parked(), 0U);
}

TEST(CounterStore, ANodeThatComesBackWithLowerCountersContinuesItsTotals) {
  CounterStore store;
  store.adopt(sketch({kSwitch, kHost, kOtherHost}), at(0));
  store.apply(sample_of(key(0x20, 1), 1, Counter::kSymbolErrors, 100));
  store.adopt(sketch({kSwitch, kOtherHost}), at(2));
  EXPECT_EQ(store.parked(), 1U) << "ports that were never read are not kept";
  store.apply(sample_of(key(0x20, 1), 3, Counter::kSymbolErrors, 101));
  EXPECT_EQ(store.stats().unknown_ports, 1U);
  store.adopt(sketch({kSwitch, kHost, kOtherHost}), at(4));
  EXPECT_EQ(store.parked(), 0U);
  EXPECT_EQ(total(store, key(0x20, 1), Counter::kSymbolErrors), 100U);
  store.apply(sample_of(key(0x20, 1), 5, Counter::kSymbolErrors, 4));
  EXPECT_EQ(total(store, key(0x20, 1), Counter::kSymbolErrors), 104U);
  EXPECT_TRUE(totals(store, key(0x20, 1)).is_at_least(Counter::kSymbolErrors));
}

TEST(CounterStore, ForgetsVanishedPortsAfterTheTimeToKeepThem) {
  CounterStore store;
  store.adopt(sketch({kHost, kOtherHost}), at(0), seconds(60));
  store.apply(sample_of(key(0x20, 1), 10, Counter::kXmitPkts, 100));
  store.adopt(sketch({kOtherHost}), at(20), seconds(60));
  store.adopt(sketch({kOtherHost}), at(70), seconds(60));
  EXPECT_EQ(store.parked(), 1U);
  store.adopt(sketch({kOtherHost}), at(71), seconds(60));
  EXPECT_EQ(store.parked(), 0U);
  store.adopt(sketch({kHost, kOtherHost}), at(80), seconds(60));
  EXPECT_EQ(totals(store, key(0x20, 1)).known, 0U);
}

TEST(CounterStore, ManyChangesOfTheFabricLoseAndMixUpNothing) {
  // Every port of node g counts g * 1000 + port, so a mix-up shows.
  constexpr int kNodes = 12;
  const auto node = [](int g) {
    return NodeSketch{static_cast<std::uint64_t>(g),
                      g % 3 == 0 ? NodeKind::kSwitch : NodeKind::kHostAdapter,
                      static_cast<std::uint8_t>(1 + g % 4)};
  };
  const auto value = [](PortKey k) { return k.node.value() * 1000 + k.port.value(); };
  CounterStore store;
  for (unsigned round = 0; round < 400; ++round) {
    // A different subset each round; every node is there at least now and then.
    std::vector<NodeSketch> nodes;
    for (int g = 1; g <= kNodes; ++g) {
      if ((round * 2654435761U >> (g + 4)) % 2 == 0) nodes.push_back(node(g));
    }
    const auto fabric = sketch(nodes);
    const int now = static_cast<int>(round) * 10;
    const auto before = round == 0 ? nullptr : store.publish({}, {});
    store.adopt(fabric, at(now));
    const auto table = store.publish({}, {});
    for (std::uint32_t i = 0; i < fabric->ports().size(); ++i) {
      const PortKey k = fabric->key(model::PortIndex{i});
      const auto held = table->ports[i].get(Counter::kXmitPkts);
      ASSERT_TRUE(!held || *held == value(k)) << model::to_string(k);
      store.apply(sample_of(k, now + 1, Counter::kXmitPkts, value(k)));
    }
    std::size_t seen = 0;
    for (int g = 1; g <= kNodes; ++g) {
      if (round > 100) seen += node(g).ports + (g % 3 == 0 ? 1U : 0U);
    }
    if (round > 100) {
      ASSERT_EQ(store.parked() + fabric->ports().size(), seen);
    }
  }
}

TEST(CounterStore, ACapacityOfBeforeHoldsUntilTheFirstReadingAfterTheRateChanged) {
  constexpr std::uint64_t kWordsInTenSecondsAtEdr = std::uint64_t{12'500'000'000} / 4 * 10;
  CounterStore store;
  store.adopt(sketch({kHost}, kEdr), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  store.adopt(sketch({kHost}, kSdr), at(9));
  EXPECT_FALSE(store.apply(data_of(key(0x20, 1), 10, kWordsInTenSecondsAtEdr, 0)).implausible);
  EXPECT_TRUE(store.apply(data_of(key(0x20, 1), 20, 2 * kWordsInTenSecondsAtEdr, 0)).implausible);
}

TEST(CounterStore, AnUnknownRateSetsNoLimit) {
  CounterStore store;
  store.adopt(sketch({kHost}, model::LinkRate{}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  EXPECT_FALSE(store.apply(data_of(key(0x20, 1), 1, std::uint64_t{1} << 60, 0)).implausible);
}

/// Two hosts at the given LIDs.
std::shared_ptr<const model::Fabric> hosts_at(std::uint16_t first, std::uint16_t second) {
  model::FabricBuilder builder("lids");
  const auto add = [&builder](std::uint64_t guid, std::uint16_t lid) {
    model::Node node;
    node.guid = model::NodeGuid{guid};
    node.kind = NodeKind::kHostAdapter;
    node.port_count = 1;
    builder.add_node(node);
    model::Port port;
    port.number = model::PortNum{std::uint8_t{1}};
    port.lid = model::Lid{lid};
    builder.set_port(node.guid, port);
  };
  add(0x20, first);
  add(0x30, second);
  return std::make_shared<const model::Fabric>(std::move(builder).build());
}

TEST(CounterStore, WhenLidsAreReassignedNoDevicesCountsGoToAnother) {
  CounterStore store;
  store.adopt(hosts_at(5, 6), at(0));
  const PortKey port = key(0x20, 1);
  store.apply(sample_of(port, 1, Counter::kXmitPkts, 100));
  store.apply(sample_of(key(0x30, 1), 1, Counter::kXmitPkts, 9'000));
  store.adopt(hosts_at(6, 5), at(10));

  // Asked before the change was known, so the other host has answered.
  model::CounterSample stale = sample_of(port, 11, Counter::kXmitPkts, 9'500);
  stale.asked_at = model::Lid{std::uint16_t{5}};
  EXPECT_TRUE(store.apply(stale).late);
  EXPECT_EQ(total(store, port, Counter::kXmitPkts), 100U);
  EXPECT_FALSE(totals(store, port).is_at_least(Counter::kXmitPkts));

  model::CounterSample fresh = sample_of(port, 12, Counter::kXmitPkts, 150);
  fresh.asked_at = model::Lid{std::uint16_t{6}};
  EXPECT_FALSE(store.apply(fresh).reset);
  EXPECT_EQ(total(store, port, Counter::kXmitPkts), 100U) << "a new baseline";
  EXPECT_TRUE(totals(store, port).is_at_least(Counter::kXmitPkts));
  fresh = sample_of(port, 13, Counter::kXmitPkts, 170);
  store.apply(fresh);
  EXPECT_EQ(total(store, port, Counter::kXmitPkts), 120U);
}

TEST(CounterStore, APortThatHadNoLidForAWhileIsNoOtherPort) {
  CounterStore store;
  const PortKey port = key(0x20, 1);
  store.adopt(hosts_at(5, 6), at(0));
  store.apply(sample_of(port, 1, Counter::kXmitPkts, 100));
  store.adopt(sketch({kHost, {0x30, NodeKind::kHostAdapter, 1}}), at(10));
  store.adopt(hosts_at(5, 6), at(20));
  store.apply(sample_of(port, 21, Counter::kXmitPkts, 130));
  EXPECT_EQ(total(store, port, Counter::kXmitPkts), 130U);
  EXPECT_FALSE(totals(store, port).is_at_least(Counter::kXmitPkts));
}

TEST(CounterStoreRates, AreOctetsASecondBetweenTheLastTwoReadings) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 500, 100));
  EXPECT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get(), std::nullopt)
      << "one reading gives no rate";
  store.apply(data_of(key(0x20, 1), 10, 3000, 100));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get().value(), 1000);
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).rcv_bytes_per_second.get().value(), 0);
  EXPECT_EQ(rates(store, key(0x20, 1)).xmit_wait_ticks_per_second.get(), std::nullopt);
}

TEST(CounterStoreRates, XmitWaitHasTheIntervalOfItsOwnGroup) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(sample_of(key(0x20, 1), 0, Counter::kXmitWait, 0));
  store.apply(data_of(key(0x20, 1), 29, 0, 0));
  store.apply(sample_of(key(0x20, 1), 30, Counter::kXmitWait, 600));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).xmit_wait_ticks_per_second.get().value(), 20);
}

TEST(CounterStoreRates, AreNotKnownAcrossAReset) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 500, 500));
  store.apply(data_of(key(0x20, 1), 10, 1000, 1000));
  store.apply(data_of(key(0x20, 1), 20, 10, 1500));
  EXPECT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get(), std::nullopt);
  EXPECT_EQ(rates(store, key(0x20, 1)).rcv_bytes_per_second.get(), std::nullopt);
  store.apply(data_of(key(0x20, 1), 30, 35, 2000));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get().value(), 10);
}

TEST(CounterStoreRates, AreNotKnownAfterAnImplausibleStep) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  store.apply(data_of(key(0x20, 1), 10, std::uint64_t{1} << 60, 10));
  EXPECT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get(), std::nullopt);
}

TEST(CounterStoreRates, AStuckCounterHasNone) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  for (int second : {0, 10, 20}) {
    model::CounterSample sample;
    sample.port = key(0x20, 1);
    sample.time = at(second);
    sample.add(Counter::kXmitWait, 32, 0xFFFFFFFF);
    store.apply(sample);
  }
  EXPECT_EQ(rates(store, key(0x20, 1)).xmit_wait_ticks_per_second.get(), std::nullopt);
}

TEST(CounterStoreRates, ALateSampleLeavesThemAlone) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  store.apply(data_of(key(0x20, 1), 10, 2500, 0));
  store.apply(data_of(key(0x20, 1), 10, 2600, 0));
  store.apply(data_of(key(0x20, 1), 5, 1000, 0));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get().value(), 1000);
}

TEST(CounterStoreRates, APortThatIsNoLongerReadDoesNotRepeatItsLastRate) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  store.apply(data_of(key(0x20, 1), 10, 2500, 0));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1), at(10)).xmit_bytes_per_second.get().value(), 1000);
  EXPECT_EQ(rates(store, key(0x20, 1), at(11)).xmit_bytes_per_second.get(), std::nullopt);
}

TEST(CounterStoreRates, OutliveAChangeOfTheFabricElsewhere) {
  CounterStore store;
  store.adopt(sketch({kHost}), at(0));
  store.apply(data_of(key(0x20, 1), 0, 0, 0));
  store.apply(data_of(key(0x20, 1), 10, 2500, 0));
  store.adopt(sketch({kSwitch, kHost}), at(11));
  EXPECT_FLOAT_EQ(rates(store, key(0x20, 1)).xmit_bytes_per_second.get().value(), 1000);
}

}  // namespace
}  // namespace heddle::counters
