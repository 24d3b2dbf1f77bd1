#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "counters/counter_store.hpp"
#include "counters/counter_sweep.hpp"
#include "daemon/collector_update.hpp"
#include "daemon/config.hpp"
#include "daemon/logging.hpp"
#include "discovery/fabric_sweep.hpp"
#include "discovery/snapshot_gate.hpp"
#include "discovery/table_sweep.hpp"
#include "mad/engine.hpp"
#include "mad/transport.hpp"
#include "model/backoff.hpp"

namespace heddle::daemon {

/// Asks the fabric: owns the MAD engine and its transport and runs the sweeps by their periods.
/// Topology, tables and counters overlap on the engine; counter jobs that are due together are one
/// sweep. A job that is late runs once, not as often as it was missed. What goes wrong is a job's
/// status and an event; a lost device is opened again with a back-off that grows until a topology
/// sweep succeeds. An exception is handled as a lost device.
///
/// step() and run() belong to one thread; sweep_soon(), set_periods() and last_beat() to any.
class Collector {
 public:
  using Clock = mad::Clock;
  struct Periods {
    Config::Periods jobs;
    std::uint32_t rotation = 60;  ///< plan_tables()
  };
  struct Options {
    std::string fabric_name = "default";
    Periods periods;
    mad::MadEngine::Options mad;
    discovery::SnapshotGate::Options gate;
    model::Backoff::Options reopen{std::chrono::milliseconds{1000},
                                   std::chrono::milliseconds{30000}};
  };
  /// An opened way into the fabric and its name for people.
  struct Source {
    std::string name;
    std::unique_ptr<mad::Transport> transport;
  };
  using OpenSource = std::function<model::Result<Source>()>;
  /// Gets each update, on the collector's thread; must not block.
  using Sink = std::function<void(CollectorUpdate)>;
  struct Clocks {
    std::function<Clock::time_point()> steady = [] { return Clock::now(); };
    std::function<std::chrono::system_clock::time_point()> wall = [] {
      return std::chrono::system_clock::now();
    };
  };

  Collector(Options options, OpenSource open, Sink sink, Clocks clocks, Logger logger);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Starts what is due and moves MADs, waiting for traffic at most `wait`. Returns when to call it
  /// again: in the past while there is a device to listen to.
  Clock::time_point step(std::chrono::milliseconds wait);
  /// step() until stopped.
  void run(std::stop_token stop);

  /// A topology sweep as soon as may be: something is known to have changed. Any thread.
  void sweep_soon() noexcept { sweep_soon_.store(true); }
  void set_periods(Periods periods);
  [[nodiscard]] Clock::time_point last_beat() const noexcept;

 private:
  enum JobKind : std::size_t { kTopology, kTables, kData, kErrors, kDetails, kJobKinds };
  struct Job {
    JobReport report;
    Clock::time_point due;
    Clock::time_point started;
    bool running = false;
  };
  struct CounterRun {
    std::vector<JobKind> jobs;  ///< what the sweep reads, together
    std::unique_ptr<counters::CounterSweep> sweep;
    std::optional<model::Result<counters::CounterSweep::Outcome>> done;
  };

  [[nodiscard]] std::chrono::milliseconds period_of(JobKind kind) const noexcept;
  [[nodiscard]] bool may_start(JobKind kind, Clock::time_point now) const noexcept;
  [[nodiscard]] Clock::time_point next_due(Clock::time_point now) const noexcept;
  void take_periods();
  void take_hint(Clock::time_point now);

  [[nodiscard]] Clock::time_point step_once(std::chrono::milliseconds wait);
  void open_source(Clock::time_point now);
  void source_answers();
  void lose_source(const std::string& why, Clock::time_point now);
  /// Lets go of engine and transport; the jobs that were running.
  std::array<bool, kJobKinds> drop_source() noexcept;
  void start_due(Clock::time_point now);
  void start_topology(Clock::time_point now);
  void start_tables(Clock::time_point now);
  void start_counters(Clock::time_point now);
  void finish_what_is_done();
  void finish_topology(model::Result<discovery::SweepOutcome> result);
  void finish_tables(model::Result<std::shared_ptr<const model::FabricTables>> result);
  void finish_counters(CounterRun run);
  void adopt(std::shared_ptr<const model::Fabric> fabric, Clock::time_point now);

  void begin(JobKind kind, Clock::time_point now);
  void succeeded(JobKind kind, Clock::time_point now);
  void failed(JobKind kind, const std::string& why, Clock::time_point now);
  void note(model::Severity severity, std::string text);
  bool note_once(std::string text);
  void publish();

  Options options_;
  OpenSource open_;
  Sink sink_;
  Clocks clocks_;
  Logger logger_;

  std::unique_ptr<mad::Transport> transport_;
  std::unique_ptr<mad::MadEngine> engine_;
  mad::MadStats earlier_engines_;
  model::Backoff reopen_;
  bool answers_ = false;  ///< a topology sweep through this source has succeeded
  /// Errors told since a source answered last, so that lasting ones are told once.
  std::set<std::string> told_;

  std::array<Job, kJobKinds> jobs_;
  discovery::SnapshotGate gate_;
  counters::CounterStore store_;
  counters::CapabilityCache capabilities_;
  std::unique_ptr<discovery::FabricSweep> topology_;
  std::optional<model::Result<discovery::SweepOutcome>> topology_done_;
  std::unique_ptr<discovery::TableSweep> tables_;
  std::optional<model::Result<std::shared_ptr<const model::FabricTables>>> tables_done_;
  std::optional<discovery::SweepOutcome> tables_wanted_;   ///< newest sweep, its tables not planned
  std::optional<discovery::SweepOutcome> tables_running_;  ///< what the running sweep reads
  std::optional<discovery::SweepOutcome> tables_read_;     ///< what the tables held were read for
  std::uint64_t table_round_ = 0;
  CounterRun counter_run_;

  CollectorUpdate state_;  ///< what is published; frames and events since the last time

  std::mutex periods_mutex_;
  std::optional<Periods> new_periods_;  ///< guarded by periods_mutex_
  std::atomic<bool> sweep_soon_{false};
  std::atomic<Clock::rep> last_beat_{0};
};

}  // namespace heddle::daemon
