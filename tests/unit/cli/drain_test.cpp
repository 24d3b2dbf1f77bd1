#include "cli/drain.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include "cli/run_command.hpp"

namespace heddle::cli {
namespace {

using testing::HasSubstr;

/// Takes one line and answers with another, in pieces.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) {
    std::string name = (std::filesystem::temp_directory_path() / "drain-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
    path = (folder_ / "s").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(static_cast<char*>(address.sun_path), path.size());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int fd = ::accept(listener_, nullptr, nullptr);
      std::array<char, 1024> bytes;
      const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
      if (got > 0) asked.assign(bytes.data(), static_cast<std::size_t>(got));
      for (const char c : answer) EXPECT_EQ(::send(fd, &c, 1, MSG_NOSIGNAL), 1);
      ::close(fd);
    });
  }
  ~OneAnswer() {
    finish();
    ::close(listener_);
    std::filesystem::remove_all(folder_);
  }
  void finish() {
    if (thread_.joinable()) thread_.join();
  }
  std::string path;
  std::string asked;  ///< after finish()

 private:
  std::filesystem::path folder_;
  int listener_ = -1;
  std::thread thread_;
};

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{out, err, Colour::kOff, [] { return false; }};
  const ExitCode code = run_command(arguments, console);
  return {code, out.str(), err.str()};
}

TEST(Drain, AsksHeddledAndPrintsItsAnswer) {
  OneAnswer heddled("ok: drained\n");
  const Outcome outcome =
      run({"drain", "0x10/3", "--percent", "50", "--seconds", "600", "--socket", heddled.path});
  heddled.finish();
  EXPECT_EQ(heddled.asked, "drain 0x0000000000000010/3 percent=50 seconds=600\n");
  EXPECT_EQ(outcome.code, ExitCode::kGood);
  EXPECT_EQ(outcome.out, "drained\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Drain, UndrainTakesTheLinkAlone) {
  OneAnswer heddled("ok: given back\n");
  EXPECT_EQ(run({"undrain", "0x10/3", "--socket", heddled.path}).code, ExitCode::kGood);
  heddled.finish();
  EXPECT_EQ(heddled.asked, "undrain 0x0000000000000010/3\n");
  EXPECT_EQ(run({"undrain", "0x10/3", "--percent", "1"}).code, ExitCode::kBad);
}

TEST(Drain, WhatHeddledRefusesIsNotGood) {
  OneAnswer heddled("error: no\x1b such cable\n");
  const Outcome outcome = run({"drain", "0x10/3", "--socket", heddled.path});
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  EXPECT_EQ(outcome.err, "heddle: error: no\\x1b such cable\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(Drain, SaysWhyHeddledCannotBeAsked) {
  const Outcome nobody = run({"drain", "0x10/3", "--socket", "/nonexistent/s"});
  EXPECT_EQ(nobody.code, ExitCode::kBad);
  EXPECT_THAT(nobody.err, HasSubstr("/nonexistent/s: No such file"));
  const Outcome longer = run({"drain", "0x10/3", "--socket", "/" + std::string(200, 'x')});
  EXPECT_EQ(longer.code, ExitCode::kBad);
  EXPECT_THAT(longer.err, HasSubstr("no path of a socket"));
  OneAnswer silent("");
  const Outcome hung_up = run({"drain", "0x10/3", "--socket", silent.path});
  EXPECT_EQ(hung_up.code, ExitCode::kBad);
  EXPECT_THAT(hung_up.err, HasSubstr("hung up"));
}

TEST(Drain, BadLinksAndSharesAreBadUsage) {
  EXPECT_EQ(run({"drain", "leaf"}).code, ExitCode::kBad);
  EXPECT_EQ(run({"drain"}).code, ExitCode::kBad);
  EXPECT_EQ(run({"drain", "0x10/3", "--percent", "100"}).code, ExitCode::kBad);
  EXPECT_EQ(run({"drain", "0x10/3", "--seconds", "0"}).code, ExitCode::kBad);
}

}  // namespace
}  // namespace heddle::cli
