#include "daemon/link_ledger.hpp"

#include <algorithm>

namespace heddle::daemon {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

bool LinkLedger::observe(const Sight& sight) {
  const Cable cable = std::minmax(sight.a, sight.b);
  const std::lock_guard lock(mutex_);
  const auto [it, first] = cables_.try_emplace(cable);
  Entry& entry = it->second;
  if (!first && (entry.up == sight.up || sight.since < entry.changed)) return false;
  if (sight.up) {
    // What comes for the first time has not been down.
    if (!first) {
      entry.down += duration_cast<milliseconds>(std::max(sight.at, entry.changed) - entry.changed);
    }
  } else {
    ++entry.flaps;
  }
  entry.up = sight.up;
  entry.changed = sight.at;
  return true;
}

std::vector<exporter::LinkHistory> LinkLedger::histories(Time now) const {
  std::vector<exporter::LinkHistory> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [cable, entry] : cables_) {
    if (entry.flaps == 0) continue;
    exporter::LinkHistory history{cable.first, cable.second, entry.flaps, entry.down, std::nullopt};
    if (!entry.up) {
      history.down_since = entry.changed;
      history.down += duration_cast<milliseconds>(std::max(now, entry.changed) - entry.changed);
    }
    result.push_back(history);
  }
  return result;
}

}  // namespace heddle::daemon
