#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "mad/mad.hpp"
#include "mad/transport.hpp"
#include "model/backoff.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::mad {

using Clock = std::chrono::steady_clock;

/// One question to one device. Always a Get.
struct Query {
  ManagementClass management_class = ManagementClass::kSmpDirected;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  std::variant<DirectedRoute, model::Lid> to{};
  /// First data byte pair of a performance query: the port asked about. Ignored for SMPs.
  model::PortNum port_select{};
  /// Whose window and back-off count; without it only the window over all counts.
  std::optional<model::NodeGuid> target{};
  enum class Pace : std::uint8_t {
    kForeground,  ///< as fast as the windows allow
    /// When no foreground query may go, at most Options::background_per_second.
    kBackground,
  };
  Pace pace = Pace::kForeground;
  /// For cancel(): all queries of one job carry the same number.
  std::uint32_t job = 0;
};

struct Reply {
  MadBytes bytes{};
  Clock::time_point received_at;
};

/// Called once for each query, from run_once() or cancel(), never from submit(). Errors: kTimeout,
/// kBusy, kMute, kUnsupported (a status that says that the device does not know class version,
/// method or attribute), kRefused (any other status; the text has it), kCancelled, kUnavailable,
/// and what the transport says of a MAD that it cannot send. May submit, cancel, and call
/// run_once().
using Completion = std::function<void(model::Result<Reply>)>;

struct MadStats {
  std::uint64_t sent = 0;     ///< retries included
  std::uint64_t replies = 0;  ///< matched to a query
  std::uint64_t retries = 0;
  std::uint64_t timeouts = 0;    ///< attempts that got no answer in time
  std::uint64_t failures = 0;    ///< queries given up after all attempts
  std::uint64_t refused = 0;     ///< answers with an error status
  std::uint64_t mute_skips = 0;  ///< queries not sent because their device is backing off
  std::uint64_t strays = 0;      ///< late, duplicate or foreign MADs, ignored
  /// Round trips by upper bound 2^i x 64 us, the last without bound.
  static constexpr std::size_t kBuckets = 16;
  std::array<std::uint64_t, kBuckets> round_trip{};
  double round_trip_seconds_sum = 0;
};

/// Asks many devices at once: a window of outstanding queries per device and in all, time-outs,
/// bounded retries, and back-off for devices that do not answer, so that one mute device costs the
/// others nothing. Replies are matched by transaction id (its low 32 bits: the kernel owns the high
/// ones), class and attribute; each attempt has its own.
///
/// A device whose query got no answer at all is mute: what waits for it fails with kMute, and so
/// does what is submitted until its back-off has passed. Then one query goes out as a probe and
/// further ones wait for its outcome.
///
/// An answer with the status "busy" counts as none: the next attempt goes out when the time has
/// passed, and after the last one the query fails with kBusy. The device is not mute by that.
///
/// Used by one thread, which calls run_once() in a loop; sends and receives happen there. Order of
/// completions is the order of answers.
class MadEngine {
 public:
  struct Options {
    /// Outstanding in all; less where Transport::capacity() is less.
    std::size_t window = 512;
    std::size_t device_window = 4;           ///< outstanding per (target, class)
    std::chrono::milliseconds timeout{200};  ///< of the first attempt; doubled at each further one
    unsigned attempts = 3;
    std::uint32_t background_per_second = 5000;  ///< 0: no limit
    model::Backoff::Options mute{std::chrono::milliseconds{2000},
                                 std::chrono::milliseconds{120000}};
    /// Where transaction ids start. A program that starts anew takes another one, lest answers to
    /// its last run be taken for answers to this one.
    std::uint32_t first_transaction = 1;
  };
  using Now = std::function<Clock::time_point()>;

  /// `transport` outlives the engine.
  MadEngine(
      Transport& transport, Options options, Now now = [] { return Clock::now(); });
  ~MadEngine();
  MadEngine(const MadEngine&) = delete;
  MadEngine& operator=(const MadEngine&) = delete;

  void submit(Query query, Completion completion);
  /// Sends what the windows allow, takes in what has arrived, calls completions, expires. Returns
  /// after at most `wait` without traffic, and when something was done at once, or after the moment
  /// (1 ms, `wait` if that is less) in which the next batch comes together. An error means that the
  /// transport is lost; all queries have then been completed with kUnavailable.
  [[nodiscard]] model::Status run_once(std::chrono::milliseconds wait);
  /// Completes all queries of `job` with kCancelled; late answers are ignored.
  void cancel(std::uint32_t job);

  /// No query is queued, outstanding, or done but for its completion.
  [[nodiscard]] bool idle() const noexcept;
  [[nodiscard]] std::size_t outstanding() const noexcept;  ///< sent and not yet answered
  [[nodiscard]] std::size_t queued() const noexcept;       ///< waiting for a window or the pace
  [[nodiscard]] Clock::time_point now() const;             ///< the engine's clock
  [[nodiscard]] const MadStats& stats() const noexcept;
  /// Devices that are backing off now, in order of GUID.
  [[nodiscard]] std::vector<model::NodeGuid> mute_devices() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::mad
