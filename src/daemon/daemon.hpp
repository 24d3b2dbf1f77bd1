#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/api_service.hpp"
#include "daemon/collector.hpp"
#include "daemon/config.hpp"
#include "daemon/event_log.hpp"
#include "daemon/http_server.hpp"
#include "daemon/link_ledger.hpp"
#include "daemon/local_service.hpp"
#include "daemon/logging.hpp"
#include "daemon/own_metrics.hpp"
#include "daemon/publisher.hpp"

namespace heddle::daemon {

/// The parts of heddled, wired: collector -> publisher -> HTTP service, with the event log and the
/// local sockets beside them. One thread starts, reloads and stops it.
class Daemon {
 public:
  struct Options {
    Config config;                         ///< as the file says it
    std::optional<Config::Listen> listen;  ///< instead of the file's, from the command line
    std::string config_path;  ///< read again by reload(); empty: defaults, nothing to read
    std::string version;
    Collector::OpenSource open;
    /// The process's limit of descriptors, by which connections are bounded.
    std::uint64_t open_files = std::numeric_limits<std::uint64_t>::max();
  };

  /// Binds the port and starts the threads.
  [[nodiscard]] static model::Result<std::unique_ptr<Daemon>> start(Options options, Logger logger);
  /// Stops, without patience for answers in progress, if stop() has not been called.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Reads the configuration again. With errors the old one stays; else what can change while it
  /// runs is applied and the rest named as needing a restart. All of it is logged and an event.
  /// True if the file was good.
  bool reload();
  /// Ends within `patience` plus what joining the threads takes (well under a second).
  void stop(std::chrono::milliseconds patience);

  [[nodiscard]] std::uint16_t port() const noexcept { return http_->port(); }
  /// Whether collector, publisher, HTTP loop and local sockets have all come round within `limit`.
  [[nodiscard]] bool makes_progress(std::chrono::milliseconds limit) const noexcept;
  /// One line for people: what it watches and whether it is ready.
  [[nodiscard]] std::string status_line() const;
  [[nodiscard]] const EventLog& events() const noexcept { return events_; }
  [[nodiscard]] const PublishedCell& published() const noexcept { return published_; }

 private:
  Daemon(Options options, Logger logger);
  void start_local();
  void tell(model::Severity severity, std::string text);
  /// That fewer connections than configured fit under the limit of open files, if it is so.
  void tell_room();
  /// Of exceptions; the same again is told once a minute. Any thread.
  void tell_failure(std::string_view where, std::string_view what);

  Options options_;
  Logger logger_;
  EventLog events_;
  PublishedCell published_;
  LinkLedger links_;
  OwnMetrics metrics_;
  ApiService service_;
  Publisher publisher_;
  Collector collector_;
  std::mutex failure_mutex_;
  std::string last_failure_;                                 ///< guarded by failure_mutex_
  std::chrono::steady_clock::time_point last_failure_told_;  ///< guarded by failure_mutex_
  std::unique_ptr<HttpServer> http_;
  std::jthread publisher_thread_;
  std::jthread collector_thread_;
  std::unique_ptr<LocalService> local_;
};

}  // namespace heddle::daemon
