#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/recognition/leaves.hpp"
#include "routing/recognition/net.hpp"

namespace heddle::routing::recognition {

/// By vertex; nothing where no level can be said.
using Levels = std::vector<std::optional<std::uint8_t>>;

/// Ranks a tree from its leaves upwards. Every step goes by the majority of a switch's cables, so
/// that a swapped cable moves no level, and tells "one level higher" from "one lower, without
/// hosts" by whose neighbours a switch shares.
[[nodiscard]] Levels rank_tree(const Net& net, const Base& base);

/// Ranks from given roots downwards: the distance from the nearest root, counted from the distance
/// at which most hosts hang.
[[nodiscard]] Levels rank_from_roots(const Net& net, std::span<const Vertex> roots);

/// How well levels explain the cables of a net.
struct TreeFit {
  std::uint64_t cables_fitting = 0;  ///< between neighbouring levels
  std::uint64_t cables = 0;
  std::uint64_t leaf_pairs_joined = 0;  ///< ordered pairs that have a switch above both
  std::uint64_t leaf_pairs = 0;
  /// Three quarters of both, which leaves room for many faults and none for a ring.
  [[nodiscard]] bool good() const noexcept {
    return 4 * cables_fitting >= 3 * cables && 4 * leaf_pairs_joined >= 3 * leaf_pairs;
  }
};
[[nodiscard]] TreeFit fit_of(const Net& net, const Levels& levels);

/// What hangs together below each level, smallest first: entry k - 1 holds, by vertex, the pod of
/// all switches up to level k, for k from 1 to the last level but one. Pods of an entry are
/// numbered from 0.
using NestedPods = std::vector<std::vector<std::optional<std::uint32_t>>>;
[[nodiscard]] NestedPods nested_pods(const Net& net, const Levels& levels);

}  // namespace heddle::routing::recognition
