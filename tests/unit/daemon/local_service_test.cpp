#include "daemon/local_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "plugins/abi/frames.hpp"
#include "support/topologies.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

/// One end of a Unix connection, with patience.
class Caller {
 public:
  explicit Caller(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connected = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Caller() { ::close(fd_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void send(const abi::Message& message) const {
    std::string bytes;
    abi::encode(message, bytes);
    send(bytes);
  }
  /// What came; empty at the end or after ten seconds.
  std::string receive() const {
    pollfd ready{fd_, POLLIN, 0};
    std::array<char, 4096> bytes;
    if (::poll(&ready, 1, 10000) != 1) return {};
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }
  template <class T>
  std::optional<T> next() {
    for (;;) {
      while (const auto frame = reader_.next()) {
        const abi::Decoded decoded = abi::decode(*frame);
        const auto* message = std::get_if<abi::Message>(&decoded);
        if (const T* wanted = message == nullptr ? nullptr : std::get_if<T>(message))
          return *wanted;
      }
      const std::string bytes = receive();
      if (bytes.empty()) return std::nullopt;
      reader_.feed(bytes);
    }
  }
  bool connected = false;

 private:
  int fd_;
  abi::FrameReader reader_;
};

class LocalServiceTest : public testing::Test {
 protected:
  LocalServiceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "local-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
    options_.opensm = {path("opensm.sock"), "", 0600};
    options_.control = {path("control.sock"), "", 0600};
    options_.weights.hold = milliseconds{2000};
    options_.software = "heddled test";
  }
  ~LocalServiceTest() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  void start() {
    LocalService::Hooks hooks;
    hooks.fabric = [this] { return fabric_; };
    hooks.tell = [this](std::vector<model::Event> events) {
      const std::lock_guard lock(mutex_);
      for (model::Event& event : events) events_.push_back(std::move(event.text));
    };
    hooks.publish = [this](std::shared_ptr<const exporter::RoutingStatus> status) {
      const std::lock_guard lock(mutex_);
      status_ = std::move(status);
    };
    hooks.sweep = [this] { ++sweeps_; };
    hooks.failed = [](std::string_view what) { ADD_FAILURE() << what; };
    service_.emplace(options_, std::move(hooks), links_);
    ASSERT_TRUE(wait([this] { return Caller(options_.opensm.path).connected; }));
  }
  static bool wait(const std::function<bool()>& what) {
    for (int i = 0; i < 1000; ++i) {
      if (what()) return true;
      std::this_thread::sleep_for(milliseconds{10});
    }
    return false;
  }
  bool told(const std::string& text) {
    return wait([&] {
      const std::lock_guard lock(mutex_);
      return std::ranges::any_of(
          events_, [&](const std::string& event) { return event.find(text) != std::string::npos; });
    });
  }
  std::shared_ptr<const exporter::RoutingStatus> status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  std::string command(const std::string& line) {
    const Caller caller(options_.control.path);
    caller.send(line + "\n");
    return caller.receive();
  }
  [[nodiscard]] std::string some_link() const {
    for (const model::Link& link : fabric_->links()) {
      if (fabric_->switch_index(fabric_->port(link.a).node) &&
          fabric_->switch_index(fabric_->port(link.b).node)) {
        return to_string(fabric_->key(link.b));
      }
    }
    return {};
  }

  std::filesystem::path folder_;
  LocalService::Options options_;
  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::ft2_k4());
  std::mutex mutex_;
  std::vector<std::string> events_;                        ///< guarded by mutex_
  std::shared_ptr<const exporter::RoutingStatus> status_;  ///< guarded by mutex_
  std::atomic<int> sweeps_{0};
  LinkLedger links_;
  std::optional<LocalService> service_;
};

abi::Hello hello() {
  abi::Hello made;
  made.instance = 1;
  made.software = "libheddle.so";
  return made;
}

TEST_F(LocalServiceTest, GreetsAPluginTakesItsMessagesAndTellsWhenItLeaves) {
  start();
  {
    Caller plugin(options_.opensm.path);
    const auto greeting = plugin.next<abi::Hello>();
    ASSERT_TRUE(greeting);
    EXPECT_EQ(greeting->software, "heddled test");
    const auto weights = plugin.next<abi::Weights>();
    ASSERT_TRUE(weights);
    EXPECT_TRUE(weights->entries.empty());
    EXPECT_EQ(weights->hold_milliseconds, 2000U);
    plugin.send(hello());
    abi::Trap trap;
    trap.generic = 1;
    trap.number = 128;
    plugin.send(trap);
    EXPECT_TRUE(told("OpenSM is connected: libheddle.so"));
    EXPECT_TRUE(told("link state changed (trap 128)"));
    EXPECT_EQ(sweeps_.load(), 1);
    EXPECT_TRUE(wait([this] { return status() && status()->managers.size() == 1; }));
    EXPECT_TRUE(status()->listening);
    // Weights are its sign of life.
    EXPECT_TRUE(plugin.next<abi::Weights>());
  }
  EXPECT_TRUE(told("has left: it closed the connection"));
  EXPECT_TRUE(wait([this] { return status()->managers.empty(); }));
}

TEST_F(LocalServiceTest, WhatIsNoPluginIsLeftAndOthersGoOn) {
  start();
  Caller good(options_.opensm.path);
  good.send(hello());
  EXPECT_TRUE(told("OpenSM is connected"));
  const Caller bad(options_.opensm.path);
  bad.send(std::string(4096, '\xFF'));
  EXPECT_TRUE(wait([&bad] { return bad.receive().empty(); }));
  good.send(abi::ManagerState{1, 3, 0, 0});
  EXPECT_TRUE(told("is master"));
}

TEST_F(LocalServiceTest, DrainsReachThePluginAtOnceAndSoDoesTheirEnd) {
  start();
  Caller plugin(options_.opensm.path);
  ASSERT_TRUE(plugin.next<abi::Weights>());
  plugin.send(hello());
  ASSERT_TRUE(told("OpenSM is connected"));
  EXPECT_THAT(command("drain " + some_link()), StartsWith("ok: drained to 0 %"));
  const auto drained = plugin.next<abi::Weights>();
  ASSERT_TRUE(drained);
  ASSERT_EQ(drained->entries.size(), 1U);
  EXPECT_EQ(drained->entries[0].percent, 0);
  EXPECT_TRUE(told("by user "));
  EXPECT_TRUE(wait([this] { return status()->weights.size() == 1; }));
  EXPECT_THAT(command("undrain " + some_link()), StartsWith("ok: given back"));
  const auto given_back = plugin.next<abi::Weights>();
  ASSERT_TRUE(given_back);
  EXPECT_TRUE(given_back->entries.empty());
  EXPECT_NE(given_back->generation, drained->generation);
}

TEST_F(LocalServiceTest, CommandsThatCannotBeAreRefusedInOneLine) {
  start();
  EXPECT_THAT(command("drain 0x999/1"), StartsWith("error: 0x0000000000000999/1 is no end"));
  EXPECT_THAT(command("nonsense"), StartsWith("error: no such command"));
  EXPECT_THAT(command("undrain " + some_link()), StartsWith("error: nobody has drained"));
  EXPECT_THAT(command("drain " + some_link()), HasSubstr("no OpenSM is connected"));
  // Too long for a line: hung up.
  EXPECT_EQ(command(std::string(1000, 'x')), "");
  EXPECT_THAT(command("undrain " + some_link()), StartsWith("ok: "));
}

TEST_F(LocalServiceTest, AFileOfWeightsIsReadAndAnErrorInItChangesNothing) {
  options_.weights.file = path("weights");
  std::ofstream(options_.weights.file) << some_link() << " 0\n";
  start();
  EXPECT_TRUE(told("routes may use 0 % of"));
  std::ofstream(options_.weights.file) << "nonsense\n";
  EXPECT_TRUE(told("the weights stay as they are: " + options_.weights.file + ":1:"));
  EXPECT_TRUE(wait([this] { return status()->weights.size() == 1; }));
  EXPECT_EQ(status()->weights[0].source, "file");
}

TEST_F(LocalServiceTest, ASocketThatCannotBeHadIsToldAndTheOtherWorks) {
  options_.control.path = path("none/control.sock");
  start();
  EXPECT_TRUE(told("no socket for heddle drain, it is tried again: " + options_.control.path));
  Caller plugin(options_.opensm.path);
  EXPECT_TRUE(plugin.next<abi::Hello>());
}

}  // namespace
}  // namespace heddle::daemon
