#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/counters.hpp"
#include "model/units.hpp"

namespace heddle::counters {

/// What is remembered of one port's device counters to turn the next reading into a difference.
struct PortBaseline {
  std::array<std::uint64_t, model::kCounterCount> raw{};
  /// 0: not read yet. kForgotten: read, but the next reading cannot be compared with it.
  std::array<std::uint8_t, model::kCounterCount> width_bits{};

  static constexpr std::uint8_t kForgotten = 255;
  /// Makes the next reading of each counter a new baseline, as another width does.
  void forget() noexcept {
    for (std::uint8_t& width : width_bits) {
      if (width != 0) width = kForgotten;
    }
  }
};

/// What one sample did, for events and metrics.
struct FoldOutcome {
  bool reset = false;  ///< a counter was lower than before
  bool implausible =
      false;  ///< a data counter moved more than the link can carry: taken as a new baseline
  bool late = false;  ///< a group of the sample is not newer than what is held of it: ignored
};

/// Adds one sample to a port's totals. Rules, for PMA counters, which stick and never wrap:
/// - first reading of a counter: the total is what the device holds;
/// - higher or equal: the difference is added;
/// - lower: others cleared it or the device restarted; what it holds now is added. What was counted
///   between the last reading and the clearing is lost, also on counters of the same group that
///   were cleared with it and have already passed their old value. So the whole group, as far as
///   this sample holds it, is "at least" from here on;
/// - stuck at all ones: what was reached is added and the total is "at least" from here on;
/// - a wider or narrower source than before (another attribute): a new baseline, nothing added,
///   "at least";
/// - a data counter (words of four octets) that moved more than `capacity` (octets) allows in the
///   time since its group was last read, with 2 % and 1 s to spare: a new baseline, nothing added,
///   "at least". No capacity, no such check;
/// - a group read no later than what is held of it: that group of the sample is ignored, also at
///   the very same time, where nobody can tell which came first. The next reading makes up for it.
///
/// "At least" never clears while the daemon runs: what was missed once stays missed. Totals never
/// go backwards, and a total that would pass 2^64 - 1 stops there as "at least".
///
/// What cannot be seen: a reset after which every counter of the group reached its last value again
/// before the next reading. The totals then miss what was counted before the reset, unmarked. They
/// are never too high, as long as samples of one port and group come in the order in which the
/// device was asked or carry times that tell their order.
FoldOutcome fold(model::PortTotals& totals, PortBaseline& baseline,
                 const model::CounterSample& sample,
                 std::optional<model::BytesPerSecond> capacity) noexcept;

}  // namespace heddle::counters
