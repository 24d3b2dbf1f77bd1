#include "routing/recognition/tree_levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace heddle::routing::recognition {
namespace {

using Level = std::uint8_t;

/// More than any fabric has; bounds the rounds on graphs that are no trees.
constexpr Level kMaxLevels = 16;
constexpr std::uint64_t kScale = 1U << 16U;
constexpr int kMaxPasses = 8;

/// Neighbours of a switch by level.
using Census = std::array<std::uint32_t, kMaxLevels + 2>;
Census census_of(const Net& net, const Levels& levels, Vertex v) {
  Census census{};
  for (const Bundle& b : net.bundles(v)) {
    if (levels[b.to]) ++census[*levels[b.to]];
  }
  return census;
}

class TreeRanker {
 public:
  TreeRanker(const Net& net, const Base& base)
      : net_(net), base_(base), levels_(net.size()), bare_(net.size(), 0), shared_(net.size(), 0) {
    for (Vertex v = 0; v < net.size(); ++v) {
      if (base.leaf[v] != 0)
        levels_[v] = Level{0};
      else if (base.upper[v] != 0)
        levels_[v] = Level{1};
    }
  }

  Levels run() && {
    rank_second();
    // What one neighbour holds says little of itself, and waits until the others have spoken.
    while (rank_next(2) || rank_next(1)) {
    }
    settle_by_majority();
    return std::move(levels_);
  }

 private:
  /// Switches above the uppers. Those that stand above them only by a swapped cable wait.
  void rank_second() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shares;
    std::vector<std::uint64_t> share(net_.size(), 0);
    bool something_above = false;
    for (Vertex v = 0; v < net_.size(); ++v) {
      if (levels_[v]) continue;
      const std::uint32_t below = census_of(net_, levels_, v)[1];
      if (below == 0) continue;
      share[v] = kScale * below / net_.degree(v);
      shares.emplace_back(share[v], below);
      something_above = something_above || below < net_.degree(v) || reaches_two_pods(v);
    }
    const std::uint64_t typical = weighted_median(std::move(shares));
    for (Vertex v = 0; v < net_.size(); ++v) {
      // Where nothing leads beyond one pod there is no root, and what a single cable holds is a
      // leaf without hosts.
      if (2 * share[v] > typical) levels_[v] = something_above ? Level{2} : Level{0};
    }
  }

  bool reaches_two_pods(Vertex v) const {
    std::optional<std::uint32_t> seen;
    for (const Bundle& b : net_.bundles(v)) {
      if (base_.upper[b.to] == 0 || !base_.pod[b.to]) continue;
      if (seen && *seen != *base_.pod[b.to]) return true;
      seen = base_.pod[b.to];
    }
    return false;
  }

  /// Ranks what is next to so many ranked switches of one level; false if there is nothing.
  bool rank_next(std::uint32_t least) {
    std::vector<std::pair<Vertex, Level>> ranked;
    std::vector<Vertex> bare;
    for (Vertex v = 0; v < net_.size(); ++v) {
      if (levels_[v]) continue;
      const Census census = census_of(net_, levels_, v);
      const auto most = std::ranges::max_element(census);
      if (*most < least) continue;
      const auto level = static_cast<Level>(most - census.begin());
      if (level > 0 && stands_below(v, level)) {
        ranked.emplace_back(v, static_cast<Level>(level - 1));
        bare.push_back(v);
      } else {
        ranked.emplace_back(v, std::min<Level>(static_cast<Level>(level + 1), kMaxLevels));
      }
    }
    for (const auto& [v, level] : ranked) levels_[v] = level;
    for (const Vertex v : bare) bare_[v] = 1;
    return !ranked.empty();
  }

  /// Whether an unranked switch next to `level` is one lower, in a pod that has no host: more than
  /// half of its neighbours there are also those of one switch that is, or are such themselves, or
  /// there is but one and nothing is known to stand higher.
  bool stands_below(Vertex v, Level level) {
    std::uint32_t neighbours = 0;
    std::uint32_t bare = 0;
    std::uint32_t most = 0;
    std::vector<Vertex> touched;
    for (const Bundle& b : net_.bundles(v)) {
      if (levels_[b.to] != level) continue;
      ++neighbours;
      bare += bare_[b.to];
      for (const Bundle& sibling : net_.bundles(b.to)) {
        if (levels_[sibling.to] != Level(level - 1)) continue;
        if (shared_[sibling.to]++ == 0) touched.push_back(sibling.to);
        most = std::max(most, shared_[sibling.to]);
      }
    }
    for (const Vertex sibling : touched) shared_[sibling] = 0;
    if (neighbours == 1) {
      return std::ranges::none_of(levels_, [&](const auto& l) { return l && *l > level; });
    }
    return 2 * most > neighbours || 2 * bare > neighbours;
  }

