#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "plugins/opensm/bridge.h"
#include "plugins/opensm/engine.hpp"
#include "plugins/opensm/options.hpp"
#include "plugins/opensm/repair_inbox.hpp"
#include "plugins/opensm/repair_journal.hpp"

namespace heddle::plugin {

/// The thread that repairs between sweeps; it alone runs FastRepair.
class RepairThread {
 public:
  /// `engine` and `requests` outlive it.
  RepairThread(const Options& options, const Engine& engine, const heddle_requests& requests,
               RepairJournal journal);
  ~RepairThread();
  RepairThread(const RepairThread&) = delete;
  RepairThread& operator=(const RepairThread&) = delete;

  // From any thread, without waiting.
  [[nodiscard]] RepairInbox& inbox() noexcept { return inbox_; }
  /// A heavy sweep begins; its tables are written. If the engine has not run in between, they come
  /// from OpenSM's unicast cache.
  void sweep_begins() noexcept;
  void tables_written() noexcept;
  /// The engine's run whose tables were written last.
  [[nodiscard]] std::uint64_t written_run() const noexcept { return written_run_.load(); }

 private:
  void run() noexcept;
  void run_until_stopped();
  [[nodiscard]] RepairMode mode() const;
  void log(const std::string& line, bool is_error) const;

  const Options options_;
  const Engine& engine_;
  const heddle_requests& requests_;
  RepairJournal journal_;
  RepairInbox inbox_;
  std::atomic<std::uint64_t> runs_at_sweep_{0};
  std::atomic<std::uint64_t> written_run_{0};
  std::thread thread_;
};

}  // namespace heddle::plugin
