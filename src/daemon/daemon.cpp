#include "daemon/daemon.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "daemon/guarded.hpp"
#include "daemon/open_files.hpp"

namespace heddle::daemon {
namespace {

constexpr std::chrono::minutes kSameFailure{1};
/// A third of the weight of the other threads (sched(7)): where no core is idle, a scrape or a
/// query waits for nothing that may as well be rendered a moment later.
constexpr int kPublisherNicer = 5;

Collector::Periods periods_of(const Config& config) {
  return {config.periods, config.tables_rotation};
}

Collector::Options collector_options(const Config& config) {
  Collector::Options options;
  options.fabric_name = config.fabric;
  options.periods = periods_of(config);
  options.mad.window = config.mad.window;
  options.mad.device_window = config.mad.device_window;
  options.mad.timeout = config.mad.timeout;
  options.mad.attempts = config.mad.attempts;
  options.mad.background_per_second = config.mad.background_per_second;
  options.gate.keep_ratio = config.suspect.keep_ratio;
  options.gate.accept_after = std::chrono::ceil<std::chrono::seconds>(config.suspect.accept_after);
  return options;
}

Publisher::Options publisher_options(const Config& config) {
  return {config.compat, config.history_frames};
}

/// Lowers the priority of the calling thread, and of no other (setpriority(2), on Linux).
void yield_to_answers(spdlog::logger& logger) {
  const int niceness = ::getpriority(PRIO_PROCESS, 0) + kPublisherNicer;
  if (::setpriority(PRIO_PROCESS, 0, niceness) == 0) return;
  logger.warn("event=priority_not_lowered thread=publisher error={}",
              quoted(std::generic_category().message(errno)));
}

/// Takes over from `read` what can change while the service runs.
void take_live(Config& running, const Config& read) {
  running.periods = read.periods;
  running.tables_rotation = read.tables_rotation;
  running.compat = read.compat;
  running.history_frames = read.history_frames;
  running.http = read.http;
  running.log_level = read.log_level;
}

}  // namespace

Daemon::Daemon(Options options, Logger logger)
    : options_(std::move(options)),
      logger_(std::move(logger)),
      events_(options_.config.events_capacity),
      published_(
          nothing_yet(options_.version, options_.config.fabric, std::chrono::system_clock::now())),
      metrics_(options_.config.fabric),
      service_(published_, events_, metrics_),
      publisher_(publisher_options(options_.config), events_, published_, links_, {}, logger_),
      collector_(
          collector_options(options_.config), options_.open,
          [this](CollectorUpdate update) { publisher_.offer(std::move(update)); }, {}, logger_) {}

model::Result<std::unique_ptr<Daemon>> Daemon::start(Options options, Logger logger) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(options), std::move(logger)));
  const Config& config = daemon->options_.config;
  HttpServer::Options http;
  http.listen = daemon->options_.listen.value_or(config.listen);
  http.limits = config.http;
  http.threads = config.http_threads;
  http.open_files = daemon->options_.open_files;
  // The server ends before the daemon does.
  http.failed = [d = daemon.get()](std::string_view what) { d->tell_failure("http", what); };
  auto server = HttpServer::start(std::move(http), daemon->service_);
  if (!server) return model::fail(server.error());
  daemon->http_ = std::move(*server);
  // Both handle exceptions step by step; one that ends a loop all the same stops the watchdog.
  daemon->publisher_thread_ = std::jthread([d = daemon.get()](std::stop_token stop) {
    pthread_setname_np(pthread_self(), "publisher");
    yield_to_answers(*d->logger_);
    guarded([&] { d->publisher_.run(stop); },
            [d](std::string_view what) { d->tell_failure("publisher", what); });
  });
  daemon->collector_thread_ = std::jthread([d = daemon.get()](std::stop_token stop) {
    pthread_setname_np(pthread_self(), "collector");
    guarded([&] { d->collector_.run(stop); },
            [d](std::string_view what) { d->tell_failure("collector", what); });
  });
  daemon->start_local();
  daemon->tell(model::Severity::kInfo, fmt::format("heddled {} started for fabric {}",
                                                   daemon->options_.version, config.fabric));
  daemon->tell_room();
  return daemon;
}

