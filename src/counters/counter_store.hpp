#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "counters/arithmetic.hpp"
#include "model/counters.hpp"

namespace heddle::counters {

/// Totals of every port ever seen, carried across snapshots by identity. One writer.
class CounterStore {
 public:
  struct Stats {
    std::uint64_t samples = 0;
    std::uint64_t resets = 0;
    std::uint64_t implausible = 0;
    std::uint64_t late = 0;
  };

  /// Lays the store out for a new snapshot. Ports that are not in it are kept for `keep` after they
  /// were last read, so a node that comes back continues its totals.
  void adopt(std::shared_ptr<const model::Fabric> fabric, std::chrono::steady_clock::time_point now,
             std::chrono::seconds keep = std::chrono::hours{24});
  FoldOutcome apply(const model::CounterSample& sample);
  void set_wait_tick(model::PortKey port, std::uint8_t tick);

  /// A copy for publication, by PortIndex of the adopted fabric.
  [[nodiscard]] std::shared_ptr<const model::CounterTable> publish(
      std::chrono::steady_clock::time_point now, std::chrono::system_clock::time_point wall) const;
  /// Rates between the last two readings of each port's data group.
  [[nodiscard]] std::shared_ptr<const model::RateFrame> rates(
      std::chrono::system_clock::time_point wall) const;
  [[nodiscard]] const Stats& stats() const noexcept { return stats_; }

 private:
  struct Entry {
    model::PortTotals totals;
    PortBaseline baseline;
    model::PortRates rates;
    std::optional<model::BytesPerSecond> capacity;
  };
  struct Parked {
    model::PortKey key;
    Entry entry;
    std::chrono::steady_clock::time_point since;
  };
  std::shared_ptr<const model::Fabric> fabric_;
  std::vector<Entry> entries_;  ///< by PortIndex of fabric_
  std::vector<Parked> parked_;  ///< ordered by key
  Stats stats_;
};

}  // namespace heddle::counters
