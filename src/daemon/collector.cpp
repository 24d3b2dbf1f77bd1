#include "daemon/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <string_view>
#include <utility>

#include "daemon/guarded.hpp"
#include "daemon/mad_totals.hpp"
#include "daemon/snapshot_compare.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;

/// How long the thread waits for traffic before it looks around.
constexpr milliseconds kWait{50};
/// A failed job is tried again after this, if its period is longer.
constexpr milliseconds kRetry{5000};
/// Reading all tables of a large subnet takes minutes at background pace.
constexpr milliseconds kTablesOverdue{900000};
/// A job that was not completed for this many periods is overdue.
constexpr int kOverduePeriods = 3;

/// Between the starts of topology sweeps that somebody asks for, and this many times what the last
/// one took: a cable that flaps must not keep the fabric busy.
constexpr milliseconds kSoonest{2000};
constexpr int kSoonestRuns = 5;

constexpr std::size_t kToldErrors = 16;

/// What the queries of each kind of sweep are marked with, for MadEngine::cancel().
constexpr std::uint32_t kTopologyQueries = 1;
constexpr std::uint32_t kTableQueries = 2;
constexpr std::uint32_t kCounterQueries = 3;

}  // namespace

Collector::Collector(Options options, OpenSource open, Sink sink, Clocks clocks, Logger logger)
    : options_(std::move(options)),
      open_(std::move(open)),
      sink_(std::move(sink)),
      clocks_(std::move(clocks)),
      logger_(std::move(logger)),
      reopen_(options_.reopen),
      gate_(options_.gate) {
  static constexpr std::array<const char*, kJobKinds> kNames{"topology", "tables", "counters_data",
                                                             "counters_errors", "counters_details"};
  for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
    jobs_[kind].report.status.name = kNames[kind];
    jobs_[kind].report.needed_for_ready = kind == kTopology || kind == kTables || kind == kData;
  }
  take_periods();
}

// The sweeps refer to the engine and the engine to the transport: they go in that order.
Collector::~Collector() {
  topology_.reset();
  tables_.reset();
  counter_run_ = {};
  engine_.reset();
}

void Collector::set_periods(Periods periods) {
  const std::lock_guard lock(periods_mutex_);
  new_periods_ = periods;
}

Collector::Clock::time_point Collector::last_beat() const noexcept {
  return Clock::time_point(Clock::duration(last_beat_.load()));
}

void Collector::take_periods() {
  {
    const std::lock_guard lock(periods_mutex_);
    if (new_periods_) {
      options_.periods = *new_periods_;
      new_periods_.reset();
      // A shorter period holds from now on, not from the end of the longer one.
      const Clock::time_point now = clocks_.steady();
      for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
        jobs_[kind].due = std::min(jobs_[kind].due, now + period_of(static_cast<JobKind>(kind)));
      }
    }
  }
  for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
    jobs_[kind].report.overdue_after =
        kind == kTables ? std::max(kTablesOverdue, kOverduePeriods * options_.periods.jobs.topology)
                        : kOverduePeriods * period_of(static_cast<JobKind>(kind));
  }
}

void Collector::take_hint(Clock::time_point now) {
  Job& job = jobs_[kTopology];
  if (job.running || !sweep_soon_.load()) return;
  const auto pause = std::max(kSoonest, kSoonestRuns * job.report.status.last_duration);
  const bool rested = job.report.status.completed == 0 || now >= job.started + pause;
  // The hint is taken when a sweep begins, so that what happens during one is looked at after it.
  if (!rested && now < job.due) return;
  sweep_soon_.store(false);
  job.due = std::min(job.due, now);
}

milliseconds Collector::period_of(JobKind kind) const noexcept {
  switch (kind) {
    case kData:
      return options_.periods.jobs.counters_data;
    case kErrors:
      return options_.periods.jobs.counters_errors;
    case kDetails:
      return options_.periods.jobs.counters_details;
    default:
      return options_.periods.jobs.topology;
  }
}

void Collector::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    const Clock::time_point next = step(kWait);
    const Clock::time_point now = clocks_.steady();
    if (next <= now) continue;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, std::min<Clock::duration>(next - now, milliseconds{500}),
                     [] { return false; });
  }
}

Collector::Clock::time_point Collector::step(milliseconds wait) {
  Clock::time_point next = clocks_.steady();
  last_beat_.store(next.time_since_epoch().count());
  guarded([&] { next = step_once(wait); },
          [&](std::string_view what) {
            lose_source(fmt::format("the collector failed: {}", what), clocks_.steady());
            next = reopen_.next_attempt();
          });
  return next;
}

