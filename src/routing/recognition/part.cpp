#include "routing/recognition/part.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "routing/recognition/dense_groups.hpp"
#include "routing/recognition/leaves.hpp"

namespace heddle::routing::recognition {
namespace {

using Groups = std::vector<std::optional<std::uint32_t>>;

/// Cables less one to the nearest switch with hosts.
Levels levels_by_distance(const Net& net, const std::vector<std::uint8_t>& populated) {
  Levels levels(net.size());
  std::vector<Vertex> queue;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (populated[v] == 0) continue;
    levels[v] = std::uint8_t{0};
    queue.push_back(v);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Bundle& b : net.bundles(queue[i])) {
      if (levels[b.to]) continue;
      levels[b.to] = static_cast<std::uint8_t>(std::min(*levels[queue[i]] + 1, 255));
      queue.push_back(b.to);
    }
  }
  return levels;
}

/// Whether the uppers are spines of groups that are joined with each other directly: most of them
/// have cables to uppers of other groups, and these outweigh cables to anything above.
bool spines_joined(const Net& net, const Base& base) {
  if (base.pods < 2) return false;
  std::size_t uppers = 0;
  std::size_t joined = 0;
  std::size_t down = 0;
  std::size_t across = 0;
  std::size_t onwards = 0;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (base.upper[v] == 0) continue;
    std::size_t own_across = 0;
    for (const Bundle& b : net.bundles(v)) {
      if (base.leaf[b.to] != 0) {
        ++down;
      } else if (base.upper[b.to] == 0) {
        ++onwards;
      } else if (base.pod[b.to] != base.pod[v]) {
        ++own_across;
      }
    }
    ++uppers;
    joined += own_across != 0 ? 1U : 0U;
    across += own_across;
  }
  // Two groups of one spine are two stars joined by a cable.
  if (base.pods == 2 && uppers == 2) return false;
  // Each neighbourhood across was counted from both sides.
  return 2 * joined >= uppers && across > 2 * onwards && 10 * across >= down;
}

Part dragonfly_plus(const Net& net, std::vector<Vertex> members, const Base& base) {
  Part part{
      .members = std::move(members), .shape = Shape::kDragonflyPlus, .levels = {}, .pods = {}};
  part.levels.resize(net.size());
  Groups group = base.pod;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (base.leaf[v] != 0 || base.upper[v] != 0) {
      part.levels[v] = base.leaf[v] != 0 ? std::uint8_t{0} : std::uint8_t{1};
      continue;
    }
    // Faults left it with few neighbours. Next to leaves it is a spine of most of them; next to
    // spines of one group a leaf of it, of several another spine.
    std::map<std::uint32_t, std::uint32_t> leaves;
    std::map<std::uint32_t, std::uint32_t> spines;
    for (const Bundle& b : net.bundles(v)) {
      if (base.pod[b.to]) ++(base.leaf[b.to] != 0 ? leaves : spines)[*base.pod[b.to]];
    }
    const bool is_leaf = leaves.empty() && spines.size() == 1;
    part.levels[v] = is_leaf ? std::uint8_t{0} : std::uint8_t{1};
    if (is_leaf) {
      group[v] = spines.begin()->first;
    } else if (!leaves.empty()) {
      group[v] = std::ranges::max_element(leaves, {}, [](auto& x) { return x.second; })->first;
    }
  }
  part.pods.push_back(std::move(group));
  return part;
}

Part irregular(const Net& net, std::vector<Vertex> members,
               const std::vector<std::uint8_t>& populated) {
  return {.members = std::move(members),
          .shape = Shape::kIrregular,
          .levels = levels_by_distance(net, populated),
          .pods = {}};
}

/// Gives each switch of `wanted` that is in no group the one to which most of its cables lead, as
/// far as that is decided, again and again until nothing is added.
void complete(const Net& net, const std::vector<std::uint8_t>& wanted, Groups& group) {
  for (bool added = true; added;) {
    added = false;
    for (Vertex v = 0; v < net.size(); ++v) {
      if (group[v] || wanted[v] == 0) continue;
      std::map<std::uint32_t, std::uint32_t> cables;
      for (const Bundle& b : net.bundles(v)) {
        if (group[b.to]) cables[*group[b.to]] += b.cables;
      }
      if (cables.empty()) continue;
      group[v] = std::ranges::max_element(cables, {}, [](auto& x) { return x.second; })->first;
      added = true;
    }
  }
}

}  // namespace

Part recognise_part(const Net& net, std::vector<Vertex> members) {
  std::vector<std::uint8_t> populated = well_populated(net);
  if (net.size() == 1) {
    Part part{
        .members = std::move(members), .shape = Shape::kSingleSwitch, .levels = {}, .pods = {}};
    part.levels.emplace_back(populated[0] != 0 ? std::optional(std::uint8_t{0}) : std::nullopt);
    return part;
  }
  if (std::ranges::count(populated, 1) == 0) return irregular(net, std::move(members), populated);
  if (hosts_everywhere(net, populated)) {
    const auto groups = find_dense_groups(net);
    if (!groups) return irregular(net, std::move(members), populated);
    return {.members = std::move(members),
            .shape = Shape::kDragonfly,
            .levels = Levels(net.size(), std::uint8_t{0}),
            .pods = {Groups(groups->begin(), groups->end())}};
  }
  const Base base = find_base(net, populated);
  if (spines_joined(net, base)) return dragonfly_plus(net, std::move(members), base);
  Levels levels = rank_tree(net, base);
  if (!fit_of(net, levels).good()) return irregular(net, std::move(members), populated);
  NestedPods pods = nested_pods(net, levels);
  return {.members = std::move(members),
          .shape = Shape::kFatTree,
          .levels = std::move(levels),
          .pods = std::move(pods)};
}

Part tree_below(const Net& net, std::vector<Vertex> members, std::span<const Vertex> roots) {
  Levels levels = rank_from_roots(net, roots);
  NestedPods pods = nested_pods(net, levels);
  return {.members = std::move(members),
          .shape = Shape::kFatTree,
          .levels = std::move(levels),
          .pods = std::move(pods)};
}

Part grouped_as(const Net& net, std::vector<Vertex> members, Groups group) {
  Part part = recognise_part(net, std::move(members));
  const bool joined_above = part.shape == Shape::kFatTree && part.pods.size() == 1;
  if (joined_above) {
    std::vector<std::uint8_t> below(net.size(), 0);
    for (Vertex v = 0; v < net.size(); ++v) {
      below[v] = part.levels[v] && *part.levels[v] < 2 ? 1 : 0;
      if (below[v] == 0) group[v].reset();
    }
    complete(net, below, group);
  } else {
    complete(net, std::vector<std::uint8_t>(net.size(), 1), group);
    std::vector<std::uint8_t> populated = well_populated(net);
    const bool everywhere = hosts_everywhere(net, populated);
    part.shape = everywhere ? Shape::kDragonfly : Shape::kDragonflyPlus;
    part.levels =
        everywhere ? Levels(net.size(), std::uint8_t{0}) : levels_by_distance(net, populated);
  }
  part.pods = {std::move(group)};
  return part;
}

}  // namespace heddle::routing::recognition
