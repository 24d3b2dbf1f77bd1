#pragma once

#include <cstdint>

namespace heddle::routing {

/// What splitmix64 adds to its state at each step: 2^64 over the golden ratio.
inline constexpr std::uint64_t kGoldenStep = 0x9E3779B97F4A7C15ULL;

/// One step of splitmix64 from a state (Steele, Lea and Flood, OOPSLA 2014): every input bit
/// reaches every output bit.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += kGoldenStep;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

/// Weight of a candidate for a key; the key goes to the greatest (rendezvous hashing, Thaler and
/// Ravishankar, IEEE/ACM ToN 6(1), 1998). A candidate that leaves moves only its own keys, and
/// takes them back when it returns.
[[nodiscard]] constexpr std::uint64_t rendezvous_weight(std::uint64_t key,
                                                        std::uint64_t candidate) noexcept {
  return mixed(key ^ mixed(candidate));
}

}  // namespace heddle::routing
