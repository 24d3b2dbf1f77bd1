#include "cli/reader_left.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace heddle::cli {
namespace {

TEST(ReaderLeft, IsSeenOfAPipeWithoutWritingToIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_FALSE(reader_left(ends[1]));
  ::close(ends[0]);
  EXPECT_TRUE(reader_left(ends[1]));
  ::close(ends[1]);
}

TEST(ReaderLeft, IsNeverSoOfAFileAndAlwaysOfWhatIsNotOpen) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(null, 0);
  EXPECT_FALSE(reader_left(null));
  ::close(null);
  EXPECT_TRUE(reader_left(null));
}

}  // namespace
}  // namespace heddle::cli
