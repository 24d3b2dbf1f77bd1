#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/collector_update.hpp"
#include "daemon/event_log.hpp"
#include "daemon/fabric_events.hpp"
#include "daemon/link_ledger.hpp"
#include "daemon/logging.hpp"
#include "daemon/published.hpp"
#include "daemon/spare_buffer.hpp"
#include "exporter/prometheus.hpp"

namespace heddle::daemon {

/// Turns what the collector found into what is served: compares it with the state before (events),
/// builds the next View, renders the metrics, swaps them in. Works on the newest update: if several
/// came meanwhile, those between are skipped, their events and rate frames kept.
///
/// offer(), offer_routing(), record_all(), the setters and last_beat() from any thread; step() and
/// run() belong to one.
class Publisher {
 public:
  struct Options {
    exporter::Compatibility compat = exporter::Compatibility::kTreydock;
    std::size_t history_frames = 30;
  };
  struct Clocks {
    std::function<std::chrono::steady_clock::time_point()> steady = [] {
      return std::chrono::steady_clock::now();
    };
    std::function<std::chrono::system_clock::time_point()> wall = [] {
      return std::chrono::system_clock::now();
    };
  };

  /// `events`, `published` and `links` outlive the publisher; `published` holds what nothing_yet()
  /// made.
  Publisher(Options options, EventLog& events, PublishedCell& published, LinkLedger& links,
            Clocks clocks, Logger logger);

  /// Takes an update over and returns at once.
  void offer(CollectorUpdate update);
  /// What is known from OpenSM's plugin; the newest counts.
  void offer_routing(std::shared_ptr<const exporter::RoutingStatus> status);
  /// Handles what was offered, or looks whether something has become overdue. True if something was
  /// published. An exception costs one publication: it is an event, and the next update is handled
  /// as if there had been none.
  bool step();
  /// step() at each offer, and each second, until stopped.
  void run(std::stop_token stop);

  void set_options(Options options);
  /// Logs events and appends them to the event log. Any thread.
  void record_all(std::vector<model::Event> events);
  void record(model::Event event);
  [[nodiscard]] std::chrono::steady_clock::time_point last_beat() const noexcept;

 private:
  enum class Metrics : std::uint8_t { kKept, kRendered };
  /// Of what the metrics were rendered last, as far as a difference makes them be rendered again.
  struct Rendered {
    std::shared_ptr<const model::Fabric> fabric;
    exporter::Compatibility compat;
    std::uint64_t job_failures = 0;
    std::chrono::steady_clock::time_point at;
  };

  [[nodiscard]] bool step_once();
  void tell_failure(std::string_view what);
  void take_options();
  [[nodiscard]] Metrics metrics_for(const exporter::View& view, const exporter::View& last,
                                    std::size_t new_frames) const;
  [[nodiscard]] bool take(CollectorUpdate& update);
  void tell_changes(const CollectorUpdate& update);
  void tell_fabric_changes(const CollectorUpdate& update);
  void tell_master(const model::FabricTables& tables);
  void fill(exporter::View& view, CollectorUpdate update);
  void age(exporter::View& view) const;
  [[nodiscard]] std::string why_not_ready() const;
  void publish(std::shared_ptr<exporter::View> view, Metrics metrics);

  EventLog& events_;
  PublishedCell& published_;
  LinkLedger& links_;
  Clocks clocks_;
  Logger logger_;

  Options options_;          ///< in use by the step
  CollectorUpdate current_;  ///< the last one handled, without its frames and events
  SilentDevices silent_;
  std::optional<bool> master_seen_;  ///< as told last
  Rendered rendered_;
  /// Shared with the bodies that are being read.
  std::shared_ptr<SpareBuffer> spare_ = std::make_shared<SpareBuffer>();
  std::string failure_;  ///< last one told, so that a lasting one is told once
  std::uint64_t generation_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable_any offered_;
  std::optional<CollectorUpdate> pending_;                          ///< guarded by mutex_
  std::optional<Options> new_options_;                              ///< guarded by mutex_
  std::shared_ptr<const exporter::RoutingStatus> pending_routing_;  ///< guarded by mutex_
  std::uint64_t pending_dropped_ = 0;                               ///< events; guarded by mutex_
  std::atomic<std::chrono::steady_clock::rep> last_beat_{0};
};

}  // namespace heddle::daemon