void Daemon::start_local() {
  const Config& config = options_.config;
  if (config.opensm.path.empty() && config.control.path.empty()) return;
  // The service ends before what its hooks use.
  local_ = std::make_unique<LocalService>(
      LocalService::Options{config.opensm, config.control, config.weights,
                            fmt::format("heddled {}", options_.version)},
      LocalService::Hooks{
          [this] { return published_.load()->view->fabric; },
          [this](std::vector<model::Event> events) { publisher_.record_all(std::move(events)); },
          [this](std::shared_ptr<const exporter::RoutingStatus> status) {
            publisher_.offer_routing(std::move(status));
          },
          [this] { collector_.sweep_soon(); },
          [this](std::string_view what) { tell_failure("local sockets", what); }},
      links_);
}

Daemon::~Daemon() { stop({}); }

void Daemon::stop(std::chrono::milliseconds patience) {
  local_.reset();
  collector_thread_.request_stop();
  publisher_thread_.request_stop();
  if (http_) http_->stop(patience);
  if (collector_thread_.joinable()) collector_thread_.join();
  if (publisher_thread_.joinable()) publisher_thread_.join();
}

bool Daemon::reload() {
  if (options_.config_path.empty()) {
    tell(model::Severity::kInfo, "reload asked for, but heddled runs without a file");
    return true;
  }
  const ParsedConfig read = read_config(options_.config_path);
  if (!read.ok()) {
    for (const model::Error& error : read.errors) {
      logger_->error("event=bad_configuration error={}", quoted(error.message()));
    }
    tell(model::Severity::kError,
         fmt::format("configuration not reloaded, {} errors, the first: {}", read.errors.size(),
                     read.errors.front().message()));
    return false;
  }
  const Config& next = read.config;
  const ConfigChange change = changes(options_.config, next);
  take_live(options_.config, next);
  set_level(*logger_, next.log_level);
  collector_.set_periods(periods_of(next));
  publisher_.set_options(publisher_options(next));
  http_->set_limits(next.http);
  std::string text = change.live.empty()
                         ? std::string("configuration reloaded, nothing to apply")
                         : fmt::format("configuration reloaded: {}", fmt::join(change.live, ", "));
  if (!change.restart.empty()) {
    text += fmt::format("; needs a restart: {}", fmt::join(change.restart, ", "));
  }
  tell(change.restart.empty() ? model::Severity::kInfo : model::Severity::kWarning,
       std::move(text));
  tell_room();
  return true;
}

bool Daemon::makes_progress(std::chrono::milliseconds limit) const noexcept {
  const auto oldest = std::chrono::steady_clock::now() - limit;
  return collector_.last_beat() > oldest && publisher_.last_beat() > oldest &&
         http_->last_beat() > oldest && (!local_ || local_->last_beat() > oldest);
}

std::string Daemon::status_line() const {
  const auto published = published_.load();
  const exporter::View& view = *published->view;
  return fmt::format("fabric {}: {} nodes, {} links, {}", view.fabric_name,
                     view.fabric->nodes().size(), view.fabric->links().size(),
                     view.ready ? "ready" : "not ready: " + view.not_ready_reason);
}

void Daemon::tell_failure(std::string_view where, std::string_view what) {
  std::string text = fmt::format("{} failed: {}", where, what);
  {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(failure_mutex_);
    if (text == last_failure_ && now - last_failure_told_ < kSameFailure) return;
    last_failure_ = text;
    last_failure_told_ = now;
  }
  tell(model::Severity::kError, std::move(text));
}

void Daemon::tell_room() {
  const Config& config = options_.config;
  const std::size_t room =
      connection_room(config.http.connections, options_.open_files, config.http_threads).staying;
  if (room >= config.http.connections) return;
  tell(model::Severity::kWarning,
       fmt::format("http.connections is {}, but the limit of {} open files leaves room for {}",
                   config.http.connections, options_.open_files, room));
}

void Daemon::tell(model::Severity severity, std::string text) {
  publisher_.record(model::make_event(model::EventKind::kService, severity, std::move(text),
                                      std::chrono::system_clock::now()));
}

}  // namespace heddle::daemon
