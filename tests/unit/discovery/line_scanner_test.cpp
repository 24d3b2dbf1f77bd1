#include "discovery/line_scanner.hpp"

#include <gmock/gmock.h>

#include <string>

#include "support/paths.hpp"

namespace heddle::discovery {
namespace {

using testing::HasSubstr;

TEST(ReadText, OfADeviceWithoutEndIsAnErrorInsteadOfAllMemory) {
  const auto text = read_text("/dev/zero", std::size_t{1} << 20U);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, model::Errc::kInvalidInput);
  EXPECT_EQ(text.error().text, "/dev/zero: holds more than 1048576 bytes");
}

TEST(ReadText, TakesAFileOfTheLargestSizeAndNoByteMore) {
  const std::string path = support::checkout_path("tests/data/topologies/netlist.topo");
  const auto whole = read_text(path);
  ASSERT_TRUE(whole) << whole.error().text;
  ASSERT_GT(whole->size(), 0U);
  EXPECT_EQ(read_text(path, whole->size()).value_or(""), *whole);
  const auto cut = read_text(path, whole->size() - 1);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().text, HasSubstr("holds more than"));
}

}  // namespace
}  // namespace heddle::discovery
