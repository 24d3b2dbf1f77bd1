#include "daemon/opensm_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/topologies.hpp"
#include "unit/plugin_abi/samples.hpp"

namespace heddle::daemon {
namespace {

using model::EventKind;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr OpensmFeed::Time kNow{seconds{1'790'000'000}};
std::uint64_t nanoseconds(OpensmFeed::Time time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

class OpensmFeedTest : public testing::Test {
 protected:
  OpensmFeed::Told take(const abi::Message& message, OpensmFeed::Time now = kNow,
                        OpensmFeed::Session session = 1) {
    return feed_.take(session, message, fabric_, now);
  }
  void greet(OpensmFeed::Session session = 1, std::uint64_t instance = 5) {
    abi::Hello hello;
    hello.instance = instance;
    hello.process = 4711;
    hello.software = "libheddle.so";
    static_cast<void>(take(hello, kNow, session));
  }
  abi::LinkChange change(bool up, OpensmFeed::Time at) const {
    const model::Link link = fabric_.links().front();
    const model::PortKey a = fabric_.key(link.a);
    const model::PortKey b = fabric_.key(link.b);
    return {nanoseconds(at),
            nanoseconds(at),
            static_cast<std::uint8_t>(up),
            1,
            a.node.value(),
            a.port.value(),
            b.node.value(),
            b.port.value()};
  }
  static abi::RoutingRun run(std::uint64_t time) {
    abi::RoutingRun made;
    made.time = time;
    made.routed = 1;
    made.proved = 1;
    made.lanes = 1;
    made.entries = 100;
    made.engine = "fat-tree";
    return made;
  }

  model::Fabric fabric_ = support::ft2_k4();
  LinkLedger links_;
  OpensmFeed feed_{links_};
};

TEST_F(OpensmFeedTest, TellsWhoComesAndWhoLeaves) {
  abi::Hello hello;
  hello.process = 4711;
  hello.software = "lib\x1b";
  const auto told = take(hello);
  ASSERT_THAT(told.events, SizeIs(1));
  EXPECT_EQ(told.events[0].kind, EventKind::kPlugin);
  EXPECT_THAT(told.events[0].text, HasSubstr("lib\\x1b, process 4711"));
  EXPECT_THAT(feed_.status().managers, SizeIs(1));
  EXPECT_THAT(feed_.left(1, "it closed", kNow).events, SizeIs(1));
  EXPECT_THAT(feed_.status().managers, IsEmpty());
  EXPECT_THAT(feed_.left(1, "again", kNow).events, IsEmpty());
}

TEST_F(OpensmFeedTest, NobodyIsHeardBeforeHisHello) {
  for (const abi::Message& message : abi::testing_support::one_of_each()) {
    if (std::holds_alternative<abi::Hello>(message)) continue;
    EXPECT_THAT(take(message).events, IsEmpty());
  }
  abi::Hello other;
  other.magic = 1;
  EXPECT_THAT(take(other).events, IsEmpty());
  EXPECT_THAT(feed_.status().managers, IsEmpty());
  EXPECT_THAT(feed_.status().runs, IsEmpty());
}

TEST_F(OpensmFeedTest, StatesAreToldWhenTheyChange) {
  greet();
  EXPECT_THAT(take(abi::ManagerState{1, 2, 5, 7}).events, SizeIs(1));
  EXPECT_THAT(take(abi::ManagerState{2, 2, 5, 7}).events, IsEmpty());
  const auto told = take(abi::ManagerState{3, 3, 5, 7});
  ASSERT_THAT(told.events, SizeIs(1));
  EXPECT_THAT(told.events[0].text, HasSubstr("process 4711, is master, priority 5"));
  EXPECT_EQ(feed_.status().managers[0].state, model::SubnetManager::State::kMaster);
}

TEST_F(OpensmFeedTest, ATrapIsToldWithItsPlaceAndTimeAndAsksForASweep) {
  greet();
  const model::NodeGuid node = fabric_.key(fabric_.links().front().a).node;
  abi::Trap trap;
  trap.time = nanoseconds(kNow - seconds{3});
  trap.generic = 1;
  trap.number = 128;
  trap.node_guid = node.value();
  const auto told = take(trap);
  ASSERT_THAT(told.events, SizeIs(1));
  EXPECT_TRUE(told.sweep);
  EXPECT_EQ(told.events[0].time, kNow - seconds{3});
  EXPECT_EQ(told.events[0].port, (model::PortKey{node, model::PortNum{}}));
  EXPECT_THAT(told.events[0].text, HasSubstr("link state changed (trap 128) at \""));
  trap.number = 131;
  trap.port = 7;
  const auto watchdog = take(trap);
  EXPECT_FALSE(watchdog.sweep);
  EXPECT_EQ(watchdog.events[0].severity, model::Severity::kWarning);
  EXPECT_THAT(watchdog.events[0].text, HasSubstr("port 7"));
  trap.generic = 0;
  trap.number = 128;
  EXPECT_FALSE(take(trap).sweep) << "a vendor's own number";
}

TEST_F(OpensmFeedTest, AStormOfTrapsIsToldAsANumber) {
  greet();
  abi::Trap trap;
  trap.generic = 1;
  trap.number = 144;
  std::size_t told = 0;
  for (int i = 0; i < 10000; ++i) told += take(trap).events.size();
  EXPECT_EQ(told, 200U);
  EXPECT_EQ(feed_.status().messages.trap, 10000U);
  const auto later = take(trap, kNow + seconds{1});
  ASSERT_THAT(later.events, SizeIs(2));
  EXPECT_THAT(later.events[0].text, HasSubstr("9800 traps were not told one by one"));
}

TEST_F(OpensmFeedTest, ALinkThatGoesAndComesIsToldOnceAndEntered) {
  greet();
  const auto down = take(change(false, kNow - seconds{10}));
  ASSERT_THAT(down.events, SizeIs(1));
  EXPECT_EQ(down.events[0].kind, EventKind::kLinkDown);
  EXPECT_EQ(down.events[0].time, kNow - seconds{10});
  EXPECT_TRUE(down.events[0].peer);
  EXPECT_THAT(take(change(false, kNow - seconds{9})).events, IsEmpty());
  EXPECT_EQ(take(change(true, kNow - seconds{4})).events[0].kind, EventKind::kLinkUp);
  EXPECT_EQ(links_.histories(kNow)[0].down, seconds{6});
}

TEST_F(OpensmFeedTest, RunsAreToldWhereTheySaySomethingNew) {
  greet();
  abi::RoutingRun first = run(1);
  first.changed = 50;
  first.blocks_changed = 3;
  ASSERT_THAT(take(first).events, SizeIs(1));
  EXPECT_THAT(take(run(2)).events, IsEmpty()) << "a sweep that changed nothing";
  EXPECT_THAT(take(run(2)).events, IsEmpty()) << "told again after a new connection";
  abi::RoutingRun fallback = run(3);
  fallback.fallback = "fat-tree gave up: x";
  const auto told = take(fallback);
  ASSERT_THAT(told.events, SizeIs(1));
  EXPECT_EQ(told.events[0].severity, model::Severity::kWarning);
  abi::RoutingRun failed = run(4);
  failed.routed = 0;
  failed.reason = "no memory";
  EXPECT_EQ(take(failed).events[0].severity, model::Severity::kError);
  const auto status = feed_.status();
  EXPECT_EQ(status.runs_total, 4U);
  EXPECT_EQ(status.runs_failed_total, 1U);
  EXPECT_EQ(status.runs_fallback_total, 1U);
  EXPECT_EQ(status.entries_changed_total, 50U);
  EXPECT_EQ(status.blocks_changed_total, 3U);
}

TEST_F(OpensmFeedTest, WhatARepairHasToSayIsAnEvent) {
  greet();
  const auto told = take(abi::Note{nanoseconds(kNow - seconds{1}), 1, "fast repair:\nx"});
  ASSERT_THAT(told.events, SizeIs(1));
  EXPECT_EQ(told.events[0].kind, EventKind::kRouting);
  EXPECT_EQ(told.events[0].severity, model::Severity::kError);
  EXPECT_EQ(told.events[0].text, "fast repair:\\x0ax");
  EXPECT_EQ(told.events[0].time, kNow - seconds{1});
}

TEST_F(OpensmFeedTest, RunsOfARestartedOpensmCountThoughItsClockWasSetBack) {
  greet(1, 5);
  static_cast<void>(take(run(100)));
  greet(2, 6);
  static_cast<void>(take(run(50), kNow, 2));
  EXPECT_EQ(feed_.status().runs_total, 2U);
}

TEST_F(OpensmFeedTest, EventsThatThePluginLostAreToldAndCountedOnce) {
  greet();
  ASSERT_THAT(take(abi::QueueState{1, 100, 7, 41000, 0}).events, SizeIs(1));
  EXPECT_THAT(take(abi::QueueState{2, 200, 7, 41000, 0}).events, IsEmpty());
  static_cast<void>(feed_.left(1, "x", kNow));
  greet(2);
  EXPECT_THAT(take(abi::QueueState{3, 200, 9, 41000, 0}, kNow, 2).events, SizeIs(1));
  EXPECT_EQ(feed_.status().events_dropped_total, 9U);
}

TEST_F(OpensmFeedTest, TimesOfTheFutureAreNow) {
  greet();
  abi::Trap trap;
  trap.time = ~std::uint64_t{0};
  EXPECT_EQ(take(trap).events[0].time, kNow);
}

TEST_F(OpensmFeedTest, KeepsTheLastRunsAlone) {
  greet();
  for (std::uint64_t i = 1; i <= 100; ++i) static_cast<void>(take(run(i)));
  EXPECT_THAT(feed_.status().runs, SizeIs(32));
  EXPECT_EQ(feed_.status().runs_total, 100U);
}

}  // namespace
}  // namespace heddle::daemon
