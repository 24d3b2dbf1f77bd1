#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "model/event.hpp"

namespace heddle::daemon {

/// The last events, numbered in the order in which they came, and those who wait for the next. All
/// methods from any thread.
class EventLog {
 public:
  /// Events that a reader has not seen yet.
  struct Tail {
    std::vector<model::Event> events;
    std::uint64_t lost = 0;  ///< between the reader's place and the first of them: no longer held
  };
  /// As long as it lives, its function is called after each append.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(EventLog& log, std::uint64_t id) noexcept : log_(&log), id_(id) {}
    Subscription(Subscription&& other) noexcept
        : log_(std::exchange(other.log_, nullptr)), id_(other.id_) {}
    Subscription& operator=(Subscription&& other) noexcept {
      std::swap(log_, other.log_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Subscription();

   private:
    EventLog* log_ = nullptr;
    std::uint64_t id_ = 0;
  };

  /// Holds the last `capacity` events (at least one).
  explicit EventLog(std::size_t capacity);

  /// Numbers the event, keeps it and wakes the subscribers.
  std::uint64_t append(model::Event event);

  /// All that are held, oldest first; the same copy until the next append.
  [[nodiscard]] std::shared_ptr<const std::vector<model::Event>> all() const;
  /// The first `limit` of those after `sequence`.
  [[nodiscard]] Tail after(std::uint64_t sequence, std::size_t limit) const;
  [[nodiscard]] std::uint64_t last_sequence() const;
  /// Events that had to make room for newer ones.
  [[nodiscard]] std::uint64_t dropped() const;

  /// `wake` runs on the thread that appends; it only hands on, and never calls the log. The
  /// subscription ends before the log.
  [[nodiscard]] Subscription subscribe(std::function<void()> wake);

 private:
  void unsubscribe(std::uint64_t id);

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::deque<model::Event> events_;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t dropped_ = 0;
  mutable std::shared_ptr<const std::vector<model::Event>> copy_;  ///< null after an append

  std::mutex subscribers_mutex_;
  std::map<std::uint64_t, std::function<void()>> subscribers_;
  std::uint64_t next_subscriber_ = 1;
};

}  // namespace heddle::daemon
