#include "plugins/opensm/event_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace heddle::plugin {
namespace {

TEST(EventQueue, GivesBackInOrderAndSaysWhenThereIsNoRoom) {
  EventQueue<int> queue(4);
  int value = 0;
  EXPECT_FALSE(queue.take(value));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(queue.put(i));
    EXPECT_FALSE(queue.put(4));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(queue.take(value));
      EXPECT_EQ(value, i);
    }
    EXPECT_FALSE(queue.take(value));
  }
}

TEST(EventQueue, RoundsRoomUpToAPowerOfTwo) {
  EventQueue<int> queue(5);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(queue.put(i)) << i;
  EXPECT_FALSE(queue.put(8));
}

TEST(EventQueue, NothingIsLostTwiceOrTornBetweenThreads) {
  struct Item {
    std::uint64_t source;
    std::uint64_t number;
    std::uint64_t sum;
  };
  constexpr std::uint64_t kSources = 4;
  constexpr std::uint64_t kEach = 20000;
  EventQueue<Item> queue(256);
  std::array<std::uint64_t, kSources> refused{};  // read after the threads have ended
  std::atomic<std::uint64_t> running{kSources};
  std::vector<std::thread> threads;
  for (std::uint64_t source = 0; source < kSources; ++source) {
    threads.emplace_back([&queue, &refused, &running, source] {
      for (std::uint64_t i = 1; i <= kEach; ++i) {
        bool taken_in = queue.put({source, i, source + i});
        // Some insist, so that the threads meet however they are scheduled.
        for (; !taken_in && i % 2 == 0; taken_in = queue.put({source, i, source + i})) {
          std::this_thread::yield();
        }
        if (!taken_in) ++refused[source];
      }
      --running;
    });
  }
  std::array<std::uint64_t, kSources> last{};
  std::array<std::uint64_t, kSources> taken{};
  const auto take_all = [&] {
    for (Item item{}; queue.take(item);) {
      ASSERT_LT(item.source, kSources);
      EXPECT_EQ(item.sum, item.source + item.number);
      EXPECT_GT(item.number, last[item.source]);
      last[item.source] = item.number;
      ++taken[item.source];
    }
  };
  while (running.load() != 0) take_all();
  for (std::thread& thread : threads) thread.join();
  take_all();
  for (std::uint64_t source = 0; source < kSources; ++source) {
    EXPECT_EQ(taken[source] + refused[source], kEach);
    EXPECT_GE(taken[source], kEach / 2);
  }
}

}  // namespace
}  // namespace heddle::plugin
