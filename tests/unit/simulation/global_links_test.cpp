#include "simulation/global_links.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace heddle::simulation {
namespace {

TEST(GlobalLinks, GiveEveryPairOfGroupsItsEvenShareAndUseNoSlotTwice) {
  for (std::uint32_t groups = 2; groups <= 14; ++groups) {
    for (std::uint32_t slots = groups - 1; slots <= 3 * groups + 1; ++slots) {
      SCOPED_TRACE(testing::Message() << groups << " groups of " << slots << " slots");
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs;
      std::set<std::pair<std::uint32_t, std::uint32_t>> used;
      for (const GlobalLink& link : spread_global_links(groups, slots)) {
        EXPECT_LT(link.a.group, link.b.group);
        ++pairs[{link.a.group, link.b.group}];
        for (const GlobalEnd& end : {link.a, link.b}) {
          EXPECT_LT(end.group, groups);
          EXPECT_LT(end.slot, slots);
          EXPECT_TRUE(used.insert({end.group, end.slot}).second);
        }
      }
      EXPECT_EQ(pairs.size(), groups * (groups - 1) / 2);
      const std::uint32_t fair = slots / (groups - 1);
      for (const auto& [pair, count] : pairs) {
        EXPECT_GE(count, fair);
        EXPECT_LE(count, fair + (slots % (groups - 1) != 0 ? 1 : 0));
      }
      // Groups look alike, and at most one slot each is without a partner.
      const bool odd_one_out = slots % (groups - 1) % 2 == 1 && groups % 2 == 1;
      EXPECT_EQ(used.size(), groups * (odd_one_out ? slots - 1 : slots));
    }
  }
}

TEST(GlobalLinks, AreTheSameSeenFromEveryGroup) {
  constexpr std::uint32_t kGroups = 9;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> distance_by_slot;
  for (const GlobalLink& link : spread_global_links(kGroups, 12)) {
    distance_by_slot[link.a.group][link.a.slot] = (link.b.group + kGroups - link.a.group) % kGroups;
    distance_by_slot[link.b.group][link.b.slot] = (link.a.group + kGroups - link.b.group) % kGroups;
  }
  ASSERT_EQ(distance_by_slot.size(), kGroups);
  for (const auto& [group, distances] : distance_by_slot) {
    EXPECT_EQ(distances, distance_by_slot[0]) << "group " << group;
  }
}

TEST(GlobalLinks, AreNoneWithOneGroup) { EXPECT_TRUE(spread_global_links(1, 8).empty()); }

}  // namespace
}  // namespace heddle::simulation
