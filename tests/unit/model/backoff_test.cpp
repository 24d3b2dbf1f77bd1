#include "model/backoff.hpp"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {
using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToItsLimitAndForgetsAfterASuccess) {
  Backoff backoff({milliseconds{100}, milliseconds{300}});
  const Backoff::Clock::time_point start{};
  EXPECT_FALSE(backoff.waiting(start));
  backoff.failed(start);
  EXPECT_TRUE(backoff.waiting(start + milliseconds{99}));
  EXPECT_FALSE(backoff.waiting(start + milliseconds{100}));
  EXPECT_TRUE(backoff.failing());
  backoff.failed(start);
  EXPECT_EQ(backoff.next_attempt(), start + milliseconds{200});
  backoff.failed(start);
  EXPECT_EQ(backoff.next_attempt(), start + milliseconds{300});
  backoff.failed(start);
  EXPECT_EQ(backoff.next_attempt(), start + milliseconds{300});
  backoff.succeeded();
  EXPECT_FALSE(backoff.failing());
  backoff.failed(start);
  EXPECT_EQ(backoff.next_attempt(), start + milliseconds{100});
}

}  // namespace
}  // namespace heddle::model
