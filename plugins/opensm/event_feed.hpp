#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "model/backoff.hpp"
#include "plugins/abi/frames.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/event_messages.hpp"
#include "plugins/opensm/event_queue.hpp"
#include "plugins/opensm/events.h"
#include "plugins/opensm/weight_keeper.hpp"

namespace heddle::plugin {

/// Brings events to heddled and weights from it, on a thread of its own. Whether heddled is there
/// makes no difference to OpenSM: the newest events wait for it, and it is looked for again and
/// again, with pauses that grow.
class EventFeed {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::string socket;    ///< path
    std::string software;  ///< told to heddled
  };
  /// Called on the feed's thread whenever other weights hold.
  using Apply = std::function<void(WeightSet)>;
  /// Called there as well when switches are to have them: after each change, not too often.
  using Route = std::function<void()>;

  /// What `host` points to outlives the feed.
  EventFeed(Options options, const heddle_host& host, Apply apply, Route route);
  ~EventFeed();
  /// Ends the thread; what has not been sent is lost. Nothing is called any more once it returns.
  void stop();
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  /// From any thread; waits for nothing. If there is no room the event is counted as dropped.
  void post(const heddle_event& event) noexcept;
  /// A run of the engine, or what a repair has to say; on any thread but a callback's.
  void tell(abi::Message message);

 private:
  void run();
  void step();
  void sleep() const;
  void drain();
  void take_told();
  void compare_cables();
  void send_state(Clock::time_point now);
  void keep(abi::Message message);

  void connect(Clock::time_point now);
  void greet();
  void disconnect(const char* why);
  void tell_once(int is_error, const std::string& text);
  void send_kept();
  void receive(Clock::time_point now);
  void hear(const abi::Message& message, Clock::time_point now);
  void apply_weights(Clock::time_point now);

  const Options options_;
  const heddle_host host_;
  const Apply apply_;
  const Route route_;
  const std::uint64_t instance_;

  EventQueue<heddle_event> queue_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> slowest_{0};  ///< nanoseconds
  std::atomic<std::uint64_t> slow_{0};
  std::atomic<bool> stopping_{false};
  std::mutex told_mutex_;
  std::vector<abi::Message> told_messages_;  ///< guarded by told_mutex_

  // Of the feed's thread.
  EventMessages messages_;
  std::optional<Clock::time_point> writes_due_;  ///< gathered writes become a message
  std::optional<abi::RoutingRun> last_run_;
  std::deque<abi::Message> kept_;    ///< that wait for heddled, oldest first
  std::string sending_;              ///< the first of them as a frame, if it is on its way
  std::size_t sent_ = 0;             ///< of it
  std::uint64_t lost_messages_ = 0;  ///< for want of room while nobody listened
  std::uint64_t told_dropped_ = 0;
  std::uint64_t told_taken_ = 0;
  Clock::time_point state_due_{};
  int socket_ = -1;
  bool greeted_ = false;  ///< by the other side
  abi::FrameReader reader_;
  model::Backoff reconnect_;
  std::string told_;  ///< why heddled is not there, as told last
  WeightKeeper weights_;
  WeightSet applied_;
  bool route_wanted_ = false;
  Clock::time_point route_after_{};
  std::thread thread_;  ///< last: it uses all of the above
};

/// heddle_event_clock(): nanoseconds of a clock that never goes back.
[[nodiscard]] std::uint64_t event_clock() noexcept;
/// Nanoseconds since 1970.
[[nodiscard]] std::uint64_t wall_nanoseconds() noexcept;

}  // namespace heddle::plugin
