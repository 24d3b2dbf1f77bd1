#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "routing/graph.hpp"

/// What is wrong with a fabric of a series.
namespace heddle::bench {

struct Breakage {
  enum class Kind : std::uint8_t {
    kNone,
    kCables,    ///< a share of the cables between switches is away
    kSwitches,  ///< a share of the switches is away, with all that hangs on them
    kHosts,     ///< a share of the hosts is away: a partly populated fabric
    kSwaps,     ///< pairs of cables between the same two levels are each where the other should be
    kCrossed,   ///< pairs of cables between switches have traded any ends
  };
  Kind kind = Kind::kNone;
  std::uint32_t amount = 0;  ///< of a thousand, rounded, at least one; of traded cables the pairs
};

/// `none`, `cables:PERMILLE`, `switches:PERMILLE`, `hosts:PERMILLE`, `swaps:PAIRS` or
/// `crossed:PAIRS`; ends the program on anything else.
[[nodiscard]] Breakage parse_breakage(std::string_view text);

/// What is left of `whole`, drawn by `seed`. LIDs stay.
[[nodiscard]] model::Fabric broken(const model::Fabric& whole, const routing::Graph& graph,
                                   const Breakage& breakage, std::uint64_t seed);

}  // namespace heddle::bench
