#include "cli/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() : folder_(fs::temp_directory_path() / fmt::format("heddle-cli-{}", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~AtomicFile() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(AtomicFile, replaces_what_was_there_and_leaves_nothing_beside_it) {
  const fs::path path = folder_ / "fabric";
  ASSERT_TRUE(write_file(path, "old and long"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, names_the_file_that_cannot_be_written) {
  const model::Status status = write_file(folder_ / "missing" / "fabric", "text");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, model::Errc::kUnavailable);
  EXPECT_THAT(status.error().text, testing::HasSubstr("missing/fabric: cannot be written"));
}

TEST_F(AtomicFile, writes_into_a_pipe_and_leaves_it_a_pipe) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file(path, "text"));
  std::string read(16, '\0');
  const ssize_t count = ::read(reader, read.data(), read.size());
  ::close(reader);
  ASSERT_EQ(count, 4);
  EXPECT_EQ(read.substr(0, 4), "text");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, replaces_what_a_link_points_at_and_not_the_link) {
  fs::create_directories(folder_ / "far");
  const fs::path target = folder_ / "far" / "fabric";
  ASSERT_TRUE(write_file(target, "old"));
  fs::create_symlink(target, folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(target), "new");
}

TEST_F(AtomicFile, leaves_nothing_behind_where_a_folder_is_in_the_way) {
  const fs::path path = folder_ / "taken";
  fs::create_directories(path / "inside");
  EXPECT_FALSE(write_file(path, "text"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, a_program_that_is_stopped_while_it_writes_leaves_no_temporary_file) {
  const fs::path path = folder_ / "fabric";
  // Takes long enough to be met in the middle.
  const std::string large(16U << 20U, 'x');
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    if (!write_file(path, large)) ::_exit(3);  // a full disk is told apart from what is tested here
    ::pause();
    ::_exit(0);
  }
  int status = 0;
  while (entries() == 0 && ::waitpid(writer, &status, WNOHANG) == 0) {
  }
  ::kill(writer, SIGTERM);
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  ASSERT_EQ(entries(), 1);
  EXPECT_EQ(fs::file_size(path), large.size());
}

}  // namespace
}  // namespace heddle::cli