Collector::Clock::time_point Collector::step_once(milliseconds wait) {
  take_periods();
  if (!engine_) open_source(clocks_.steady());
  if (!engine_) return reopen_.next_attempt();
  const Clock::time_point now = clocks_.steady();
  take_hint(now);
  start_due(now);
  if (engine_->idle()) {
    const auto until_due = std::chrono::ceil<milliseconds>(next_due(now) - now);
    wait = std::clamp(until_due, milliseconds{0}, wait);
  }
  const model::Status moved = engine_->run_once(wait);
  if (!moved) {
    lose_source(fmt::format("lost {}: {}", state_.source, moved.error().text), clocks_.steady());
    return reopen_.next_attempt();
  }
  finish_what_is_done();
  return now;
}

void Collector::open_source(Clock::time_point now) {
  if (reopen_.waiting(now)) return;
  auto source = open_();
  if (!source) {
    reopen_.failed(now);
    const std::string& why = source.error().text;
    const bool told = note_once("cannot open an InfiniBand port: " + why);
    if (!told && state_.stale_reason == why) return;
    state_.stale = true;
    state_.suspect = false;
    state_.stale_reason = why;
    publish();
    return;
  }
  transport_ = std::move(source->transport);
  // Microseconds differ from run to run, as the engine wants its first transaction to.
  options_.mad.first_transaction = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
  engine_ = std::make_unique<mad::MadEngine>(*transport_, options_.mad, clocks_.steady);
  state_.source = source->name;
  for (Job& job : jobs_) job.due = now;
}

/// That a device can be opened does not say that it works: only now the back-off ends.
void Collector::source_answers() {
  if (answers_) return;
  answers_ = true;
  reopen_.succeeded();
  told_.clear();
  note(model::Severity::kInfo, "watching through " + state_.source);
}

std::array<bool, Collector::kJobKinds> Collector::drop_source() noexcept {
  topology_.reset();
  tables_.reset();
  counter_run_ = {};
  topology_done_.reset();
  tables_done_.reset();
  // Directed routes begin at the port that they were found through; the next may be another.
  tables_wanted_.reset();
  tables_running_.reset();
  tables_read_.reset();
  if (engine_) add(earlier_engines_, engine_->stats());
  engine_.reset();
  transport_.reset();
  state_.source.clear();
  answers_ = false;
  std::array<bool, kJobKinds> ran{};
  for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
    ran[kind] = std::exchange(jobs_[kind].running, false);
  }
  return ran;
}

void Collector::lose_source(const std::string& why, Clock::time_point now) {
  const auto ran = drop_source();
  reopen_.failed(now);
  for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
    if (ran[kind]) failed(static_cast<JobKind>(kind), why, now);
  }
  const auto verdict = gate_.failed(why);
  state_.stale = verdict.stale;
  state_.suspect = false;
  state_.stale_reason = verdict.reason;
  note_once(why);
  publish();
}

bool Collector::may_start(JobKind kind, Clock::time_point now) const noexcept {
  const Job& job = jobs_[kind];
  if (job.running || now < job.due) return false;
  const auto completed = [this](JobKind other) {
    return jobs_[other].report.status.completed != 0;
  };
  switch (kind) {
    case kTopology:
      return true;
    case kTables:
      return tables_wanted_.has_value();
    // One counter sweep at a time: of two that read the same attribute, an answer that overtakes
    // another would look like a counter that was cleared.
    case kData:
      return state_.fabric != nullptr && !counter_run_.sweep;
    // One after the other at first, so that data is served as soon as can be.
    case kErrors:
      return state_.fabric != nullptr && !counter_run_.sweep && completed(kData);
    case kDetails:
      return state_.fabric != nullptr && !counter_run_.sweep && completed(kErrors);
    case kJobKinds:
      break;
  }
  return false;
}

Collector::Clock::time_point Collector::next_due(Clock::time_point now) const noexcept {
  Clock::time_point next = now + std::chrono::hours{1};
  for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
    if (may_start(static_cast<JobKind>(kind), Clock::time_point::max())) {
      next = std::min(next, jobs_[kind].due);
    }
  }
  return next;
}

void Collector::start_due(Clock::time_point now) {
  if (may_start(kTopology, now)) start_topology(now);
  if (may_start(kTables, now)) start_tables(now);
  start_counters(now);
}

