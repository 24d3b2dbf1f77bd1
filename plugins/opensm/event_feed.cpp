#include "plugins/opensm/event_feed.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "plugins/opensm/quiet_thread.hpp"

namespace heddle::plugin {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kQueueRoom = 8192;
/// Messages that wait for heddled; the oldest make room.
constexpr std::size_t kKeptMessages = 4096;
/// Runs and notes between two looks.
constexpr std::size_t kToldAtOnce = 64;
/// Waking a thread may cost a callback its processor: the thread looks for events by itself.
constexpr milliseconds kLook{10};
/// Writes to tables come by thousands: so long they gather to one message.
constexpr milliseconds kGatherWrites{100};
constexpr milliseconds kStateEvery{2000};
/// OpenSM is asked to route anew at most so often.
constexpr milliseconds kRouteEvery{5000};
constexpr model::Backoff::Options kReconnect{milliseconds{500}, milliseconds{15000}};
constexpr std::uint64_t kSlowNanoseconds = 50'000;

std::string reason_of(int error) { return std::generic_category().message(error); }

void raise_to(std::atomic<std::uint64_t>& most, std::uint64_t value) noexcept {
  std::uint64_t before = most.load(std::memory_order_relaxed);
  while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::uint64_t event_clock() noexcept {
  return static_cast<std::uint64_t>(EventFeed::Clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds{1});
}

std::uint64_t wall_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds{1});
}

EventFeed::EventFeed(Options options, const heddle_host& host, Apply apply, Route route)
    : options_(std::move(options)),
      host_(host),
      apply_(std::move(apply)),
      route_(std::move(route)),
      instance_(wall_nanoseconds()),
      queue_(kQueueRoom),
      reconnect_(kReconnect) {
  thread_ = start_quiet_thread([this] { run(); });
}

EventFeed::~EventFeed() { stop(); }

void EventFeed::stop() {
  stopping_.store(true);
  if (thread_.joinable()) thread_.join();
  if (socket_ != -1) ::close(socket_);
  socket_ = -1;
}

void EventFeed::post(const heddle_event& event) noexcept {
  taken_.fetch_add(1, std::memory_order_relaxed);
  if (!queue_.put(event)) dropped_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t took = event_clock() - event.began;
  raise_to(slowest_, took);
  if (took > kSlowNanoseconds) slow_.fetch_add(1, std::memory_order_relaxed);
}

void EventFeed::tell(abi::Message message) {
  const std::lock_guard lock(told_mutex_);
  if (told_messages_.size() == kToldAtOnce) told_messages_.erase(told_messages_.begin());
  told_messages_.push_back(std::move(message));
}

void EventFeed::run() {
  pthread_setname_np(pthread_self(), "heddle-events");
  while (!stopping_.load()) {
    try {
      step();
    } catch (...) {
      // For want of memory, say: what was in hand is lost, and it goes on.
      if (socket_ != -1) ::close(socket_);
      socket_ = -1;
      sending_.clear();
      reconnect_.failed(Clock::now());
    }
    sleep();
  }
}

void EventFeed::step() {
  Clock::time_point now = Clock::now();
  drain();
  take_told();
  if (writes_due_ && now >= *writes_due_) {
    writes_due_.reset();
    if (const auto writes = messages_.writes()) keep(*writes);
  }
  if (now >= state_due_) send_state(now);
  if (socket_ == -1 && !reconnect_.waiting(now)) connect(now);
  if (socket_ != -1) receive(now);
  apply_weights(now);
  if (socket_ != -1) send_kept();
}

/// Until something comes over the socket, at most until the next look.
void EventFeed::sleep() const {
  pollfd ready{socket_, POLLIN, 0};
  if (!kept_.empty()) ready.events |= POLLOUT;
  // A negative descriptor is none to poll(2).
  ::poll(&ready, 1, static_cast<int>(kLook.count()));
}

void EventFeed::drain() {
  heddle_event event;
  // Bounded, so that what is kept goes out in the longest burst too.
  for (std::size_t taken = 0; taken < kQueueRoom && queue_.take(event); ++taken) {
    const bool had_writes = messages_.has_writes();
    const std::optional<abi::Message> message = messages_.take(event);
    if (!message) {
      if (!had_writes) writes_due_ = Clock::now() + kGatherWrites;
      continue;
    }
    keep(*message);
    if (event.kind == HEDDLE_EVENT_HEAVY_SWEEP_DONE) compare_cables();
  }
}

void EventFeed::take_told() {
  std::vector<abi::Message> told;
  {
    const std::lock_guard lock(told_mutex_);
    told.swap(told_messages_);
  }
  for (abi::Message& message : told) {
    if (const auto* run = std::get_if<abi::RoutingRun>(&message)) last_run_ = *run;
    keep(std::move(message));
  }
}

void EventFeed::compare_cables() {
  if (host_.cables == nullptr) return;
  std::size_t count = 0;
  const std::unique_ptr<heddle_cable, decltype(&std::free)> cables(
      host_.cables(host_.context, &count), &std::free);
  if (!cables) return;
  for (const abi::Message& change :
       messages_.compare_cables(std::span(cables.get(), count), wall_nanoseconds())) {
    keep(change);
  }
}

