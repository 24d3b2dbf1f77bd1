#pragma once

#include <cstdint>
#include <vector>

#include "routing/recognition/net.hpp"

namespace heddle::routing::recognition {

/// Improves groups (by vertex, numbered from 0) by moving single switches, or two of different
/// groups at once, as long as that gives more neighbours within groups, fewer cables beyond `usual`
/// between pairs of groups, and fewer members beyond `full`. For switches that faults and swapped
/// cables have left with about as many neighbours in other groups as in their own; all others stay.
/// The result is numbered in order of the first member.
[[nodiscard]] std::vector<std::uint32_t> refine_groups(const Net& net,
                                                       std::vector<std::uint32_t> group,
                                                       std::size_t full, std::uint32_t usual);

}  // namespace heddle::routing::recognition
