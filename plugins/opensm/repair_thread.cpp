#include "plugins/opensm/repair_thread.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plugins/opensm/fast_repair.hpp"
#include "plugins/opensm/quiet_thread.hpp"
#include "routing/workers.hpp"

namespace heddle::plugin {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kFilePeriod{1};          ///< in which the mode's file is looked at
constexpr std::chrono::microseconds kBlockPeriod{300};  ///< while blocks are awaited
constexpr std::chrono::milliseconds kJournalPeriod{5};  ///< while they are only written down
constexpr std::size_t kChangedSwitches = 64;            ///< more of them are no cable's death

}  // namespace

RepairThread::RepairThread(const Options& options, const Engine& engine,
                           const heddle_requests& requests, RepairJournal journal)
    : options_(options),
      engine_(engine),
      requests_(requests),
      journal_(std::move(journal)),
      inbox_(journal_.writes() ? RepairInbox::Blocks::kAlways : RepairInbox::Blocks::kWhenAwaited) {
  thread_ = start_quiet_thread([this] { run(); });
}

RepairThread::~RepairThread() {
  inbox_.stop();
  thread_.join();
}

void RepairThread::sweep_begins() noexcept {
  runs_at_sweep_.store(engine_.runs());
  inbox_.sweep();
}

void RepairThread::tables_written() noexcept {
  const std::uint64_t runs = engine_.runs();
  written_run_.store(runs);
  if (runs_at_sweep_.load() == runs) inbox_.routed();
}

RepairMode RepairThread::mode() const {
  if (options_.fast_repair_file.empty()) return options_.fast_repair;
  std::ifstream file(options_.fast_repair_file);
  std::string word;
  file >> word;
  return parse_repair_mode(word).value_or(options_.fast_repair);
}

void RepairThread::log(const std::string& line, bool is_error) const {
  requests_.log(requests_.context, is_error ? 1 : 0, line.c_str());
}

void RepairThread::run() noexcept {
  try {
    run_until_stopped();
    return;
  } catch (const std::exception& failure) {
    requests_.log(requests_.context, 1, failure.what());
  } catch (...) {
    requests_.log(requests_.context, 1, "unknown failure");
  }
  requests_.log(requests_.context, 1, "fast repair: ended for good by that failure");
}

void RepairThread::run_until_stopped() {
  routing::Workers workers(
      options_.threads != 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency()));
  FastRepair repair(requests_, journal_, workers, [] { return Clock::now(); }, {});
  std::shared_ptr<const RoutingRun> followed;
  std::shared_ptr<const RoutingRun> stale;  ///< whose tables are not in the switches any more
  std::optional<RepairMode> told;
  std::optional<Clock::time_point> until;
  while (true) {
    if (!options_.fast_repair_file.empty()) {
      const Clock::time_point look = Clock::now() + kFilePeriod;
      until = until ? std::min(*until, look) : look;
    }
    if (!repair.idle() || journal_.writes()) {
      const Clock::time_point look =
          Clock::now() + (repair.idle() ? Clock::duration(kJournalPeriod) : kBlockPeriod);
      until = until ? std::min(*until, look) : look;
    }
    inbox_.wait(until);
    if (inbox_.stopped()) return;
    // Before the engine is looked at: whoever sends a trap after a run finds that run followed.
    const std::vector<model::Lid> traps = inbox_.take_traps();
    const RepairMode now = mode();
    if (told != now) log("fast repair: " + std::string(to_string(now)), false);
    told = now;
    if (inbox_.take_routed()) {
      repair.forget();
      stale = engine_.last_run();
    }
    if (now == RepairMode::kOff) {
      followed.reset();
      repair.forget();
    } else if (std::shared_ptr<const RoutingRun> run = engine_.last_run();
               run && run != followed && run != stale) {
      followed = std::move(run);
      repair.follow(followed);
    }
    while (const std::optional<BlockEvent> event = inbox_.take_block()) {
      if (journal_.writes()) {
        journal_.block("held", event->guid, event->block, event->entries, event->time);
      }
      repair.note_block(*event);
    }
    if (const std::uint64_t lost = inbox_.take_lost(); lost != 0) {
      journal_.line("lost " + std::to_string(lost));
    }
    for (const model::Lid lid : traps) {
      if (!options_.test_deaf) repair.note_trap(lid);
    }
    if (inbox_.take_sweep()) {
      std::array<std::uint64_t, kChangedSwitches> guids{};
      const std::size_t count =
          requests_.changed_switches(requests_.context, guids.data(), guids.size());
      for (const std::uint64_t guid : std::span(guids).first(count)) {
        repair.note_change(model::NodeGuid{guid});
      }
    }
    if (inbox_.take_weights()) repair.note_weights(engine_.weights());
    // Before anything is asked, as the answer may be there at once.
    inbox_.await_blocks(true);
    until = repair.step(now);
    inbox_.await_blocks(!repair.idle());
    if (repair.idle()) journal_.flush();
  }
}

}  // namespace heddle::plugin