void Collector::begin(JobKind kind, Clock::time_point now) {
  Job& job = jobs_[kind];
  job.running = true;
  job.started = now;
  // Keeps the beat where it can; a start that is late by a period or more sets a new one.
  const auto period = period_of(kind);
  job.due = now - job.due < period ? job.due + period : now + period;
  logger_->debug("event=job_started job={}", job.report.status.name);
}

void Collector::start_topology(Clock::time_point now) {
  begin(kTopology, now);
  discovery::FabricSweep::Options what;
  what.fabric_name = options_.fabric_name;
  what.job = kTopologyQueries;
  what.now = clocks_.wall;
  topology_ = std::make_unique<discovery::FabricSweep>(*engine_, std::move(what), state_.fabric);
  // A sweep must not be destroyed inside its own completion: finish_what_is_done() takes it apart.
  topology_->start([this](auto result) { topology_done_ = std::move(result); });
}

void Collector::start_tables(Clock::time_point now) {
  discovery::SweepOutcome outcome = std::move(*tables_wanted_);
  tables_wanted_.reset();
  const auto plan =
      discovery::plan_tables(outcome, tables_read_ ? &*tables_read_ : nullptr, state_.tables.get(),
                             table_round_++, options_.periods.rotation);
  begin(kTables, now);
  jobs_[kTables].due = now;  // whenever a topology sweep wants it, not by a period
  tables_running_ = outcome;
  tables_ = std::make_unique<discovery::TableSweep>(
      *engine_, discovery::TableSweep::Options{kTableQueries, clocks_.wall}, std::move(outcome),
      plan, state_.tables);
  tables_->start([this](auto result) { tables_done_ = std::move(result); });
}

/// What is due together is read together: each attribute is asked for once.
void Collector::start_counters(Clock::time_point now) {
  std::vector<JobKind> due;
  for (const JobKind kind : {kData, kErrors, kDetails}) {
    if (may_start(kind, now)) due.push_back(kind);
  }
  if (due.empty()) return;
  counters::CounterSweep::Options what;
  what.data = std::ranges::count(due, kData) != 0;
  what.errors = std::ranges::count(due, kErrors) != 0;
  what.details = std::ranges::count(due, kDetails) != 0;
  what.wait_tick = what.details;
  what.job = kCounterQueries;
  for (const JobKind kind : due) begin(kind, now);
  counter_run_.jobs = std::move(due);
  counter_run_.sweep =
      std::make_unique<counters::CounterSweep>(*engine_, what, state_.fabric, capabilities_);
  counter_run_.sweep->start(
      [this](const model::CounterSample& sample) { store_.apply(sample); },
      [this](model::PortKey port, std::uint8_t tick) { store_.set_wait_tick(port, tick); },
      [this](auto result) { counter_run_.done = std::move(result); });
}

void Collector::finish_what_is_done() {
  if (topology_done_) {
    auto result = std::move(*topology_done_);
    topology_done_.reset();
    topology_.reset();
    finish_topology(std::move(result));
  }
  if (tables_done_) {
    auto result = std::move(*tables_done_);
    tables_done_.reset();
    tables_.reset();
    finish_tables(std::move(result));
  }
  if (counter_run_.done) finish_counters(std::exchange(counter_run_, {}));
}

void Collector::finish_topology(model::Result<discovery::SweepOutcome> result) {
  const Clock::time_point now = clocks_.steady();
  if (!result) {
    failed(kTopology, result.error().text, now);
    const auto verdict = gate_.failed("the last sweep failed: " + result.error().text);
    state_.stale = verdict.stale;
    state_.suspect = false;
    state_.stale_reason = verdict.reason;
    publish();
    return;
  }
  source_answers();
  // An unchanged fabric keeps its snapshot, and so everything that is derived from it.
  if (state_.fabric && same_content(*state_.fabric, *result->fabric)) {
    result->fabric = state_.fabric;
  }
  const auto verdict = gate_.offer(result->fabric, now);
  state_.stale = verdict.stale;
  state_.suspect = verdict.stale;
  state_.stale_reason = verdict.reason;
  state_.sweep = std::move(result->report);
  if (verdict.changed) adopt(verdict.served, now);
  succeeded(kTopology, now);
  if (!has_lids(*state_.fabric)) {
    jobs_[kTopology].due = std::min(jobs_[kTopology].due, now + kRetry);
  }
  // Routes of a suspect sweep do not belong to the snapshot that is served.
  if (!verdict.stale) tables_wanted_ = std::move(*result);
  publish();
}

