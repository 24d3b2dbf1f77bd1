#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mad/engine.hpp"
#include "mad/pace_limiter.hpp"

namespace heddle::mad {

/// The queries of a MadEngine that are not yet done: which wait, which are in flight, and which may
/// go next under the windows, the background pace and the back-off of mute devices. Does not send,
/// does not call completions. All operations that happen once for a query are O(1).
class QueryBook {
 public:
  static constexpr std::size_t kPaces = 2;
  struct Device;
  struct Entry {
    Query query;
    Completion completion;
    Device* device = nullptr;
    unsigned attempt = 0;           ///< of the one in flight, from 1; 0 while it waits
    std::uint32_t transaction = 0;  ///< of the one in flight
    Clock::time_point sent_at{};    ///< of the one in flight
  };
  using Entries = std::list<Entry>;
  using EntryRef = Entries::iterator;

  /// One agent of one node, or what stands for all queries without a target.
  struct Device {
    Device(std::size_t own_window, model::Backoff::Options mute)
        : window(own_window), backoff(mute) {}
    /// A device that failed to answer gets one query at a time until it answers.
    [[nodiscard]] bool has_room() const noexcept {
      return in_flight < (backoff.failing() ? 1 : window);
    }
    std::size_t window;
    model::Backoff backoff;
    std::size_t in_flight = 0;
    std::array<Entries, kPaces> waiting;
    std::array<bool, kPaces> listed{};  ///< stands in ready_
  };

  explicit QueryBook(const MadEngine::Options& options);
  QueryBook(const QueryBook&) = delete;
  QueryBook& operator=(const QueryBook&) = delete;

  /// Lets a query wait for its turn; gives it back if its device is backing off.
  [[nodiscard]] Entries add(Query query, Completion completion, Clock::time_point now);
  /// Puts the next query in flight, if the windows and the pace let one go now.
  [[nodiscard]] std::optional<EntryRef> start_next(Clock::time_point now);
  /// When start_next() may succeed although nothing else changes; nothing if only an answer helps.
  [[nodiscard]] std::optional<Clock::time_point> next_start() const;

  /// Takes one out of flight: answered, so its device is not mute.
  [[nodiscard]] Entries answered(EntryRef entry);
  /// Takes one out of flight that no attempt got an answer to: its device backs off, and what waits
  /// for the device comes out, too, behind the first.
  [[nodiscard]] Entries unanswered(EntryRef entry, Clock::time_point now);
  /// Takes one out of flight that says nothing about its device.
  [[nodiscard]] Entries withdrawn(EntryRef entry);
  /// Takes out what belongs to a job, in flight and waiting. O(all).
  [[nodiscard]] Entries take_job(std::uint32_t job);
  [[nodiscard]] Entries take_all();

  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::vector<model::NodeGuid> mute_devices(Clock::time_point now) const;

 private:
  struct DeviceKey {
    model::NodeGuid target;
    ManagementClass management_class;
    bool operator==(const DeviceKey&) const noexcept = default;
  };
  struct DeviceKeyHash {
    std::size_t operator()(const DeviceKey& key) const noexcept;
  };
  using Ready = std::deque<Device*>;

  Device& device_of(const Query& query);
  /// Forgets devices about which there is nothing to remember.
  void drop_idle_devices();
  void list_if_ready(Device& device);
  [[nodiscard]] Device* take_ready(Query::Pace pace);
  [[nodiscard]] EntryRef start(Device& device, Query::Pace pace);
  static void take_job(std::uint32_t job, Entries& from, Entries& to);

  const std::size_t window_;
  const std::size_t device_window_;
  const model::Backoff::Options mute_options_;
  PaceLimiter background_;
  Entries in_flight_;
  std::size_t waiting_ = 0;
  /// Devices that come and go, or that give another GUID at each question, must not add up.
  std::unordered_map<DeviceKey, Device, DeviceKeyHash> devices_;
  std::size_t drop_idle_at_;         ///< size of devices_ at which the idle ones are dropped
  Device nobody_;                    ///< takes the queries without a target: no window, never mute
  std::array<Ready, kPaces> ready_;  ///< by pace: devices that have a query which may go
};

}  // namespace heddle::mad
