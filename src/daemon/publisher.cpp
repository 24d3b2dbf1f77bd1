#include "daemon/publisher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "daemon/guarded.hpp"
#include "model/fabric_delta.hpp"

namespace heddle::daemon {
namespace {

using model::Event;
using model::EventKind;
using model::Severity;

/// How often step() looks for overdue jobs when nothing comes in.
constexpr std::chrono::milliseconds kLookAround{1000};
/// Of one comparison, so many events become log lines; all are in the event log.
constexpr std::size_t kLoggedAtOnce = 50;
/// What a collector that is ahead of the publisher may pile up.
constexpr std::size_t kMaxPendingFrames = 64;
constexpr std::size_t kMaxPendingEvents = 1024;

/// So often at most, failed jobs alone make the metrics be rendered again.
constexpr std::chrono::milliseconds kFailuresRendered{10000};

/// Returns how many of the oldest had to go.
template <class T>
std::size_t append_bounded(std::vector<T>& list, std::vector<T> more, std::size_t limit) {
  std::ranges::move(more, std::back_inserter(list));
  if (list.size() <= limit) return 0;
  const std::size_t dropped = list.size() - limit;
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(dropped));
  return dropped;
}

std::uint64_t job_failures(const exporter::View& view) {
  std::uint64_t sum = 0;
  for (const exporter::JobStatus& job : view.jobs) sum += job.failed;
  return sum;
}

/// When its last reader lets go of it, its text becomes the spare buffer.
std::shared_ptr<const exporter::PreparedBody> giving_back(exporter::PreparedBody body,
                                                          std::shared_ptr<SpareBuffer> spare) {
  auto owned = std::make_unique<exporter::PreparedBody>(std::move(body));
  return {owned.release(), [spare = std::move(spare)](exporter::PreparedBody* gone) {
            spare->give(std::move(*gone).take_plain());
            delete gone;
          }};
}

/// Enters what came and went in the ledger. Gives cables that somebody has told of already.
std::set<model::FabricDelta::Cable> enter(const model::FabricDelta& delta, EventTime now,
                                          EventTime sweep_began, LinkLedger& links) {
  std::set<model::FabricDelta::Cable> known;
  for (const auto* cables : {&delta.links_removed, &delta.links_added}) {
    for (const model::FabricDelta::Cable& cable : *cables) {
      const bool up = cables == &delta.links_added;
      if (!links.observe({cable.a, cable.b, up, now, sweep_began})) known.insert(cable);
    }
  }
  return known;
}

std::string last_error_of(const JobReport& job) {
  return job.status.last_error.empty() ? "" : ": " + job.status.last_error;
}

std::string overdue_text(const JobReport& job) {
  return fmt::format("{} is overdue{}", job.status.name, last_error_of(job));
}

bool overdue(const JobReport& job, std::chrono::steady_clock::time_point now) {
  return job.last_completed && now - *job.last_completed > job.overdue_after;
}

}  // namespace

Publisher::Publisher(Options options, EventLog& events, PublishedCell& published, LinkLedger& links,
                     Clocks clocks, Logger logger)
    : events_(events),
      published_(published),
      links_(links),
      clocks_(std::move(clocks)),
      logger_(std::move(logger)),
      options_(options),
      rendered_{published.load()->view->fabric, options.compat, 0, {}},
      generation_(published.load()->view->generation) {}

void Publisher::offer(CollectorUpdate update) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_) {
      auto frames = std::move(pending_->frames);
      auto events = std::move(pending_->events);
      append_bounded(frames, std::move(update.frames), kMaxPendingFrames);
      pending_dropped_ += append_bounded(events, std::move(update.events), kMaxPendingEvents);
      update.frames = std::move(frames);
      update.events = std::move(events);
    }
    pending_ = std::move(update);
  }
  offered_.notify_one();
}

void Publisher::offer_routing(std::shared_ptr<const exporter::RoutingStatus> status) {
  {
    const std::lock_guard lock(mutex_);
    pending_routing_ = std::move(status);
  }
  offered_.notify_one();
}

void Publisher::set_options(Options options) {
  {
    const std::lock_guard lock(mutex_);
    new_options_ = options;
  }
  offered_.notify_one();
}

std::chrono::steady_clock::time_point Publisher::last_beat() const noexcept {
  return std::chrono::steady_clock::time_point(
      std::chrono::steady_clock::duration(last_beat_.load()));
}

void Publisher::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    static_cast<void>(step());
    std::unique_lock lock(mutex_);
    offered_.wait_for(lock, stop, kLookAround,
                      [this] { return pending_ || new_options_ || pending_routing_; });
  }
}

bool Publisher::take(CollectorUpdate& update) {
  const std::lock_guard lock(mutex_);
  if (!pending_) return false;
  update = std::move(*pending_);
  pending_.reset();
  return true;
}

bool Publisher::step() {
  last_beat_.store(clocks_.steady().time_since_epoch().count());
  bool published = false;
  guarded([&] { published = step_once(); }, [this](std::string_view what) { tell_failure(what); });
  if (published) failure_.clear();
  return published;
}

