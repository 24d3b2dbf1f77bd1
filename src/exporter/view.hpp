#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exporter/routing_status.hpp"
#include "model/counters.hpp"
#include "model/event.hpp"
#include "model/fabric.hpp"
#include "model/fabric_summary.hpp"
#include "model/fabric_tables.hpp"
#include "model/sweep_report.hpp"

namespace heddle::exporter {

/// State of one periodic job of the daemon.
struct JobStatus {
  std::string
      name;  ///< `topology`, `tables`, `counters_data`, `counters_errors`, `counters_details`
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::optional<std::chrono::system_clock::time_point> last_completed_at;
  std::chrono::milliseconds last_duration{};
  std::string last_error;  ///< empty after a success
};

/// What became of the counter readings that came in, since the daemon started.
struct CounterIntake {
  std::uint64_t samples = 0;      ///< taken in
  std::uint64_t resets = 0;       ///< of them, lower than before: cleared or restarted
  std::uint64_t implausible = 0;  ///< of them, higher than the link could carry
  std::uint64_t late = 0;         ///< overtaken by a newer one, or asked at a LID since given away
  std::uint64_t unknown_ports = 0;  ///< of ports that the fabric does not have
};

/// Everything that a scrape or a request may see, frozen at one moment. Parts are shared between
/// successive views.
struct View {
  std::uint64_t generation = 0;  ///< grows with each view that differs; the base of ETags
  std::string version;           ///< of heddle
  std::string fabric_name;
  std::chrono::system_clock::time_point started_at;
  std::chrono::system_clock::time_point published_at;
  std::shared_ptr<const model::Fabric> fabric;  ///< never null; empty before the first sweep
  std::shared_ptr<const model::FabricSummary> summary;               ///< of `fabric`; never null
  std::shared_ptr<const std::vector<model::DegradedLink>> degraded;  ///< of `fabric`; never null
  /// Of `fabric`; never null.
  std::shared_ptr<const std::vector<model::DuplicateName>> duplicates;
  std::shared_ptr<const model::FabricTables> tables;    ///< null before the first table sweep
  std::shared_ptr<const model::CounterTable> counters;  ///< null before the first counter sweep
  /// Oldest first; each frame has its own fabric.
  std::vector<std::shared_ptr<const model::RateFrame>> history;
  model::SweepReport sweep;
  bool stale = false;  ///< `fabric` is the last good one, not what the last sweep found
  std::string stale_reason;
  std::vector<JobStatus> jobs;
  std::uint64_t ports_asked = 0;  ///< by the last data counter sweep
  std::uint64_t ports_fresh = 0;  ///< 0 while `data_overdue`
  /// No sweep of data counters was completed for so long that the last one tells nothing of now.
  bool data_overdue = false;
  CounterIntake intake;
  std::shared_ptr<const RoutingStatus> routing;  ///< null where heddled listens for no plugin
  std::vector<LinkHistory> link_histories;       ///< of cables that went down, by end
  std::uint64_t events_dropped = 0;
  std::uint64_t metric_series = 0;  ///< in the /metrics body of this view
  /// Ready: a complete sweep of topology, tables and data counters has been published and none is
  /// overdue.
  bool ready = false;
  std::string not_ready_reason;
};

}  // namespace heddle::exporter
