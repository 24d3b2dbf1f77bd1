#include "mad/transaction_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "mad/pace_limiter.hpp"
#include "mad/timeout_queue.hpp"

namespace heddle::mad {
namespace {

using namespace std::chrono_literals;

TEST(TransactionTable, CountsUpAndSkipsZeroAtTheWrap) {
  TransactionTable<int> table(4, 0xFFFFFFFEU);
  EXPECT_EQ(table.open(1), 0xFFFFFFFEU);
  EXPECT_EQ(table.open(2), 0xFFFFFFFFU);
  EXPECT_EQ(table.open(3), 1U);
  ASSERT_NE(table.find(0xFFFFFFFFU), nullptr);
  EXPECT_EQ(*table.find(0xFFFFFFFFU), 2);
}

TEST(TransactionTable, DoesNotGiveANumberAgainWhileAnOldOneIsOpen) {
  TransactionTable<int> table(4, 1);
  const std::uint32_t old = table.open(-1);
  std::set<std::uint32_t> seen{old};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint32_t number = table.open(i);
    EXPECT_TRUE(seen.insert(number).second) << number;
    table.close(number);
    EXPECT_EQ(table.find(number), nullptr);
  }
  ASSERT_NE(table.find(old), nullptr);
  EXPECT_EQ(*table.find(old), -1);
}

TEST(TransactionTable, DoesNotMistakeAnotherNumberOfTheSamePlace) {
  TransactionTable<int> table(4, 5);
  const std::uint32_t number = table.open(1);
  EXPECT_EQ(table.find(number + 16), nullptr);
  EXPECT_EQ(table.find(number + (1U << 20)), nullptr);
  table.close(number + (1U << 20));
  EXPECT_NE(table.find(number), nullptr);
}

TEST(TimeoutQueue, GivesTheEarliestLiveDeadlineOverAllRanks) {
  const TimeoutQueue::Clock::time_point start{};
  std::set<std::uint32_t> live{1, 2, 3};
  const auto is_live = [&](std::uint32_t number) { return live.contains(number); };
  TimeoutQueue queue(2);
  EXPECT_FALSE(queue.next(is_live).has_value());
  queue.push(0, start + 10ms, 1);
  queue.push(0, start + 20ms, 2);
  queue.push(1, start + 15ms, 3);
  EXPECT_EQ(queue.next(is_live), start + 10ms);
  live.erase(1);
  EXPECT_EQ(queue.next(is_live), start + 15ms);
  EXPECT_FALSE(queue.pop_due(start + 14ms, is_live).has_value());
  EXPECT_EQ(queue.pop_due(start + 15ms, is_live), 3U);
  EXPECT_EQ(queue.pop_due(start + 30ms, is_live), 2U);
  EXPECT_FALSE(queue.pop_due(start + 1h, is_live).has_value());
}

TEST(PaceLimiter, AllowsItsRateAndTenMillisecondsAtOnce) {
  PaceLimiter limiter(1000);
  PaceLimiter::Clock::time_point now = PaceLimiter::Clock::time_point{} + 1h;
  const auto take_all = [&] {
    int taken = 0;
    for (; limiter.allows(now); ++taken) limiter.count(now);
    return taken;
  };
  EXPECT_EQ(take_all(), 11);
  EXPECT_GT(limiter.due(), now);
  now += 5ms;
  EXPECT_EQ(take_all(), 5);
  now += 10s;
  EXPECT_EQ(take_all(), 11);
}

}  // namespace
}  // namespace heddle::mad