void Publisher::tell_failure(std::string_view what) {
  if (what == failure_) return;
  failure_ = what;
  record(model::make_event(EventKind::kService, Severity::kError,
                           fmt::format("a publication failed: {}", what), clocks_.wall()));
}

void Publisher::take_options() {
  const std::lock_guard lock(mutex_);
  if (new_options_) options_ = *new_options_;
  new_options_.reset();
}

Publisher::Metrics Publisher::metrics_for(const exporter::View& view, const exporter::View& last,
                                          std::size_t new_frames) const {
  const bool other_data = new_frames != 0 || view.fabric != rendered_.fabric ||
                          (view.tables && !last.tables) || options_.compat != rendered_.compat;
  const bool turned = view.ready != last.ready || view.stale != last.stale ||
                      view.data_overdue != last.data_overdue;
  // While no sweep is completed nothing else would bring the failures into the metrics.
  const bool failures = job_failures(view) != rendered_.job_failures &&
                        clocks_.steady() - rendered_.at >= kFailuresRendered;
  return other_data || turned || failures ? Metrics::kRendered : Metrics::kKept;
}

bool Publisher::step_once() {
  take_options();
  const auto last = published_.load();
  auto view = std::make_shared<exporter::View>(*last->view);
  CollectorUpdate update;
  const bool updated = take(update);
  const std::size_t new_frames = update.frames.size();
  if (updated) {
    tell_changes(update);
    fill(*view, std::move(update));
  }
  std::shared_ptr<const exporter::RoutingStatus> routing;
  {
    const std::lock_guard lock(mutex_);
    routing = std::exchange(pending_routing_, nullptr);
  }
  if (routing) view->routing = routing;
  view->link_histories = links_.histories(clocks_.wall());
  age(*view);
  view->not_ready_reason = why_not_ready();
  view->ready = view->not_ready_reason.empty();
  const Metrics metrics = metrics_for(*view, *last->view, new_frames);
  const bool other_reason = view->not_ready_reason != last->view->not_ready_reason;
  if (!updated && !routing && metrics == Metrics::kKept && !other_reason) return false;
  if (view->ready != last->view->ready) {
    const std::string text =
        view->ready ? "ready" : "not ready any more: " + view->not_ready_reason;
    record(model::make_event(EventKind::kService,
                             view->ready ? Severity::kInfo : Severity::kWarning, text,
                             clocks_.wall()));
  }
  publish(std::move(view), metrics);
  return true;
}

void Publisher::tell_changes(const CollectorUpdate& update) {
  const EventTime now = clocks_.wall();
  record_all(update.events);
  tell_fabric_changes(update);
  if (update.suspect && !current_.suspect) {
    record(
        model::make_event(EventKind::kFabricSuspect, Severity::kWarning, update.stale_reason, now));
  } else if (current_.stale && !update.stale && current_.fabric) {
    record(model::make_event(EventKind::kFabricAccepted, Severity::kInfo,
                             "the served snapshot is current again", now));
  }
  if (update.tables && current_.tables && update.tables != current_.tables) {
    record_all(subnet_manager_events(*current_.tables, *update.tables, now));
    if (auto event = forwarding_event(*current_.tables, *update.tables, now)) {
      record(std::move(*event));
    }
  }
  if (update.tables && update.tables != current_.tables) tell_master(*update.tables);
  if (update.counters && current_.counters && update.counters != current_.counters) {
    if (auto event = reset_event(*current_.counters, *update.counters, now)) {
      record(std::move(*event));
    }
  }
}

void Publisher::tell_master(const model::FabricTables& tables) {
  const bool seen = std::ranges::any_of(tables.subnet_managers, [](const auto& manager) {
    return manager.state == model::SubnetManager::State::kMaster;
  });
  // That there is one is worth a word only after there was none.
  const bool news = seen ? master_seen_ == false : master_seen_ != false;
  master_seen_ = seen;
  if (!news) return;
  record(model::make_event(
      EventKind::kSubnetManagerChanged, seen ? Severity::kInfo : Severity::kError,
      seen ? "a master subnet manager is seen again"
           : "no master subnet manager is seen: nobody routes around faults or gives LIDs",
      clocks_.wall()));
}

void Publisher::tell_fabric_changes(const CollectorUpdate& update) {
  if (!update.fabric) return;
  const EventTime now = clocks_.wall();
  if (!current_.fabric) {
    record(
        model::make_event(EventKind::kService, Severity::kInfo,
                          fmt::format("first sweep: {} nodes, {} links",
                                      update.fabric->nodes().size(), update.fabric->links().size()),
                          now));
  } else if (update.fabric != current_.fabric) {
    const auto delta = model::compare(*current_.fabric, *update.fabric);
    const auto known = enter(delta, now, update.sweep.started_at.value_or(now), links_);
    auto events = model::events_of(delta, *current_.fabric, *update.fabric, now);
    std::erase_if(events, [&known](const Event& event) {
      const bool of_link = event.kind == EventKind::kLinkDown || event.kind == EventKind::kLinkUp;
      return of_link && known.contains({*event.port, *event.peer});
    });
    record_all(std::move(events));
  }
  SilentDevices silent = silent_devices(*update.fabric, update.sweep.mute, update.silent);
  record_all(silence_events(silent_, silent, *update.fabric, now));
  silent_ = std::move(silent);
}

