#include "plugins/opensm/event_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::plugin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

/// Stands for heddled: one connection at a time, read as frames.
class Heddled {
 public:
  explicit Heddled(std::string path) : path_(std::move(path)) { listen(); }
  ~Heddled() { stop(); }

  void listen() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    std::filesystem::remove(path_);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener_, 4), 0);
  }
  bool accept(milliseconds patience = seconds{10}) {
    pollfd ready{listener_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) != 1) return false;
    connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    reader_ = {};
    return connection_ != -1;
  }
  void send(const abi::Message& message) const {
    std::string bytes;
    abi::encode(message, bytes);
    send(bytes);
  }
  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// The next message that is a T; messages before it are kept in `seen`.
  template <class T>
  std::optional<T> next(milliseconds patience = seconds{10}) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
      while (const auto frame = reader_.next()) {
        const abi::Decoded decoded = abi::decode(*frame);
        const auto* message = std::get_if<abi::Message>(&decoded);
        if (message == nullptr) continue;
        seen.push_back(*message);
        if (const T* wanted = std::get_if<T>(message)) return *wanted;
      }
      const auto left =
          std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd ready{connection_, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) != 1) return {};
      std::array<char, 65536> bytes;
      const ssize_t got = ::recv(connection_, bytes.data(), bytes.size(), 0);
      if (got <= 0) return {};
      reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
    }
  }
  void hang_up() {
    if (connection_ != -1) ::close(connection_);
    connection_ = -1;
  }
  void stop() {
    hang_up();
    if (listener_ != -1) ::close(listener_);
    listener_ = -1;
    std::filesystem::remove(path_);
  }
  std::vector<abi::Message> seen;

 private:
  std::string path_;
  int listener_ = -1;
  int connection_ = -1;
  abi::FrameReader reader_;
};

/// Stands for the shim.
struct Host {
  std::mutex mutex;
  std::vector<std::string> log;
  std::vector<heddle_cable> cables;
  int routes = 0;

  heddle_host calls() {
    return {this,
            [](void* self, int, const char* text) {
              Host& host = *static_cast<Host*>(self);
              const std::lock_guard lock(host.mutex);
              host.log.emplace_back(text);
            },
            [](void* self, std::size_t* count) -> heddle_cable* {
              Host& host = *static_cast<Host*>(self);
              const std::lock_guard lock(host.mutex);
              *count = host.cables.size();
              auto* copy =
                  static_cast<heddle_cable*>(std::calloc(*count + 1, sizeof(heddle_cable)));
              std::copy(host.cables.begin(), host.cables.end(), copy);
              return copy;
            },
            [](void*, heddle_event* event) {
              event->detail = 3;
              event->guid = 0x42;
              event->count = 14;
            }};
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex);
    return log;
  }
};

class EventFeedTest : public testing::Test {
 protected:
  EventFeedTest() {
    std::string name = (std::filesystem::temp_directory_path() / "feed-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~EventFeedTest() override {
    feed_.reset();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string path() const { return (folder_ / "opensm.sock").string(); }
  void start() {
    feed_.emplace(
        EventFeed::Options{path(), "test"}, host_.calls(),
        [this](WeightSet set) {
          const std::lock_guard lock(host_.mutex);
          applied_.push_back(std::move(set));
        },
        [this] {
          const std::lock_guard lock(host_.mutex);
          ++host_.routes;
        });
  }
  void post(heddle_event_kind kind, std::uint64_t time) {
    heddle_event event{};
    event.kind = kind;
    event.time = time;
    event.began = event_clock();
    feed_->post(event);
  }
  bool wait(const std::function<bool()>& what) {
    for (int i = 0; i < 1000; ++i) {
      if (what()) return true;
      std::this_thread::sleep_for(milliseconds{10});
    }
    return false;
  }
  std::vector<WeightSet> applied() {
    const std::lock_guard lock(host_.mutex);
    return applied_;
  }

  std::filesystem::path folder_;
  Host host_;
  std::vector<WeightSet> applied_;  ///< guarded by host_.mutex
  std::optional<EventFeed> feed_;
};

abi::Hello hello() {
  abi::Hello made;
  made.software = "heddled";
  return made;
}

TEST_F(EventFeedTest, GreetsTellsTheStateAndThenEvents) {
  Heddled heddled(path());
  start();
  ASSERT_TRUE(heddled.accept());
  const auto greeting = heddled.next<abi::Hello>();
  ASSERT_TRUE(greeting);
  EXPECT_EQ(greeting->magic, abi::kMagic);
  EXPECT_EQ(greeting->software, "test");
  const auto state = heddled.next<abi::ManagerState>();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->state, 3);
  EXPECT_EQ(state->port_guid, 0x42U);
  post(HEDDLE_EVENT_SUBNET_UP, 77);
  const auto step = heddled.next<abi::SweepStep>();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->time, 77U);
  const auto queue = heddled.next<abi::QueueState>();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->taken, 1U);
  EXPECT_EQ(queue->dropped, 0U);
}

TEST_F(EventFeedTest, WithoutHeddledItSaysSoOnceAndEventsWait) {
  start();
  for (std::uint64_t i = 1; i <= 100; ++i) post(HEDDLE_EVENT_SUBNET_UP, i);
  ASSERT_TRUE(wait([this] { return !host_.lines().empty(); }));
  EXPECT_THAT(host_.lines().front(), HasSubstr(path() + ": No such file"));
  std::this_thread::sleep_for(milliseconds{700});
  EXPECT_EQ(host_.lines().size(), 1U);
  Heddled heddled(path());
  ASSERT_TRUE(heddled.accept());
  heddled.send(hello());
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const auto step = heddled.next<abi::SweepStep>();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->time, i);
  }
  ASSERT_TRUE(wait([this] { return host_.lines().size() == 2; }));
  EXPECT_THAT(host_.lines()[1], HasSubstr("events go to heddled"));
}

