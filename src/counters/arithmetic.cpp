#include "counters/arithmetic.hpp"

#include <limits>

namespace heddle::counters {
namespace {

using model::Counter;
using model::CounterReading;
using model::CounterSample;

constexpr std::size_t index_of(Counter counter) noexcept {
  return static_cast<std::size_t>(counter);
}
std::size_t group_index(Counter counter) noexcept {
  return static_cast<std::size_t>(model::group_of(counter));
}

struct GroupFacts {
  bool present = false;
  bool lower = false;  ///< a counter fell
  bool late = false;
};
using Groups = std::array<GroupFacts, model::kCounterGroupCount>;

Groups look(const model::PortTotals& totals, const PortBaseline& baseline,
            const CounterSample& sample) noexcept {
  Groups groups;
  for (const CounterReading& reading : sample.readings()) {
    const std::size_t i = index_of(reading.counter);
    GroupFacts& group = groups[group_index(reading.counter)];
    group.present = true;
    if (baseline.width_bits[i] == reading.width_bits && reading.raw < baseline.raw[i]) {
      group.lower = true;
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    GroupFacts& group = groups[g];
    group.late = group.present && totals.read_at[g] && sample.time <= *totals.read_at[g];
  }
  return groups;
}

/// The most words that a link carries in `elapsed`, with 2 % for clocks that differ and 1 s for
/// answers that were under way for different times. Compared in words: a garbled reading in octets
/// may pass 2^64.
double words_possible(model::BytesPerSecond capacity,
                      std::chrono::steady_clock::duration elapsed) noexcept {
  constexpr double kOctetsPerWord{model::to_bytes(model::Words32{1}).value()};
  const double seconds = std::chrono::duration<double>(elapsed).count() + 1.0;
  return static_cast<double>(capacity.value()) / kOctetsPerWord * seconds * 1.02;
}

}  // namespace

FoldOutcome fold(model::PortTotals& totals, PortBaseline& baseline, const CounterSample& sample,
                 std::optional<model::BytesPerSecond> capacity) noexcept {
  const Groups groups = look(totals, baseline, sample);
  FoldOutcome outcome;

  for (const CounterReading& reading : sample.readings()) {
    const std::size_t i = index_of(reading.counter);
    const std::size_t g = group_index(reading.counter);
    if (groups[g].late) continue;

    std::uint64_t added = 0;
    bool missed = reading.saturated() || groups[g].lower;
    if (baseline.width_bits[i] == 0) {
      added = reading.raw;
    } else if (baseline.width_bits[i] != reading.width_bits) {
      missed = true;
    } else {
      added = reading.raw < baseline.raw[i] ? reading.raw : reading.raw - baseline.raw[i];
      if (counts_words(reading.counter) && capacity && totals.read_at[g] &&
          static_cast<double>(added) >
              words_possible(*capacity, sample.time - *totals.read_at[g])) {
        added = 0;
        missed = true;
        outcome.implausible = true;
      }
    }

    std::uint64_t& total = totals.value[i];
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - total;
    if (added > room) {
      added = room;
      missed = true;
    }
    total += added;
    const std::uint32_t bit = std::uint32_t{1} << i;
    totals.known |= bit;
    if (missed) totals.at_least |= bit;
    baseline.raw[i] = reading.raw;
    baseline.width_bits[i] = reading.width_bits;
  }

  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].late) {
      outcome.late = true;
    } else if (groups[g].present) {
      totals.read_at[g] = sample.time;
      outcome.reset = outcome.reset || groups[g].lower;
    }
  }
  if (outcome.reset) ++totals.resets;
  return outcome;
}

}  // namespace heddle::counters
