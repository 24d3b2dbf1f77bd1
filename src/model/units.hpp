#pragma once

#include <compare>
#include <cstdint>

namespace heddle::model {

/// An amount of one unit: adds and compares with its own kind only.
template <class Unit>
class Quantity {
 public:
  constexpr Quantity() noexcept = default;
  explicit constexpr Quantity(std::uint64_t value) noexcept : value_(value) {}
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  constexpr auto operator<=>(const Quantity&) const noexcept = default;
  constexpr Quantity operator+(Quantity other) const noexcept {
    return Quantity(value_ + other.value_);
  }
  constexpr Quantity operator-(Quantity other) const noexcept {
    return Quantity(value_ - other.value_);
  }

 private:
  std::uint64_t value_ = 0;
};

/// Bits of a serial line each second.
using BitsPerSecond = Quantity<struct BitsPerSecondUnit>;
using Bytes = Quantity<struct BytesUnit>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit>;
/// InfiniBand data counters count words of four octets (PortCounters, PortCountersExtended).
using Words32 = Quantity<struct Words32Unit>;

/// The one place where words of data counters become bytes. Wraps past 2^62 words: 187 years at XDR
/// 4x.
[[nodiscard]] constexpr Bytes to_bytes(Words32 words) noexcept { return Bytes(words.value() * 4); }
[[nodiscard]] constexpr BytesPerSecond to_bytes_per_second(BitsPerSecond rate) noexcept {
  return BytesPerSecond(rate.value() / 8);
}

}  // namespace heddle::model
