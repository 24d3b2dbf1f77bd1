#include "plugins/opensm/repair_inbox.hpp"

#include <gmock/gmock.h>

#include <array>
#include <thread>
#include <vector>

namespace heddle::plugin {
namespace {

using model::Lid;
using model::NodeGuid;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::uint8_t, HEDDLE_BLOCK_LIDS> kEntries{1, 2, 3};

TEST(RepairInboxTest, TrapsOfASwitchAreOneUntilTheyAreTaken) {
  RepairInbox inbox(RepairInbox::Blocks::kNever);
  inbox.trap(Lid{std::uint16_t{70}});
  inbox.trap(Lid{std::uint16_t{3}});
  inbox.trap(Lid{std::uint16_t{70}});
  inbox.trap(model::kMaxUnicastLid);
  inbox.trap(Lid{std::uint16_t{0xFFFF}});  // nobody's
  EXPECT_THAT(inbox.take_traps(),
              ElementsAre(Lid{std::uint16_t{3}}, Lid{std::uint16_t{70}}, model::kMaxUnicastLid));
  EXPECT_THAT(inbox.take_traps(), IsEmpty());
}

TEST(RepairInboxTest, BlocksAreKeptOnlyWhileSomebodyWaitsForThem) {
  RepairInbox inbox(RepairInbox::Blocks::kWhenAwaited);
  inbox.block(NodeGuid{std::uint64_t{1}}, 2, kEntries.data());
  EXPECT_FALSE(inbox.take_block());
  inbox.await_blocks(true);
  inbox.block(NodeGuid{std::uint64_t{1}}, 2, kEntries.data());
  const std::optional<BlockEvent> event = inbox.take_block();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->guid, NodeGuid{std::uint64_t{1}});
  EXPECT_EQ(event->block, 2);
  EXPECT_EQ(event->entries, kEntries);
  EXPECT_FALSE(inbox.take_block());
}

TEST(RepairInboxTest, WhatDoesNotFitIsCountedAndTheRestIsInOrder) {
  RepairInbox inbox(RepairInbox::Blocks::kAlways);
  constexpr unsigned kSent = 20'000;
  for (unsigned i = 0; i < kSent; ++i) inbox.block(NodeGuid{std::uint64_t{i}}, 0, kEntries.data());
  std::uint64_t taken = 0;
  while (const std::optional<BlockEvent> event = inbox.take_block()) {
    EXPECT_EQ(event->guid, NodeGuid{taken});
    ++taken;
  }
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(taken + inbox.take_lost(), kSent);
  EXPECT_EQ(inbox.take_lost(), 0U);
  inbox.block(NodeGuid{std::uint64_t{7}}, 0, kEntries.data());
  EXPECT_TRUE(inbox.take_block()) << "there is room again";
}

TEST(RepairInboxTest, SeveralThreadsLoseNothingAndWakeTheOneThatWaits) {
  RepairInbox inbox(RepairInbox::Blocks::kAlways);
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5'000;
  std::vector<std::thread> senders;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    senders.emplace_back([&inbox, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        inbox.block(NodeGuid{t * kEach + i}, static_cast<std::uint16_t>(t), kEntries.data());
      }
      inbox.trap(Lid{static_cast<std::uint16_t>(t + 1)});
    });
  }
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  std::size_t traps = 0;
  std::array<std::uint64_t, kThreads> next{};
  while (traps < kThreads || taken + lost < kThreads * kEach) {
    inbox.wait(std::nullopt);
    while (const std::optional<BlockEvent> event = inbox.take_block()) {
      EXPECT_GE(event->guid.value(), next[event->block]) << "each thread's own are in order";
      next[event->block] = event->guid.value() + 1;
      ++taken;
    }
    lost += inbox.take_lost();
    traps += inbox.take_traps().size();
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(taken + lost, kThreads * kEach);
}

TEST(RepairInboxTest, AWaitEndsAtItsTime) {
  RepairInbox inbox(RepairInbox::Blocks::kNever);
  const auto begin = std::chrono::steady_clock::now();
  inbox.wait(begin + std::chrono::milliseconds(30));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  inbox.sweep();
  inbox.routed();
  inbox.wait(std::nullopt);
  EXPECT_TRUE(inbox.take_sweep());
  EXPECT_TRUE(inbox.take_routed());
  EXPECT_FALSE(inbox.take_sweep());
  EXPECT_FALSE(inbox.take_routed());
}

}  // namespace
}  // namespace heddle::plugin
