#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "exporter/routing_status.hpp"
#include "model/fabric.hpp"

namespace heddle::daemon {

/// When cables went down and came back, from whoever sees it first: OpenSM's plugin or a sweep of
/// heddled's own. All methods from any thread.
class LinkLedger {
 public:
  using Time = std::chrono::system_clock::time_point;
  struct Sight {
    model::PortKey a;
    model::PortKey b;
    bool up = false;
    Time at;     ///< when it became so
    Time since;  ///< when the look began: what it saw may have changed after that
  };

  /// Whether this is news: not if the cable is known to be so, nor if what is known is younger
  /// than the look.
  bool observe(const Sight& sight);

  /// Of cables that have gone down at least once, by end.
  [[nodiscard]] std::vector<exporter::LinkHistory> histories(Time now) const;

 private:
  using Cable = std::pair<model::PortKey, model::PortKey>;
  struct Entry {
    bool up = true;
    Time changed;
    std::uint64_t flaps = 0;
    std::chrono::milliseconds down{};  ///< without the time that goes on
  };

  mutable std::mutex mutex_;
  std::map<Cable, Entry> cables_;  ///< that were seen to change; guarded by mutex_
};

}  // namespace heddle::daemon
