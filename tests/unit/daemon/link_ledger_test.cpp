#include "daemon/link_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

constexpr model::PortKey kA{model::NodeGuid{std::uint64_t{1}}, model::PortNum{std::uint8_t{1}}};
constexpr model::PortKey kB{model::NodeGuid{std::uint64_t{2}}, model::PortNum{std::uint8_t{2}}};

LinkLedger::Time at(int second) { return LinkLedger::Time{seconds{1'000'000 + second}}; }

bool down(LinkLedger& ledger, int second) {
  return ledger.observe({kA, kB, false, at(second), at(second)});
}
bool up(LinkLedger& ledger, int second) {
  return ledger.observe({kB, kA, true, at(second), at(second)});
}

TEST(LinkLedger, CountsFlapsAndTheTimeThatACableWasDown) {
  LinkLedger ledger;
  EXPECT_THAT(ledger.histories(at(0)), IsEmpty());
  EXPECT_TRUE(down(ledger, 10));
  ASSERT_EQ(ledger.histories(at(13)).size(), 1U);
  EXPECT_EQ(ledger.histories(at(13))[0].down, seconds{3});
  EXPECT_EQ(ledger.histories(at(13))[0].down_since, at(10));
  EXPECT_TRUE(up(ledger, 15));
  EXPECT_TRUE(down(ledger, 20));
  EXPECT_TRUE(up(ledger, 22));
  const auto history = ledger.histories(at(100))[0];
  EXPECT_EQ(history.a, kA);
  EXPECT_EQ(history.b, kB);
  EXPECT_EQ(history.flaps, 2U);
  EXPECT_EQ(history.down, seconds{7});
  EXPECT_FALSE(history.down_since);
}

TEST(LinkLedger, WhatTheOtherHasToldAlreadyIsNoNews) {
  LinkLedger ledger;
  EXPECT_TRUE(down(ledger, 10));
  EXPECT_FALSE(down(ledger, 12));
  EXPECT_EQ(ledger.histories(at(12))[0].flaps, 1U);
  EXPECT_EQ(ledger.histories(at(12))[0].down, seconds{2}) << "since the first that saw it";
}

// A sweep that began before the cable came back reports it as gone.
TEST(LinkLedger, ALookThatBeganBeforeTheLastChangeTellsNothing) {
  LinkLedger ledger;
  EXPECT_TRUE(down(ledger, 10));
  EXPECT_TRUE(up(ledger, 20));
  EXPECT_FALSE(ledger.observe({kA, kB, false, at(21), at(19)}));
  EXPECT_EQ(ledger.histories(at(30))[0].flaps, 1U);
  EXPECT_TRUE(ledger.observe({kA, kB, false, at(31), at(25)}));
}

TEST(LinkLedger, ACableThatComesForTheFirstTimeHasNotFlapped) {
  LinkLedger ledger;
  EXPECT_TRUE(up(ledger, 5));
  EXPECT_THAT(ledger.histories(at(6)), IsEmpty());
}

TEST(LinkLedger, AClockThatIsSetBackTakesNoTimeAway) {
  LinkLedger ledger;
  EXPECT_TRUE(down(ledger, 10));
  EXPECT_TRUE(ledger.observe({kA, kB, true, at(5), at(11)}));
  EXPECT_EQ(ledger.histories(at(0))[0].down, milliseconds{0});
}

}  // namespace
}  // namespace heddle::daemon
