#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exporter/view.hpp"
#include "mad/engine.hpp"
#include "model/counters.hpp"
#include "model/event.hpp"
#include "model/fabric_tables.hpp"
#include "model/sweep_report.hpp"

namespace heddle::daemon {

/// A periodic job with what tells whether it keeps up.
struct JobReport {
  exporter::JobStatus status;
  std::optional<std::chrono::steady_clock::time_point> last_completed;
  std::chrono::milliseconds overdue_after{};  ///< since last_completed; then something is wrong
  bool needed_for_ready = false;
};

/// What the collector knows after a job has ended. A later one replaces an earlier one, but for
/// `frames` and `events`, which add up.
struct CollectorUpdate {
  std::string source;                           ///< the port in use, empty while there is none
  std::shared_ptr<const model::Fabric> fabric;  ///< null before the first sweep
  bool stale = false;
  bool suspect = false;  ///< stale because the last sweep lost most of the fabric
  std::string stale_reason;
  model::SweepReport sweep;
  std::shared_ptr<const model::FabricTables> tables;
  std::shared_ptr<const model::CounterTable> counters;
  std::vector<std::shared_ptr<const model::RateFrame>> frames;  ///< a data sweep each, oldest first
  std::vector<JobReport> jobs;
  std::uint64_t ports_asked = 0;
  std::uint64_t ports_fresh = 0;
  /// Nodes whose performance agents answered nothing in the last data sweep.
  std::vector<model::NodeGuid> silent;
  mad::MadStats mad;
  std::size_t backing_off = 0;  ///< devices that are asked nothing for a while, being mute
  exporter::CounterIntake intake;
  std::vector<model::Event> events;  ///< about the collector itself
};

}  // namespace heddle::daemon