TEST_F(EventFeedTest, TheNewestEventsWaitAndTheOthersAreCounted) {
  start();
  constexpr std::uint64_t kMany = 30000;
  for (std::uint64_t i = 1; i <= kMany; ++i) {
    post(HEDDLE_EVENT_SUBNET_UP, i);
    if (i % 4096 == 0) std::this_thread::sleep_for(milliseconds{50});
  }
  ASSERT_TRUE(wait([this] { return !host_.lines().empty(); }));
  Heddled heddled(path());
  ASSERT_TRUE(heddled.accept());
  std::uint64_t last = 0;
  std::uint64_t received = 0;
  while (last != kMany) {
    const auto step = heddled.next<abi::SweepStep>();
    ASSERT_TRUE(step) << last;
    EXPECT_GT(step->time, last);
    last = step->time;
    ++received;
  }
  const auto queue = heddled.next<abi::QueueState>();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->taken, kMany);
  EXPECT_EQ(queue->dropped, kMany - received);
  EXPECT_THAT(host_.lines(), Contains(HasSubstr("ERR HD07")));
}

TEST_F(EventFeedTest, ComesBackWhenHeddledDoesAndTellsTheLastRunAgain) {
  {
    Heddled heddled(path());
    start();
    ASSERT_TRUE(heddled.accept());
    heddled.send(hello());
    abi::RoutingRun run;
    run.time = 5;
    feed_->tell(run);
    ASSERT_TRUE(heddled.next<abi::RoutingRun>());
  }
  Heddled again(path());
  ASSERT_TRUE(again.accept());
  const auto run = again.next<abi::RoutingRun>();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->time, 5U);
  EXPECT_TRUE(std::holds_alternative<abi::Hello>(again.seen.front()));
  ASSERT_TRUE(wait([this] { return host_.lines().size() >= 2; }));
  EXPECT_THAT(host_.lines(), Contains(HasSubstr("heddled has left")));
}

TEST_F(EventFeedTest, WhatASweepFoundOfCablesIsTold) {
  Heddled heddled(path());
  heddle_cable cable{};
  cable.node_guid[0] = 1;
  cable.node_guid[1] = 2;
  host_.cables = {cable};
  start();
  ASSERT_TRUE(heddled.accept());
  post(HEDDLE_EVENT_HEAVY_SWEEP_DONE, 1);
  ASSERT_TRUE(heddled.next<abi::SweepStep>());
  std::this_thread::sleep_for(milliseconds{50});
  {
    const std::lock_guard lock(host_.mutex);
    host_.cables.clear();
  }
  post(HEDDLE_EVENT_HEAVY_SWEEP_DONE, 2);
  const auto change = heddled.next<abi::LinkChange>();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->up, 0);
  EXPECT_EQ(change->guid_a, 1U);
}

TEST_F(EventFeedTest, AppliesWeightsAsksForRoutesAtABoundedRateAndForgetsThemAfterTheHold) {
  Heddled heddled(path());
  start();
  ASSERT_TRUE(heddled.accept());
  heddled.send(hello());
  heddled.send(abi::Weights{1, 700, {{1, 2, 0, 0}}});
  ASSERT_TRUE(wait([this] { return applied().size() == 1; }));
  EXPECT_EQ(applied()[0].generation, 1U);
  ASSERT_EQ(applied()[0].cables.size(), 1U);
  // The same again is no change.
  heddled.send(abi::Weights{1, 700, {{1, 2, 0, 0}}});
  ASSERT_TRUE(wait([this] { return applied().size() == 2; }));
  EXPECT_TRUE(applied()[1].cables.empty());
  std::this_thread::sleep_for(milliseconds{200});
  EXPECT_EQ(applied().size(), 2U);
  {
    const std::lock_guard lock(host_.mutex);
    EXPECT_EQ(host_.routes, 1);
  }
  ASSERT_TRUE(wait([this] {
    const std::lock_guard lock(host_.mutex);
    return host_.routes == 2;
  }));
}

TEST_F(EventFeedTest, SkipsWhatALaterHeddledSaysAndLeavesWhatIsNoHeddled) {
  Heddled heddled(path());
  start();
  ASSERT_TRUE(heddled.accept());
  abi::Hello later = hello();
  later.version = 9;
  heddled.send(later);
  heddled.send(std::string("\x03\0\0\0\x99\x09\0\0abc", 11));
  heddled.send(abi::Weights{1, 60000, {{1, 2, 50, 0}}});
  ASSERT_TRUE(wait([this] { return applied().size() == 1; }));
  heddled.hang_up();
  ASSERT_TRUE(heddled.accept());
  heddled.send(std::string("HTTP/1.1 400 Bad Request\r\n\r\n"));
  ASSERT_TRUE(wait([this] {
    const auto lines = host_.lines();
    return std::ranges::any_of(lines, [](const std::string& line) {
      return line.find("not of this plugin's language") != std::string::npos;
    });
  }));
}

TEST_F(EventFeedTest, EndsAtOnceWhateverHeddledDoes) {
  Heddled heddled(path());
  start();
  ASSERT_TRUE(heddled.accept());
  // It reads nothing: frames pile up on this side.
  for (std::uint64_t i = 0; i < 20000; ++i) post(HEDDLE_EVENT_TRAP, i);
  const auto begin = std::chrono::steady_clock::now();
  feed_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{1});
}

}  // namespace
}  // namespace heddle::plugin
