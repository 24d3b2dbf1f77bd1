#include "plugins/opensm/places_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "plugins/opensm/quiet_thread.hpp"

namespace heddle::plugin {

using model::Fabric;

namespace {

/// Behind whatever OpenSM and a repair compute meanwhile.
constexpr int kNiceness = 10;

/// By what the text says: it knows no states of ports. Much quicker than making both texts.
bool same_text(const Fabric& a, const Fabric& b) {
  const auto said = [](const model::Port& port) {
    return std::tuple(port.node, port.number, port.lmc, port.lid, port.guid, port.rate);
  };
  return std::ranges::equal(a.nodes(), b.nodes()) &&
         std::ranges::equal(a.ports(), b.ports(), {}, said, said) &&
         std::ranges::equal(a.links(), b.links(), [](const model::Link& x, const model::Link& y) {
           return x.a == y.a && x.b == y.b;
         });
}

}  // namespace

PlacesThread::PlacesThread(std::string path, Log log, std::chrono::milliseconds retry)
    : file_(std::move(path)), log_(std::move(log)), retry_(retry) {
  if (auto read = file_.read(); !read) {
    set_aside(read.error().message());
  } else if (*read) {
    recalled_ = std::make_shared<const Fabric>(**std::move(read));
    held_ = recalled_;
    log_(false,
         fmt::format("places: {} nodes remembered in {}", recalled_->nodes().size(), file_.path()));
  }
  thread_ = start_quiet_thread([this] { run(); });
}

PlacesThread::~PlacesThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void PlacesThread::keep(std::shared_ptr<const RoutingRun> run, const std::string& refusal) {
  {
    const std::lock_guard lock(mutex_);
    std::swap(next_, run);
    if (!refusal.empty()) refusal_ = refusal;
  }
  wake_.notify_one();
}

void PlacesThread::run() noexcept {
  pthread_setname_np(pthread_self(), "heddle-places");
  // Of the calling thread alone, on Linux. Nothing depends on it.
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kNiceness));
  try {
    try {
      run_until_stopped();
    } catch (const std::exception& failure) {
      log_error(fmt::format("{}; from now on they live as long as OpenSM", failure.what()));
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is no memory for a line
  }
}

void PlacesThread::run_until_stopped() {
  const auto is_told = [this] { return stopping_ || next_ != nullptr; };
  while (true) {
    std::unique_lock lock(mutex_);
    if (wanted_) {
      wake_.wait_for(lock, retry_, is_told);
    } else {
      wake_.wait(lock, is_told);
    }
    std::shared_ptr<const RoutingRun> run = std::exchange(next_, nullptr);
    const std::string refusal = std::exchange(refusal_, {});
    const bool is_last = stopping_;
    lock.unlock();
    if (run) take(std::move(run), refusal);
    if (wanted_) write();
    if (is_last) return;
  }
}

void PlacesThread::take(std::shared_ptr<const RoutingRun> run, const std::string& refusal) {
  if (!refusal.empty()) set_aside(fmt::format("{}: {}", file_.path(), refusal));
  // Without a switch nothing has a place.
  if (run->whole.switches().empty() || !may_write_) return;
  if (held_ && same_text(*held_, run->whole)) {
    wanted_.reset();
  } else {
    wanted_ = run->whole;
  }
}

void PlacesThread::set_aside(const std::string& why) {
  held_.reset();
  const model::Status done = file_.set_aside();
  may_write_ = done.has_value();
  log_error(may_write_
                ? fmt::format("{}; it is kept as {}, and places begin anew", why, file_.aside())
                : fmt::format("{}; it cannot be set aside ({}), so places live as long as OpenSM",
                              why, done.error().message()));
}

void PlacesThread::write() {
  const model::Status written = file_.write(*wanted_);
  if (!written) {
    if (!failing_) {
      log_error(fmt::format("{}; until it can, places live as long as OpenSM",
                            written.error().message()));
    }
    failing_ = true;
    return;
  }
  if (failing_) log_(false, fmt::format("places: {} is written again", file_.path()));
  failing_ = false;
  held_ = std::make_shared<const Fabric>(*std::exchange(wanted_, std::nullopt));
}

void PlacesThread::log_error(const std::string& text) const {
  log_(true, fmt::format("ERR HD08: places: {}", text));
}

}  // namespace heddle::plugin
