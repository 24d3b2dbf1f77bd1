#pragma once

#include <cstdint>

/// Status of a MAD's answer (volume 1, 13.4.7), bits 2..4.
namespace heddle::simulation {

inline constexpr std::uint16_t kStatusGood = 0;
inline constexpr std::uint16_t kStatusBadVersion = 1U << 2;
/// The method is not supported for this attribute, or the attribute is not supported at all.
inline constexpr std::uint16_t kStatusUnsupported = 3U << 2;
/// A field of the attribute or its modifier has an invalid value.
inline constexpr std::uint16_t kStatusInvalidField = 7U << 2;

}  // namespace heddle::simulation
