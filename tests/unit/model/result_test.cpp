#include "model/result.hpp"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Errc::kInvalidInput, "odd", {"numbers.txt", 3});
  return value / 2;
}

TEST(Results, CarryTheReasonAndItsPlace) {
  const Result<int> bad = half(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "numbers.txt:3: odd");
  EXPECT_EQ(std::string(to_string(bad.error().code)), "invalid_input");
}

TEST(Results, ChainAndStopAtTheFirstFailure) {
  EXPECT_EQ(half(12).and_then(half).value(), 3);
  EXPECT_FALSE(half(6).and_then(half));
}

TEST(Results, AnErrorWithoutAPlaceIsItsTextAlone) {
  EXPECT_EQ((Error{Errc::kTimeout, "no answer", std::nullopt}).message(), "no answer");
}

}  // namespace
}  // namespace heddle::model
