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
    std::uint64_t unknown_ports = 0;  ///< samples and ticks of ports that the fabric does not have
  };

  /// Lays the store out for a new snapshot. A port whose management LID is another than before
  /// forgets its baseline: its last readings may already have come from whoever has the old LID
  /// now. What was folded between the change and this call stays in the totals; where it looked
  /// implausible or lower, fold() has marked it. Ports that are not in it are kept for `keep` after
  /// they were last read, so a node that comes back continues its totals. Linear in ports; cheap
  /// where nodes and port counts are those of before.
  void adopt(std::shared_ptr<const model::Fabric> fabric, std::chrono::steady_clock::time_point now,
             std::chrono::seconds keep = std::chrono::hours{24});
  /// Folds one sample; one that was asked at another LID than the port has now is late: ignored.
  /// What a link can carry is its data rate, the higher one where the rate has
  /// changed since its last reading; where the rate is not known there is no such limit.
  FoldOutcome apply(const model::CounterSample& sample);
  void set_wait_tick(model::PortKey port, std::uint8_t tick);

  /// A copy for publication, by PortIndex of the adopted fabric.
  [[nodiscard]] std::shared_ptr<const model::CounterTable> publish(
      std::chrono::steady_clock::time_point now, std::chrono::system_clock::time_point wall) const;
  /// Rates between the last two readings of each port's data group, and of XmitWait between those
  /// of the group it came in. Not known: before the second reading, across a reset, an implausible
  /// step or a change of width, from a counter that is stuck, and where the last reading is older
  /// than `oldest` (so that a port that is no longer read does not repeat its last rate for ever).
  [[nodiscard]] std::shared_ptr<const model::RateFrame> rates(
      std::chrono::system_clock::time_point wall,
      std::chrono::steady_clock::time_point oldest = {}) const;
  [[nodiscard]] const Stats& stats() const noexcept { return stats_; }
  /// Ports that are kept though the fabric does not have them.
  [[nodiscard]] std::size_t parked() const noexcept { return parked_.size(); }

 private:
  /// What fold() needs between two samples, apart from the totals.
  struct Course {
    PortBaseline baseline;
    /// The most that the link could carry at any time since its data were last read.
    std::optional<model::BytesPerSecond> capacity;
    std::optional<model::Lid> lid;  ///< the last one known of its agent
  };
  struct Parked {
    model::PortKey key;
    model::PortTotals totals;
    Course course;
  };

  void adopt_same_layout(const model::Fabric& fabric);
  void adopt_new_layout(const model::Fabric& fabric);
  void follow_lids(const model::Fabric& fabric);
  void expire(std::chrono::steady_clock::time_point oldest);

  std::shared_ptr<const model::Fabric> fabric_;
  // By PortIndex of fabric_; apart from each other so that publication is one copy.
  std::vector<model::PortTotals> totals_;
  std::vector<Course> courses_;
  std::vector<model::PortRates> rates_;
  std::vector<Parked> parked_;  ///< ordered by key
  Stats stats_;
};

}  // namespace heddle::counters