  /// Moves single switches to the level that most of their cables fit, except leaves. Never by two
  /// levels: one switch below and the rest above fit both, and stands_below() has told which.
  void settle_by_majority() {
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      bool moved = false;
      for (Vertex v = 0; v < net_.size(); ++v) {
        if (!levels_[v] || base_.leaf[v] != 0) continue;
        const Census census = census_of(net_, levels_, v);
        const auto fitting = [&](Level l) {
          return census[l + 1U] + (l == 0 ? 0U : census[l - 1U]);
        };
        Level best = *levels_[v];
        for (Level l = kMaxLevels; l-- > 0;) {
          const bool other_side = (l + *levels_[v]) % 2 == 1;
          if (other_side && fitting(l) > fitting(best)) best = l;
        }
        if (best == *levels_[v]) continue;
        levels_[v] = best;
        moved = true;
      }
      if (!moved) return;
    }
  }

  const Net& net_;
  const Base& base_;
  Levels levels_;
  std::vector<std::uint8_t> bare_;     ///< by vertex: ranked as part of a pod without hosts
  std::vector<std::uint32_t> shared_;  ///< scratch, 0 between calls
};

}  // namespace

Levels rank_tree(const Net& net, const Base& base) { return TreeRanker(net, base).run(); }

Levels rank_from_roots(const Net& net, std::span<const Vertex> roots) {
  constexpr std::uint32_t kFar = ~std::uint32_t{0};
  std::vector<std::uint32_t> distance(net.size(), kFar);
  std::vector<Vertex> queue(roots.begin(), roots.end());
  for (const Vertex v : roots) distance[v] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Bundle& b : net.bundles(queue[i])) {
      if (distance[b.to] != kFar) continue;
      distance[b.to] = distance[queue[i]] + 1;
      queue.push_back(b.to);
    }
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> samples;
  for (Vertex v = 0; v < net.size(); ++v) samples.emplace_back(distance[v], net.hosts(v));
  const std::uint64_t top = std::min<std::uint64_t>(weighted_median(samples), kMaxLevels);
  Levels levels(net.size());
  for (Vertex v = 0; v < net.size(); ++v) {
    levels[v] = static_cast<Level>(top - std::min<std::uint64_t>(top, distance[v]));
  }
  return levels;
}

TreeFit fit_of(const Net& net, const Levels& levels) {
  TreeFit fit;
  std::vector<Vertex> order;
  std::vector<std::uint32_t> leaf_number(net.size(), 0);
  std::uint32_t leaves = 0;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (!levels[v]) continue;
    order.push_back(v);
    if (levels[v] == Level{0}) leaf_number[v] = leaves++;
  }
  std::ranges::stable_sort(order, {}, [&](Vertex v) { return *levels[v]; });
  const std::size_t words = (leaves + 63U) / 64U;
  std::vector<std::uint64_t> set(net.size() * words, 0);
  const auto merge = [&](Vertex into, Vertex from) {
    for (std::size_t w = 0; w < words; ++w) set[into * words + w] |= set[from * words + w];
  };
  // Leaves below each switch, upwards; then what is below any switch above, downwards.
  for (const Vertex v : order) {
    if (levels[v] == Level{0}) {
      set[v * words + leaf_number[v] / 64U] |= std::uint64_t{1} << (leaf_number[v] % 64U);
    }
    for (const Bundle& b : net.bundles(v)) {
      fit.cables += b.cables;
      if (!levels[b.to]) continue;
      if (*levels[b.to] + 1 == *levels[v]) merge(v, b.to);
      if (*levels[b.to] + 1 == *levels[v] || *levels[v] + 1 == *levels[b.to]) {
        fit.cables_fitting += b.cables;
      }
    }
  }
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (const Bundle& b : net.bundles(*v)) {
      if (levels[b.to] && *levels[*v] + 1 == *levels[b.to]) merge(*v, b.to);
    }
    if (levels[*v] != Level{0}) continue;
    for (std::size_t w = 0; w < words; ++w) {
      fit.leaf_pairs_joined += static_cast<std::uint64_t>(std::popcount(set[*v * words + w]));
    }
  }
  fit.leaf_pairs = std::uint64_t{leaves} * leaves;
  return fit;
}

}  // namespace heddle::routing::recognition
