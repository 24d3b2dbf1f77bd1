#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

/// Big-endian fields at fixed places. Offsets are in bytes from the start of the span and are
/// constants of the caller, inside the span.
namespace heddle::mad::wire {

template <std::unsigned_integral T>
[[nodiscard]] constexpr T load(std::span<const std::uint8_t> bytes, std::size_t offset) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = value << 8 | bytes[offset + i];
  return static_cast<T>(value);
}

template <std::unsigned_integral T>
constexpr void store(std::span<std::uint8_t> bytes, std::size_t offset, T value) noexcept {
  std::uint64_t rest = value;
  for (std::size_t i = sizeof(T); i-- > 0; rest >>= 8) {
    bytes[offset + i] = static_cast<std::uint8_t>(rest);
  }
}

/// Stores `value`, or the greatest that T holds: how a device's counter sticks.
template <std::unsigned_integral T>
constexpr void store_clipped(std::span<std::uint8_t> bytes, std::size_t offset,
                             std::uint64_t value) noexcept {
  store<T>(bytes, offset, static_cast<T>(std::min<std::uint64_t>(value, static_cast<T>(-1))));
}

/// Where a field inside one byte stands: `shift` counts from the least significant bit.
struct Bits {
  std::size_t offset;
  unsigned shift;
  unsigned width;
};

[[nodiscard]] constexpr std::uint8_t load(std::span<const std::uint8_t> bytes,
                                          Bits field) noexcept {
  return static_cast<std::uint8_t>((static_cast<unsigned>(bytes[field.offset]) >> field.shift) &
                                   ((1U << field.width) - 1U));
}

/// Bits of `value` past the field's width are dropped; the rest of the byte stays.
constexpr void store(std::span<std::uint8_t> bytes, Bits field, std::uint8_t value) noexcept {
  const unsigned mask = ((1U << field.width) - 1U) << field.shift;
  const unsigned placed = (static_cast<unsigned>(value) << field.shift) & mask;
  bytes[field.offset] = static_cast<std::uint8_t>((bytes[field.offset] & ~mask) | placed);
}

}  // namespace heddle::mad::wire
