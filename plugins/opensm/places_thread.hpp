#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "model/fabric.hpp"
#include "plugins/opensm/places_file.hpp"
#include "plugins/opensm/routing_run.hpp"

namespace heddle::plugin {

/// Keeps what the engine remembers in a file, so that it outlives OpenSM. A thread of its own makes
/// the text and writes it; it never holds OpenSM's lock, and nobody waits for it but the end.
class PlacesThread {
 public:
  /// A line for OpenSM's log. On the thread, and in the constructor.
  using Log = std::function<void(bool is_error, const std::string& line)>;
  /// After which a file that could not be written is tried again, if no run comes before.
  static constexpr std::chrono::milliseconds kRetry{60'000};

  /// Reads the file. One that is of no use is set aside, with a line that says why; if that cannot
  /// be, none is written in its place.
  PlacesThread(std::string path, Log log, std::chrono::milliseconds retry = kRetry);
  /// Ends the thread, which first writes what it was told.
  ~PlacesThread();
  PlacesThread(const PlacesThread&) = delete;
  PlacesThread& operator=(const PlacesThread&) = delete;

  /// What the file held when it was read; null for nothing. Once.
  [[nodiscard]] std::shared_ptr<const model::Fabric> take_recalled() noexcept {
    return std::exchange(recalled_, nullptr);
  }

  /// After each run that wrote tables, whose fabric the file is to hold. `refusal` says why what
  /// was recalled was not used, if so: it is then set aside. From any thread; takes no longer than
  /// a pointer does.
  void keep(std::shared_ptr<const RoutingRun> run, const std::string& refusal);

 private:
  void run() noexcept;
  void run_until_stopped();
  void take(std::shared_ptr<const RoutingRun> run, const std::string& refusal);
  void set_aside(const std::string& why);
  void write();
  void log_error(const std::string& text) const;

  const PlacesFile file_;
  const Log log_;
  const std::chrono::milliseconds retry_;
  std::shared_ptr<const model::Fabric> recalled_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const RoutingRun> next_;  ///< guarded by mutex_
  std::string refusal_;                     ///< guarded by mutex_
  bool stopping_ = false;                   ///< guarded by mutex_

  // Of the thread.
  std::shared_ptr<const model::Fabric> held_;  ///< what the file holds; null for nothing of use
  std::optional<model::Fabric> wanted_;        ///< what it is to hold, until it does
  bool may_write_ = true;
  bool failing_ = false;  ///< the last attempt to write did not succeed
  std::thread thread_;    ///< last: it uses all of the above
};

}  // namespace heddle::plugin
