#include "plugins/opensm/event_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::plugin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

heddle_event event(heddle_event_kind kind, std::uint64_t time) {
  heddle_event made{};
  made.kind = kind;
  made.time = time;
  return made;
}

heddle_event trap(std::uint64_t time, std::uint64_t guid) {
  heddle_event made = event(HEDDLE_EVENT_TRAP, time);
  made.generic = 1;
  made.number = 128;
  made.guid = guid;
  return made;
}

heddle_cable cable(std::uint64_t a, std::uint8_t port_a, std::uint64_t b, std::uint8_t port_b) {
  heddle_cable made{};
  made.node_guid[0] = a;
  made.node_guid[1] = b;
  made.port[0] = port_a;
  made.port[1] = port_b;
  return made;
}

abi::LinkChange change(std::uint64_t time, std::uint64_t seen, bool up, bool by_trap) {
  return {time, seen, static_cast<std::uint8_t>(up), static_cast<std::uint8_t>(by_trap), 1, 2,
          3,    4};
}

TEST(EventMessages, EachKindOfEventBecomesItsMessage) {
  using What = abi::SweepStep::What;
  EventMessages messages;
  const auto step = [&](heddle_event_kind kind) {
    return std::get<abi::SweepStep>(*messages.take(event(kind, 5))).what;
  };
  EXPECT_EQ(step(HEDDLE_EVENT_SUBNET_UP), What::kSubnetUp);
  EXPECT_EQ(step(HEDDLE_EVENT_HEAVY_SWEEP_START), What::kHeavySweepStarted);
  EXPECT_EQ(step(HEDDLE_EVENT_HEAVY_SWEEP_DONE), What::kHeavySweepDone);
  heddle_event done = event(HEDDLE_EVENT_ROUTING_DONE, 5);
  done.detail = 1;
  EXPECT_EQ(std::get<abi::SweepStep>(*messages.take(done)).what, What::kRoutingDone);
  done.detail = 2;
  EXPECT_EQ(std::get<abi::SweepStep>(*messages.take(done)).what, What::kReroutingDone);
  EXPECT_EQ(std::get<abi::Trap>(*messages.take(trap(6, 7))).node_guid, 7U);

  heddle_event state = event(HEDDLE_EVENT_STATE_CHANGE, 5);
  state.detail = 3;
  state.guid = 9;
  state.count = 14;
  EXPECT_EQ(std::get<abi::ManagerState>(*messages.take(state)), (abi::ManagerState{5, 3, 14, 9}));

  heddle_event counters = event(HEDDLE_EVENT_PORT_SELECT, 5);
  counters.guid = 8;
  counters.port = 3;
  counters.count = 180;
  counters.values[0] = 77;
  counters.value_count = 1;
  EXPECT_EQ(std::get<abi::PortCounters>(*messages.take(counters)),
            (abi::PortCounters{5, 8, 3, abi::PortCounters::What::kSelect, 180, {77}}));
  counters.value_count = 200;
  EXPECT_EQ(std::get<abi::PortCounters>(*messages.take(counters)).values.size(), 13U);
}

TEST(EventMessages, WritesToTablesGather) {
  EventMessages messages;
  EXPECT_FALSE(messages.writes());
  for (std::uint64_t i = 0; i < 3; ++i) {
    heddle_event write = event(i == 2 ? HEDDLE_EVENT_TABLE_TOP : HEDDLE_EVENT_TABLE_BLOCK, 10 + i);
    write.guid = 0x10;
    EXPECT_FALSE(messages.take(write));
  }
  EXPECT_TRUE(messages.has_writes());
  EXPECT_EQ(std::get<abi::TableWrites>(*messages.writes()),
            (abi::TableWrites{10, 12, 2, 1, 1, 0x10}));
  EXPECT_FALSE(messages.writes());
  for (std::uint64_t guid = 1; guid <= 2; ++guid) {
    heddle_event write = event(HEDDLE_EVENT_TABLE_BLOCK, 20);
    write.guid = guid;
    EXPECT_FALSE(messages.take(write));
  }
  EXPECT_EQ(std::get<abi::TableWrites>(*messages.writes()), (abi::TableWrites{20, 20, 2, 0, 2, 0}));
}

TEST(EventMessages, WhatIsThereAtFirstHasNotComeJustNow) {
  EventMessages messages;
  const heddle_cable there[] = {cable(3, 4, 1, 2)};
  EXPECT_THAT(messages.compare_cables(there, 100), IsEmpty());
  EXPECT_THAT(messages.compare_cables(there, 200), IsEmpty());
}

TEST(EventMessages, ACableThatGoesAndComesHasTheTimeOfTheFirstTrapOrOfTheLook) {
  EventMessages messages;
  const heddle_cable there[] = {cable(3, 4, 1, 2)};
  static_cast<void>(messages.compare_cables(there, 100));
  static_cast<void>(messages.take(trap(151, 3)));
  static_cast<void>(messages.take(trap(150, 1)));
  static_cast<void>(messages.take(event(HEDDLE_EVENT_HEAVY_SWEEP_START, 160)));
  EXPECT_THAT(messages.compare_cables({}, 200), ElementsAre(change(150, 200, false, true)));
  EXPECT_THAT(messages.compare_cables(there, 300), ElementsAre(change(300, 300, true, false)));
}

// A trap of an earlier change must not date a later one.
TEST(EventMessages, ATrapThatASweepHasAnsweredDatesNothingFurther) {
  EventMessages messages;
  const heddle_cable there[] = {cable(3, 4, 1, 2)};
  static_cast<void>(messages.take(trap(50, 1)));
  static_cast<void>(messages.take(event(HEDDLE_EVENT_HEAVY_SWEEP_START, 60)));
  static_cast<void>(messages.compare_cables(there, 100));
  EXPECT_THAT(messages.compare_cables({}, 200), ElementsAre(change(200, 200, false, false)));
  static_cast<void>(messages.take(event(HEDDLE_EVENT_HEAVY_SWEEP_START, 210)));
  static_cast<void>(messages.take(trap(220, 1)));
  EXPECT_THAT(messages.compare_cables({}, 230), IsEmpty());
  EXPECT_THAT(messages.compare_cables(there, 300), ElementsAre(change(220, 300, true, true)));
}

}  // namespace
}  // namespace heddle::plugin
