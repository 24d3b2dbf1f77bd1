#include "daemon/weight_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/topologies.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr WeightBook::Clock::time_point kBegin{seconds{1000}};

class WeightBookTest : public testing::Test {
 protected:
  /// The n-th cable between switches, by both ends.
  std::pair<model::PortKey, model::PortKey> cable(std::size_t n) const {
    for (const model::Link& link : fabric_.links()) {
      const bool between = fabric_.switch_index(fabric_.port(link.a).node) &&
                           fabric_.switch_index(fabric_.port(link.b).node);
      if (between && n-- == 0) return {fabric_.key(link.a), fabric_.key(link.b)};
    }
    return {};
  }
  /// Two cables between switches that have no switch in common.
  std::pair<std::size_t, std::size_t> apart() const {
    for (std::size_t n = 1;; ++n) {
      const auto [a, b] = cable(0);
      const auto [c, d] = cable(n);
      if (a.node != c.node && a.node != d.node && b.node != c.node && b.node != d.node) {
        return {0, n};
      }
    }
  }
  std::vector<std::pair<model::PortKey, int>> held() const {
    std::vector<std::pair<model::PortKey, int>> all;
    for (const auto& weight : book_.weights()) all.emplace_back(weight.end, weight.percent);
    return all;
  }
  void file(std::map<model::PortKey, std::uint8_t> weights) { book_.set_file(fabric_, weights); }

  model::Fabric fabric_ = support::ft2_k4();
  WeightBook book_;
};

TEST_F(WeightBookTest, AnOperatorsWordHoldsAtOnceByTheLowerEnd) {
  const auto [low, high] = cable(0);
  const auto done = book_.set(fabric_, high, 0, std::nullopt, kBegin);
  ASSERT_TRUE(done);
  EXPECT_THAT(*done, HasSubstr("drained to 0 %"));
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_FALSE(book_.step(fabric_, kBegin));
  EXPECT_THAT(held(), ElementsAre(std::pair(low, 0)));
  EXPECT_TRUE(book_.weights()[0].by_operator);
  EXPECT_FALSE(book_.next_step());
  ASSERT_TRUE(book_.clear(fabric_, high));
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_THAT(held(), IsEmpty());
  EXPECT_FALSE(book_.clear(fabric_, high));
}

TEST_F(WeightBookTest, AWordForATimeEndsWithIt) {
  ASSERT_TRUE(book_.set(fabric_, cable(0).first, 50, seconds{10}, kBegin));
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_EQ(book_.next_step(), kBegin + seconds{10});
  EXPECT_FALSE(book_.step(fabric_, kBegin + seconds{9}));
  const auto generation = book_.generation();
  EXPECT_TRUE(book_.step(fabric_, kBegin + seconds{10}));
  EXPECT_GT(book_.generation(), generation);
  EXPECT_THAT(held(), IsEmpty());
}

TEST_F(WeightBookTest, CablesOfHostsAndPortsWithoutOneAreRefused) {
  for (const model::Link& link : fabric_.links()) {
    if (fabric_.switch_index(fabric_.port(link.b).node) &&
        fabric_.switch_index(fabric_.port(link.a).node)) {
      continue;
    }
    EXPECT_FALSE(book_.set(fabric_, fabric_.key(link.a), 0, std::nullopt, kBegin));
    EXPECT_FALSE(book_.set(fabric_, fabric_.key(link.b), 0, std::nullopt, kBegin));
  }
  const model::PortKey nowhere{model::NodeGuid{std::uint64_t{0x999}},
                               model::PortNum{std::uint8_t{1}}};
  EXPECT_FALSE(book_.set(fabric_, nowhere, 0, std::nullopt, kBegin));
}

TEST_F(WeightBookTest, ACableThatIsAwayCanBeGivenBack) {
  const auto [low, high] = cable(0);
  ASSERT_TRUE(book_.set(fabric_, low, 0, std::nullopt, kBegin));
  EXPECT_TRUE(book_.clear(model::Fabric{}, low));
}

