#include "daemon/http_guests.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle::daemon::http {
namespace {

using Line = Guests<int>;

TEST(Guests, TheOneIdleForTheLongestGoesFirst) {
  Line line;
  const Line::Ticket one = line.enter(1);
  line.enter(2);
  line.enter(3);
  line.set_busy(one);
  line.set_idle(one);
  EXPECT_EQ(line.evict(), 2);
  EXPECT_EQ(line.evict(), 3);
  EXPECT_EQ(line.evict(), 1);
  EXPECT_EQ(line.evict(), std::nullopt);
}

TEST(Guests, StillIdleIsNoNewerThanBefore) {
  Line line;
  const Line::Ticket one = line.enter(1);
  line.enter(2);
  line.set_idle(one);
  EXPECT_EQ(line.evict(), 1);
}

TEST(Guests, TheBusyOnesStay) {
  Line line;
  const Line::Ticket one = line.enter(1);
  line.set_busy(one);
  EXPECT_EQ(line.evict(), std::nullopt);
  EXPECT_EQ(line.staying(), 1U);
}

TEST(Guests, OneThatIsLeavingStaysSoUntilItHasLeft) {
  Line line;
  const Line::Ticket one = line.enter(1);
  ASSERT_EQ(line.evict(), 1);
  line.set_busy(one);
  line.set_idle(one);
  EXPECT_EQ(line.evict(), std::nullopt);
  EXPECT_EQ(line.staying(), 0U);
  EXPECT_EQ(line.leaving(), 1U);
  line.leave(one);
  EXPECT_EQ(line.size(), 0U);
}

TEST(Guests, EachIsVisitedWhateverItDoes) {
  Line line;
  line.enter(1);
  line.enter(2);
  line.set_busy(line.enter(3));
  ASSERT_EQ(line.evict(), 1);
  std::set<int> seen;
  line.for_each([&](int guest) { seen.insert(guest); });
  EXPECT_EQ(seen, (std::set<int>{1, 2, 3}));
}

}  // namespace
}  // namespace heddle::daemon::http
