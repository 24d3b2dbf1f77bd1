#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/recognition/net.hpp"

namespace heddle::routing::recognition {

/// By vertex: switches that carry at least a quarter of the hosts that a switch with hosts
/// typically carries (the median over hosts). Fewer hosts, as an I/O node on a spine or a rack that
/// is being filled, say nothing about a level. All 0 where there is no host.
[[nodiscard]] std::vector<std::uint8_t> well_populated(const Net& net);

/// Whether switches with hosts are mostly each other's neighbours (dragonflies, tori), unlike in
/// trees. `populated` loses the switches that a tree can have among its spines: where the graph is
/// one of two sides, the side with at most half as many hosts a switch.
[[nodiscard]] bool hosts_everywhere(const Net& net, std::vector<std::uint8_t>& populated);

/// The two lowest levels of a tree, as far as hosts tell them.
struct Base {
  std::vector<std::uint8_t> leaf;   ///< by vertex; also of leaves without hosts
  std::vector<std::uint8_t> upper;  ///< by vertex: stands right above leaves
  /// By vertex, of leaves and uppers: what hangs together below the next level.
  std::vector<std::optional<std::uint32_t>> pod;
  std::uint32_t pods = 0;
};
[[nodiscard]] Base find_base(const Net& net, std::vector<std::uint8_t> populated);

/// The value below or at which half of the weight lies; 0 without any. Pairs are (value, weight).
[[nodiscard]] std::uint64_t weighted_median(
    std::vector<std::pair<std::uint64_t, std::uint64_t>> samples);

}  // namespace heddle::routing::recognition