TEST_F(WeightBookTest, TheLowerOfFileAndOperatorCounts) {
  const model::PortKey end = cable(0).first;
  file({{end, 50}});
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_THAT(held(), ElementsAre(std::pair(end, 50)));
  EXPECT_FALSE(book_.weights()[0].by_operator);
  ASSERT_TRUE(book_.set(fabric_, end, 80, std::nullopt, kBegin));
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_THAT(held(), ElementsAre(std::pair(end, 50)));
  ASSERT_TRUE(book_.set(fabric_, end, 0, std::nullopt, kBegin));
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_THAT(held(), ElementsAre(std::pair(end, 0)));
}

TEST_F(WeightBookTest, WhatAFileChangesStaysForAWhile) {
  const model::PortKey end = cable(0).first;
  file({{end, 0}});
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  file({});
  EXPECT_FALSE(book_.step(fabric_, kBegin + seconds{1}));
  EXPECT_THAT(held(), ElementsAre(std::pair(end, 0)));
  EXPECT_EQ(book_.next_step(), kBegin + WeightBook::kDwell);
  EXPECT_TRUE(book_.step(fabric_, kBegin + WeightBook::kDwell));
  EXPECT_THAT(held(), IsEmpty());
  // And the other way round: a file that flips every second drains once a dwell time.
  file({{end, 0}});
  EXPECT_FALSE(book_.step(fabric_, kBegin + WeightBook::kDwell + seconds{1}));
  EXPECT_TRUE(book_.step(fabric_, kBegin + 2 * WeightBook::kDwell));
}

TEST_F(WeightBookTest, SmallDifferencesInAFileAreNone) {
  const model::PortKey end = cable(0).first;
  file({{end, 50}});
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  file({{end, 59}});
  EXPECT_FALSE(book_.step(fabric_, kBegin + seconds{100}));
  file({{end, 60}});
  EXPECT_TRUE(book_.step(fabric_, kBegin + seconds{100}));
  file({{end, 95}});
  EXPECT_TRUE(book_.step(fabric_, kBegin + seconds{200}));
  file({{end, 100}});
  EXPECT_TRUE(book_.step(fabric_, kBegin + seconds{300})) << "given back as a whole";
  EXPECT_THAT(held(), IsEmpty());
}

TEST_F(WeightBookTest, AFileDrainsOneCableOfASwitchAtATime) {
  const auto [first, other] = apart();
  std::map<model::PortKey, std::uint8_t> all;
  const model::NodeGuid node = cable(first).first.node;
  std::size_t of_node = 0;
  for (std::size_t n = 0; cable(n).first.node.value() != 0; ++n) {
    const auto [low, high] = cable(n);
    if (low.node != node && high.node != node) continue;
    all[low] = 0;
    ++of_node;
  }
  ASSERT_GE(of_node, 2U);
  all[cable(other).first] = 0;
  file(all);
  const auto drained_of_node = [&] {
    return std::ranges::count_if(held(), [&](const auto& weight) {
      for (std::size_t n = 0; cable(n).first.node.value() != 0; ++n) {
        const auto [low, high] = cable(n);
        if (low == weight.first && (low.node == node || high.node == node)) return true;
      }
      return false;
    });
  };
  EXPECT_TRUE(book_.step(fabric_, kBegin));
  EXPECT_EQ(drained_of_node(), 1);
  EXPECT_FALSE(book_.step(fabric_, kBegin + seconds{59}));
  EXPECT_EQ(book_.next_step(), kBegin + WeightBook::kDrainEvery);
  EXPECT_TRUE(book_.step(fabric_, kBegin + WeightBook::kDrainEvery));
  EXPECT_EQ(drained_of_node(), 2);
}

}  // namespace
}  // namespace heddle::daemon
