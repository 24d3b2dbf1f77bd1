#include "cli/finish_within.hpp"

#include <gmock/gmock.h>

#include <latch>
#include <memory>
#include <stdexcept>

namespace heddle::cli {
namespace {

using std::chrono::milliseconds;

TEST(FinishWithin, gives_what_the_work_returns) {
  EXPECT_EQ(finish_within<int>(milliseconds{60'000}, [] { return 7; }), 7);
}

TEST(FinishWithin, does_not_wait_for_work_that_hangs) {
  const auto released = std::make_shared<std::latch>(1);
  const auto result = finish_within<int>(milliseconds{1}, [released] {
    released->wait();
    return 7;
  });
  EXPECT_EQ(result, std::nullopt);
  released->count_down();
}

TEST(FinishWithin, passes_on_what_the_work_throws) {
  const auto throwing = []() -> int { throw std::runtime_error("no"); };
  EXPECT_THROW(static_cast<void>(finish_within<int>(milliseconds{60'000}, throwing)),
               std::runtime_error);
}

}  // namespace
}  // namespace heddle::cli
