#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"

namespace heddle::model {

/// Every counter that is read, by what it counts, whatever attribute and width it came from. Names
/// follow the performance management chapter (InfiniBand Architecture Specification, volume
/// 1, 16.1.3-16.1.4).
enum class Counter : std::uint8_t {
  // PortCountersExtended (or PortCounters on devices without it)
  kXmitData,  ///< words of 4 octets
  kRcvData,   ///< words of 4 octets
  kXmitPkts,
  kRcvPkts,
  kUnicastXmitPkts,
  kUnicastRcvPkts,
  kMulticastXmitPkts,
  kMulticastRcvPkts,
  // PortCounters, or 64 bits wide in PortCountersExtended where the additional set is supported
  kSymbolErrors,
  kLinkErrorRecovery,
  kLinkDowned,
  kRcvErrors,
  kRcvRemotePhysicalErrors,
  kRcvSwitchRelayErrors,
  kXmitDiscards,
  kXmitConstraintErrors,
  kRcvConstraintErrors,
  kLocalLinkIntegrityErrors,
  kExcessiveBufferOverruns,
  kVl15Dropped,
  kXmitWait,  ///< ticks; see PortTotals::wait_tick
  kQp1Dropped,
  // PortRcvErrorDetails
  kLocalPhysicalErrors,
  kMalformedPackets,
  kBufferOverruns,
  kDlidMappingErrors,
  kVlMappingErrors,
  kLoopingErrors,
  // PortXmitDiscardDetails
  kInactiveDiscards,
  kNeighborMtuDiscards,
  kSwLifetimeDiscards,
  kSwHoqLifetimeDiscards,
};
inline constexpr std::size_t kCounterCount = 32;
[[nodiscard]] std::string_view to_string(
    Counter counter) noexcept;  ///< `xmit_data`, `symbol_errors`, …
/// Whether the counter counts words of four octets (Words32) and not packets, events or ticks.
[[nodiscard]] constexpr bool counts_words(Counter counter) noexcept {
  return counter == Counter::kXmitData || counter == Counter::kRcvData;
}

/// What is read together, and so has one time.
enum class CounterGroup : std::uint8_t { kData, kErrors, kRcvErrorDetails, kXmitDiscardDetails };
inline constexpr std::size_t kCounterGroupCount = 4;
[[nodiscard]] std::string_view to_string(CounterGroup group) noexcept;
[[nodiscard]] CounterGroup group_of(Counter counter) noexcept;

/// One value as the device gave it. All PMA counters stick at all ones (2^width - 1), none wraps.
struct CounterReading {
  Counter counter;
  std::uint8_t width_bits;
  std::uint64_t raw;
  [[nodiscard]] constexpr bool saturated() const noexcept {
    return raw == (width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1);
  }
};

/// One answered query: the readings of one port that share a moment.
struct CounterSample {
  PortKey port;
  std::chrono::steady_clock::time_point time;  ///< when the answer arrived
  /// The LID that was asked; whoever has it now has answered. Nothing for samples of other sources.
  std::optional<Lid> asked_at;
  std::uint8_t count = 0;
  std::array<CounterReading, 22> storage{};
  [[nodiscard]] std::span<const CounterReading> readings() const noexcept {
    return {storage.data(), count};
  }
  void add(Counter counter, std::uint8_t width_bits, std::uint64_t raw) noexcept {
    storage[count++] = {counter, width_bits, raw};
  }
};

/// Totals of one port as published: they start at what the device held when first read and never go
/// backwards while the daemon runs, whatever happens to the device's counters.
struct PortTotals {
  std::array<std::uint64_t, kCounterCount> value{};
  /// Bit per Counter: a value was read at least once.
  std::uint32_t known = 0;
  /// Bit per Counter: "at least": the device's counter stuck, or part of its course is known to be
  /// missing.
  std::uint32_t at_least = 0;
  /// When each group was last read.
  std::array<std::optional<std::chrono::steady_clock::time_point>, kCounterGroupCount> read_at{};
  std::uint32_t resets =
      0;  ///< times a counter was seen lower than before: cleared by others, or a reboot
  /// PortSamplesControl.Tick: XmitWait grows by one each (tick + 1) byte times of one lane.
  std::optional<std::uint8_t> wait_tick;

  [[nodiscard]] bool has(Counter c) const noexcept {
    return ((known >> static_cast<unsigned>(c)) & 1U) != 0;
  }
  [[nodiscard]] bool is_at_least(Counter c) const noexcept {
    return ((at_least >> static_cast<unsigned>(c)) & 1U) != 0;
  }
  [[nodiscard]] std::optional<std::uint64_t> get(Counter c) const noexcept {
    if (!has(c)) return std::nullopt;
    return value[static_cast<std::size_t>(c)];
  }
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> time_of(
      CounterGroup g) const noexcept {
    return read_at[static_cast<std::size_t>(g)];
  }
};

/// What `std::optional<float>` says in half the room: a history holds one for each port and frame.
class OptionalRate {
 public:
  constexpr OptionalRate() noexcept = default;
  explicit constexpr OptionalRate(float value) noexcept : value_(value) {}

  [[nodiscard]] constexpr std::optional<float> get() const noexcept {
    if (value_ < 0) return std::nullopt;
    return value_;
  }

 private:
  float value_ = -1;  ///< negative, as no rate is, where it is not known
};
static_assert(sizeof(OptionalRate) == sizeof(float));

/// Rates of one port between two readings of its data group.
struct PortRates {
  OptionalRate xmit_bytes_per_second;
  OptionalRate rcv_bytes_per_second;
  OptionalRate xmit_wait_ticks_per_second;
};

/// Counters of all ports of one Fabric at one publication, by PortIndex. A port that was never read
/// has `known == 0`.
struct CounterTable {
  std::shared_ptr<const Fabric> fabric;
  std::vector<PortTotals> ports;
  std::chrono::steady_clock::time_point published_at;
  std::chrono::system_clock::time_point
      published_at_wall;  ///< the same moment, to turn steady times into dates
};

/// Rates at one publication, kept for a short history.
struct RateFrame {
  std::shared_ptr<const Fabric> fabric;
  std::vector<PortRates> ports;  ///< by PortIndex of `fabric`
  std::chrono::system_clock::time_point time;
};

}  // namespace heddle::model