void Publisher::record(Event event) { record_all({std::move(event)}); }

void Publisher::record_all(std::vector<Event> events) {
  std::size_t logged = 0;
  for (Event& event : events) {
    if (++logged <= kLoggedAtOnce) {
      const auto level = event.severity == Severity::kError     ? spdlog::level::err
                         : event.severity == Severity::kWarning ? spdlog::level::warn
                                                                : spdlog::level::info;
      const std::string port = event.port ? " port=" + model::to_string(*event.port) : "";
      logger_->log(level, "event={}{} text={}", model::to_string(event.kind), port,
                   quoted(event.text));
    }
    events_.append(std::move(event));
  }
  if (logged > kLoggedAtOnce) {
    logger_->info("event=more_events count={}", logged - kLoggedAtOnce);
  }
}

void Publisher::fill(exporter::View& view, CollectorUpdate update) {
  // Of the view and not of current_, which is ahead of it where a publication failed.
  if (update.fabric && update.fabric != view.fabric) {
    view.fabric = update.fabric;
    view.summary = std::make_shared<const model::FabricSummary>(model::summarise(*update.fabric));
    view.degraded = std::make_shared<const std::vector<model::DegradedLink>>(
        model::degraded_links(*update.fabric));
    view.duplicates = std::make_shared<const std::vector<model::DuplicateName>>(
        model::duplicate_names(*update.fabric));
  }
  view.tables = update.tables;
  view.counters = update.counters;
  view.sweep = update.sweep;
  view.ports_asked = update.ports_asked;
  view.intake = update.intake;
  view.jobs.clear();
  for (const JobReport& job : update.jobs) view.jobs.push_back(job.status);
  append_bounded(view.history, std::move(update.frames), options_.history_frames);
  update.frames.clear();
  update.events.clear();
  current_ = std::move(update);
}

/// What was true when the collector said it is not for ever: without a further sweep nothing else
/// would take it back.
void Publisher::age(exporter::View& view) const {
  const auto now = clocks_.steady();
  view.stale = current_.stale;
  view.stale_reason = current_.stale_reason;
  view.ports_fresh = current_.ports_fresh;
  view.data_overdue = false;
  for (const JobReport& job : current_.jobs) {
    if (!overdue(job, now)) continue;
    if (job.status.name == "counters_data") {
      view.data_overdue = true;
      view.ports_fresh = 0;
    }
    if (job.status.name == "topology" && !view.stale) {
      view.stale = true;
      view.stale_reason = overdue_text(job);
    }
  }
}

std::string Publisher::why_not_ready() const {
  if (current_.source.empty()) {
    return current_.stale_reason.empty() ? "no InfiniBand port is open yet" : current_.stale_reason;
  }
  if (current_.stale) return current_.stale_reason;
  const auto now = clocks_.steady();
  for (const JobReport& job : current_.jobs) {
    if (!job.needed_for_ready) continue;
    if (job.status.completed == 0) {
      return fmt::format("{} has not been completed yet{}", job.status.name, last_error_of(job));
    }
    if (overdue(job, now)) return overdue_text(job);
  }
  return {};
}

void Publisher::publish(std::shared_ptr<exporter::View> view, Metrics metrics) {
  const auto began = clocks_.steady();
  view->generation = ++generation_;
  view->published_at = clocks_.wall();
  {
    const std::lock_guard lock(mutex_);
    view->events_dropped = events_.dropped() + pending_dropped_;
  }
  auto next = std::make_shared<Published>();
  next->metrics = published_.load()->metrics;
  next->mad = current_.mad;
  next->backing_off = current_.backing_off;
  if (metrics == Metrics::kRendered) {
    exporter::MetricsText text = exporter::render_metrics(*view, options_.compat, spare_->take());
    view->metric_series = text.series;
    auto body = exporter::PreparedBody::make(std::move(text.body));
    if (body) {
      next->metrics = giving_back(std::move(*body), spare_);
    } else {
      logger_->error("event=metrics_not_rendered error={}", quoted(body.error().text));
    }
    rendered_ = {view->fabric, options_.compat, job_failures(*view), began};
  }
  next->view = std::move(view);
  const std::chrono::duration<double> took = clocks_.steady() - began;
  logger_->debug("event=published generation={} rendered={} series={} seconds={:.3f}", generation_,
                 metrics == Metrics::kRendered, next->view->metric_series, took.count());
  published_.store(std::move(next));
}

}  // namespace heddle::daemon