void Collector::adopt(std::shared_ptr<const model::Fabric> fabric, Clock::time_point now) {
  if (state_.fabric) {
    for (const model::NodeGuid node : nodes_to_ask_anew(*state_.fabric, *fabric)) {
      capabilities_.erase(node);
    }
  }
  store_.adopt(fabric, now);
  state_.fabric = std::move(fabric);
  // What is served together belongs to one snapshot.
  if (state_.counters) state_.counters = store_.publish(now, clocks_.wall());
}

void Collector::finish_tables(model::Result<std::shared_ptr<const model::FabricTables>> result) {
  const Clock::time_point now = clocks_.steady();
  if (result) {
    state_.tables = std::move(*result);
    tables_read_ = std::move(tables_running_);
    succeeded(kTables, now);
  } else {
    // Tried again with the next topology sweep, for all that has changed since the tables held.
    failed(kTables, result.error().text, now);
    jobs_[kTables].due = now;
  }
  tables_running_.reset();
  publish();
}

void Collector::finish_counters(CounterRun run) {
  const Clock::time_point now = clocks_.steady();
  const model::Result<counters::CounterSweep::Outcome>& result = *run.done;
  std::string why;
  if (!result) {
    why = result.error().text;
  } else if (result->ports == 0 && result->ports_unreached != 0) {
    why = "no port has a LID: no subnet manager has configured this fabric";
  } else if (result->ports != 0 && result->ports_fresh == 0) {
    why = fmt::format("none of {} ports gave its counters", result->ports);
  }
  for (const JobKind kind : run.jobs) {
    if (why.empty()) {
      succeeded(kind, now);
    } else {
      failed(kind, why, now);
    }
  }
  if (result && std::ranges::count(run.jobs, kData) != 0) {
    state_.ports_asked = result->ports;
    state_.ports_fresh = result->ports_fresh;
    state_.silent = result->silent;
    // Restarted perhaps, and with another firmware when it answers again.
    for (const model::NodeGuid node : result->silent) capabilities_.erase(node);
    // A port that is no longer read must not keep its last rate; XmitWait comes with the errors.
    const auto oldest = now - kOverduePeriods * std::max(period_of(kData), period_of(kErrors));
    state_.frames.push_back(store_.rates(clocks_.wall(), oldest));
  }
  if (result) state_.counters = store_.publish(now, clocks_.wall());
  publish();
}

void Collector::succeeded(JobKind kind, Clock::time_point now) {
  Job& job = jobs_[kind];
  job.running = false;
  job.report.last_completed = now;
  exporter::JobStatus& status = job.report.status;
  ++status.completed;
  status.last_completed_at = clocks_.wall();
  status.last_duration = std::chrono::duration_cast<milliseconds>(now - job.started);
  if (!status.last_error.empty()) {
    note(model::Severity::kInfo, fmt::format("job {} works again", status.name));
  }
  status.last_error.clear();
  logger_->debug("event=job_completed job={} seconds={:.3f}", status.name,
                 std::chrono::duration<double>(now - job.started).count());
}

void Collector::failed(JobKind kind, const std::string& why, Clock::time_point now) {
  Job& job = jobs_[kind];
  job.running = false;
  job.due = std::min(job.due, now + kRetry);
  exporter::JobStatus& status = job.report.status;
  ++status.failed;
  // A lasting failure is told once.
  if (status.last_error != why) {
    note(model::Severity::kWarning, fmt::format("job {} failed: {}", status.name, why));
  }
  status.last_error = why;
}

void Collector::note(model::Severity severity, std::string text) {
  state_.events.push_back(
      model::make_event(model::EventKind::kService, severity, std::move(text), clocks_.wall()));
}

/// An error, if it has not been told since a source answered last. True if it was told now.
bool Collector::note_once(std::string text) {
  // Texts are few, but who knows a driver's: forgetting is better than growing.
  if (told_.size() >= kToldErrors) told_.clear();
  if (!told_.insert(text).second) return false;
  note(model::Severity::kError, std::move(text));
  return true;
}

void Collector::publish() {
  state_.jobs.clear();
  for (const Job& job : jobs_) state_.jobs.push_back(job.report);
  state_.mad = earlier_engines_;
  if (engine_) add(state_.mad, engine_->stats());
  state_.backing_off = engine_ ? engine_->mute_devices().size() : 0;
  const counters::CounterStore::Stats& read = store_.stats();
  state_.intake = {read.samples, read.resets, read.implausible, read.late, read.unknown_ports};
  sink_(state_);
  state_.frames.clear();
  state_.events.clear();
}

}  // namespace heddle::daemon
