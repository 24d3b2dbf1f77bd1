#include "daemon/open_files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

namespace heddle::daemon {
namespace {

TEST(ConnectionRoom, IsWhatIsWantedWhereDescriptorsSuffice) {
  const auto unlimited = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(connection_room(1024, unlimited, 2), (ConnectionRoom{1024, 64}));
  EXPECT_EQ(connection_room(1024, 524288, 2), (ConnectionRoom{1024, 64}));
  EXPECT_EQ(connection_room(1, unlimited, 2).staying, 1U);
}

TEST(ConnectionRoom, LeavesTheDaemonTheDescriptorsThatItNeedsItself) {
  // 256 - 32 - 2 threads = 222, of which a quarter for those that come in vain or make room.
  EXPECT_EQ(connection_room(1024, 256, 2), (ConnectionRoom{167, 55}));
  for (std::uint64_t open_files = 0; open_files < 2000; ++open_files) {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{64}}) {
      const ConnectionRoom room = connection_room(1024, open_files, threads);
      EXPECT_GE(room.staying, 1U);
      EXPECT_GE(room.leaving, 1U);
      if (open_files < 100) continue;
      EXPECT_LE(room.staying + room.leaving + threads + 32, open_files) << threads;
    }
  }
}

TEST(OpenFilesLimit, IsRaisedToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{128, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_open_files_limit(), before.rlim_max);
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace heddle::daemon
