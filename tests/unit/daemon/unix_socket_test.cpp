#include "daemon/unix_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle::daemon {
namespace {

using testing::HasSubstr;

class UnixSocketTest : public testing::Test {
 protected:
  UnixSocketTest() {
    std::string name = (std::filesystem::temp_directory_path() / "socket-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~UnixSocketTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] SocketConfig config(std::uint32_t mode = 0600) const {
    return {(folder_ / "s").string(), "", mode};
  }
  std::filesystem::path folder_;
};

TEST_F(UnixSocketTest, HasItsModeAndGoesWithItsOwner) {
  for (const std::uint32_t mode : {0600U, 0660U, 0666U}) {
    const auto listener = UnixListener::open(config(mode));
    ASSERT_TRUE(listener) << listener.error().text;
    struct stat found {};
    ASSERT_EQ(::stat(config().path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, mode);
  }
  EXPECT_FALSE(std::filesystem::exists(config().path));
}

TEST_F(UnixSocketTest, ASocketThatSomebodyListensOnIsLeftToHim) {
  const auto first = UnixListener::open(config());
  ASSERT_TRUE(first);
  const auto second = UnixListener::open(config());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, HasSubstr("another program listens there"));
  EXPECT_TRUE(std::filesystem::exists(config().path));
}

TEST_F(UnixSocketTest, ASocketThatAKilledProgramLeftIsReplaced) {
  const std::string path = config().path;
  {
    const auto first = UnixListener::open(config());
    ASSERT_TRUE(first);
    std::filesystem::rename(path, path + ".kept");
  }
  std::filesystem::rename(path + ".kept", path);
  EXPECT_TRUE(UnixListener::open(config()));
}

TEST_F(UnixSocketTest, NothingElseIsReplaced) {
  std::ofstream(config().path) << "dear";
  EXPECT_FALSE(UnixListener::open(config()));
  EXPECT_EQ(std::filesystem::file_size(config().path), 4U);
}

TEST_F(UnixSocketTest, ErrorsNameThePathAndTheReason) {
  SocketConfig missing = config();
  missing.path = (folder_ / "none" / "s").string();
  EXPECT_THAT(UnixListener::open(missing).error().text, HasSubstr("none/s: No such file"));
  SocketConfig group = config();
  group.group = "no-such-group-here";
  EXPECT_THAT(UnixListener::open(group).error().text, HasSubstr("there is no group"));
  EXPECT_FALSE(std::filesystem::exists(group.path));
}

}  // namespace
}  // namespace heddle::daemon