void EventFeed::send_state(Clock::time_point now) {
  state_due_ = now + kStateEvery;
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  const std::uint64_t dropped = dropped_.load(std::memory_order_relaxed) + lost_messages_;
  if (socket_ == -1 || (taken == told_taken_ && dropped == told_dropped_)) return;
  if (dropped != told_dropped_) {
    host_.log(host_.context, 1,
              fmt::format("ERR HD07: {} events for heddled were lost: it takes none, or they come "
                          "faster than it takes them",
                          dropped - told_dropped_)
                  .c_str());
  }
  told_taken_ = taken;
  told_dropped_ = dropped;
  keep(abi::QueueState{wall_nanoseconds(), taken, dropped, slowest_.load(std::memory_order_relaxed),
                       slow_.load(std::memory_order_relaxed)});
}

void EventFeed::keep(abi::Message message) {
  if (kept_.size() >= kKeptMessages) {
    kept_.erase(kept_.begin() + (sending_.empty() ? 0 : 1));
    ++lost_messages_;
  }
  kept_.push_back(std::move(message));
}

void EventFeed::tell_once(int is_error, const std::string& text) {
  if (text == told_) return;
  told_ = text;
  host_.log(host_.context, is_error, text.c_str());
}

void EventFeed::connect(Clock::time_point now) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Longer paths are refused where options are read.
  options_.socket.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd == -1 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (fd != -1) ::close(fd);
    reconnect_.failed(now);
    tell_once(0, fmt::format("events wait for heddled, which is tried again and again: {}: {}",
                             options_.socket, reason_of(error)));
    return;
  }
  socket_ = fd;
  greeted_ = false;
  reader_ = {};
  greet();
}

/// What heddled wants to know first goes before what waits.
void EventFeed::greet() {
  sending_.clear();
  const bool run_waits = std::ranges::any_of(kept_, [](const abi::Message& message) {
    return std::holds_alternative<abi::RoutingRun>(message);
  });
  if (last_run_ && !run_waits) kept_.push_front(*last_run_);
  heddle_event manager{};
  if (host_.manager != nullptr) {
    host_.manager(host_.context, &manager);
    kept_.push_front(abi::ManagerState{wall_nanoseconds(), manager.detail,
                                       static_cast<std::uint8_t>(manager.count), manager.guid});
  }
  abi::Hello hello;
  hello.instance = instance_;
  hello.process = static_cast<std::uint32_t>(::getpid());
  hello.software = options_.software;
  kept_.push_front(std::move(hello));
  told_taken_ = 0;  // a heddled that begins anew knows nothing
  state_due_ = {};
}

void EventFeed::disconnect(const char* why) {
  if (socket_ == -1) return;
  ::close(socket_);
  socket_ = -1;
  sending_.clear();
  if (greeted_) told_.clear();
  tell_once(0, fmt::format("heddled has left: {}; events wait for it", why));
}

void EventFeed::send_kept() {
  while (!kept_.empty()) {
    if (sending_.empty()) {
      abi::encode(kept_.front(), sending_);
      sent_ = 0;
    }
    const ssize_t sent = ::send(socket_, sending_.data() + sent_, sending_.size() - sent_,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      reconnect_.failed(Clock::now());
      disconnect(reason_of(errno).c_str());
      return;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ == sending_.size()) {
      kept_.pop_front();
      sending_.clear();
    }
  }
}

void EventFeed::receive(Clock::time_point now) {
  std::array<char, 16384> bytes;
  for (;;) {
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      reconnect_.failed(now);
      disconnect(got == 0 ? "it closed the connection" : reason_of(errno).c_str());
      return;
    }
    reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
    while (const auto frame = reader_.next()) {
      const abi::Decoded decoded = abi::decode(*frame);
      if (const auto* message = std::get_if<abi::Message>(&decoded)) hear(*message, now);
      if (socket_ == -1) return;
    }
    if (reader_.broken()) {
      reconnect_.failed(now);
      disconnect("what it says is not of this plugin's language");
      return;
    }
  }
}

void EventFeed::hear(const abi::Message& message, Clock::time_point now) {
  if (const auto* hello = std::get_if<abi::Hello>(&message)) {
    if (hello->magic != abi::kMagic) {
      reconnect_.failed(now);
      disconnect("whoever listens is not heddled");
      return;
    }
    greeted_ = true;
    reconnect_.succeeded();
    told_.clear();
    tell_once(0, fmt::format("events go to {} at {}", hello->software, options_.socket));
  } else if (const auto* weights = std::get_if<abi::Weights>(&message); weights && greeted_) {
    weights_.heard(*weights, now);
  }
}

void EventFeed::apply_weights(Clock::time_point now) {
  WeightSet set = weights_.at(now);
  if (set.cables != applied_.cables) {
    applied_ = set;
    apply_(std::move(set));
    route_wanted_ = true;
  }
  if (!route_wanted_ || now < route_after_) return;
  route_();
  route_wanted_ = false;
  route_after_ = now + kRouteEvery;
}

}  // namespace heddle::plugin
