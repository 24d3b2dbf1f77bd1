#include "daemon/service_manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "daemon/logging.hpp"

namespace heddle::daemon {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// What systemd would hear: a datagram socket in the abstract namespace.
class NotifySocket {
 public:
  NotifySocket() : fd_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "heddle-test-" + std::to_string(::getpid());
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const void* any = &address;
    bound_ = ::bind(fd_, static_cast<const sockaddr*>(any),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) == 0;
    ::setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  }
  ~NotifySocket() {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(fd_);
  }
  [[nodiscard]] bool bound() const { return bound_; }
  [[nodiscard]] std::string next() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
  }

 private:
  int fd_;
  bool bound_ = false;
};

TEST(ServiceManager, TellsSystemdHowItIs) {
  const NotifySocket socket;
  ASSERT_TRUE(socket.bound());
  const ServiceManager manager;
  manager.ready("fine");
  EXPECT_EQ(socket.next(), "READY=1\nSTATUS=fine");
  manager.reloading();
  EXPECT_THAT(socket.next(), AllOf(StartsWith("RELOADING=1"), HasSubstr("MONOTONIC_USEC=")));
  manager.watchdog();
  EXPECT_EQ(socket.next(), "WATCHDOG=1");
  manager.status("busy");
  EXPECT_EQ(socket.next(), "STATUS=busy");
  manager.stopping();
  EXPECT_EQ(socket.next(), "STOPPING=1");
}

TEST(ServiceManager, KnowsTheWatchdogsIntervalIfThereIsOne) {
  ::unsetenv("WATCHDOG_USEC");
  EXPECT_EQ(ServiceManager::watchdog_interval(), std::nullopt);
  ::setenv("WATCHDOG_USEC", "30000000", 1);
  ::unsetenv("WATCHDOG_PID");
  EXPECT_EQ(ServiceManager::watchdog_interval(), std::chrono::seconds{30});
  ::unsetenv("WATCHDOG_USEC");
}

TEST(LogValue, IsQuotedWhereItMustBe) {
  EXPECT_EQ(quoted("plain"), "plain");
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("two words"), "\"two words\"");
  EXPECT_EQ(quoted("say \"no\""), "\"say \\\"no\\\"\"");
  EXPECT_EQ(quoted("a=b"), "\"a=b\"");
  EXPECT_THAT(quoted("line\nline"), testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace heddle::daemon
