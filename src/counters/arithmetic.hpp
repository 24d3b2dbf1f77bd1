#pragma once

#include <optional>

#include "model/counters.hpp"
#include "model/units.hpp"

namespace heddle::counters {

/// What is remembered of one port's device counters to turn the next reading into a difference.
struct PortBaseline {
  std::array<std::uint64_t, model::kCounterCount> raw{};
  std::array<std::uint8_t, model::kCounterCount> width_bits{};
};

/// What one sample did, for events and metrics.
struct FoldOutcome {
  bool reset = false;  ///< a counter was lower than before
  bool implausible =
      false;  ///< a data counter moved more than the link can carry: taken as a new baseline
  bool late = false;  ///< the sample is older than what is held: ignored
};

/// Adds one sample to a port's totals. Rules, for PMA counters, which stick and never wrap:
/// - first reading: the total is what the device holds;
/// - higher or equal: the difference is added;
/// - lower: others cleared it or the device restarted; what it holds now is added, and the total is
/// "at least" where
///   something in between may be lost;
/// - stuck at all ones: what was reached is added and the total is "at least" until the counter is
/// seen lower again and
///   thereafter too, since what happened meanwhile is not known;
/// - a wider or narrower source than before (another attribute): a new baseline;
/// - a data counter that moved more than `capacity` allows in the time since its last reading, with
/// 2 % and 1 s to
///   spare: a new baseline, nothing added, "at least".
/// Totals never go backwards.
FoldOutcome fold(model::PortTotals& totals, PortBaseline& baseline,
                 const model::CounterSample& sample,
                 std::optional<model::BytesPerSecond> capacity) noexcept;

}  // namespace heddle::counters
