#include "routing/recognition/dense_groups.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "routing/recognition/group_search.hpp"
#include "routing/recognition/leaves.hpp"

namespace heddle::routing::recognition {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct Edge {
  std::uint32_t triangles;
  Vertex a;
  Vertex b;
};

/// Neighbourhoods with the number of common neighbours of their ends, most first.
std::vector<Edge> edges_by_triangles(const Net& net) {
  std::vector<Edge> edges;
  for (Vertex a = 0; a < net.size(); ++a) {
    for (const Bundle& to : net.bundles(a)) {
      if (to.to < a) continue;
      const auto of_a = net.bundles(a);
      const auto of_b = net.bundles(to.to);
      std::uint32_t common = 0;
      for (auto i = of_a.begin(), j = of_b.begin(); i != of_a.end() && j != of_b.end();) {
        if (i->to < j->to) {
          ++i;
        } else if (j->to < i->to) {
          ++j;
        } else {
          ++common, ++i, ++j;
        }
      }
      edges.push_back({common, a, to.to});
    }
  }
  std::ranges::sort(edges, [](const Edge& x, const Edge& y) {
    return std::tuple(y.triangles, x.a, x.b) < std::tuple(x.triangles, y.a, y.b);
  });
  return edges;
}

/// Sets of switches that are merged while at least half of the pairs across are neighbours.
class Groups {
 public:
  explicit Groups(const Net& net) : net_(net), members_(net.size()) {
    for (Vertex v = 0; v < net.size(); ++v) {
      members_[v] = {v};
      group_.push_back(v);
    }
  }

  void grow(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
      // A cable in no triangle is a global one, or the last that a switch has to its group.
      if (edge.triangles == 0) return;
      const std::uint32_t a = group_[edge.a];
      const std::uint32_t b = group_[edge.b];
      if (a == b) continue;
      const std::size_t possible = members_[a].size() * members_[b].size();
      if (std::size_t{2} * neighbours_across(a, b) >= possible) merge(a, b);
    }
  }

  /// Gives switches that faults left alone, and remains of groups, a group that has room for them;
  /// the clearest case first.
  void place_remains() {
    const std::size_t full = full_size();
    while (true) {
      const std::map<Pair, std::uint32_t> across = cables_across();
      const std::uint32_t usual = usual_of(across);
      std::optional<Placement> best;
      for (std::uint32_t s = 0; s < members_.size(); ++s) {
        if (members_[s].empty() || 2 * members_[s].size() > full) continue;
        const std::optional<Placement> candidate = placement_of(s, full, across, usual);
        if (candidate && (!best || *candidate < *best)) best = candidate;
      }
      if (!best) return;
      merge(best->set, best->home);
    }
  }

  /// The size of a whole group: at least a fifth of all switches are in groups as large.
  std::size_t full_size() const {
    std::vector<std::size_t> sizes;
    for (const auto& set : members_) sizes.push_back(set.size());
    std::ranges::sort(sizes, std::greater());
    std::size_t covered = 0;
    for (const std::size_t size : sizes) {
      covered += size;
      if (5 * covered >= net_.size()) return size;
    }
    return 0;
  }

  /// Switches in sets that are whole, or nearly, with two thirds of their pairs neighbours at
  /// least.
  bool mostly_in_groups() const {
    const std::size_t full = full_size();
    if (full < 3) return false;
    std::size_t covered = 0;
    std::size_t neighbours = 0;
    std::size_t pairs = 0;
    for (std::uint32_t s = 0; s < members_.size(); ++s) {
      if (!whole(s, full)) continue;
      const std::size_t size = members_[s].size();
      covered += size;
      pairs += size * (size - 1) / 2;
      neighbours += neighbours_across(s, s) / 2;
    }
    return 4 * covered >= 3 * net_.size() && 3 * neighbours >= 2 * pairs;
  }

  /// Two thirds of the pairs of groups have a cable.
  bool mostly_joined() const {
    const std::size_t full = full_size();
    std::size_t groups = 0;
    for (std::uint32_t s = 0; s < members_.size(); ++s) groups += whole(s, full) ? 1U : 0U;
    std::size_t joined = 0;
    for (const auto& [pair, cables] : cables_across()) {
      joined += whole(pair.first, full) && whole(pair.second, full) ? 1U : 0U;
    }
    return 3 * joined >= 2 * (groups * (groups - 1) / 2);
  }

  /// Cables that two joined groups typically have.
  std::uint32_t usual_cables() const { return usual_of(cables_across()); }

  std::vector<std::uint32_t> numbered() const {
    std::vector<std::uint32_t> group(net_.size());
    std::map<std::uint32_t, std::uint32_t> number;
    for (Vertex v = 0; v < net_.size(); ++v) {
      const auto next = static_cast<std::uint32_t>(number.size());
      group[v] = number.try_emplace(group_[v], next).first->second;
    }
    return group;
  }

 private:
  bool whole(std::uint32_t s, std::size_t full) const {
    return members_[s].size() >= 3 && 4 * members_[s].size() >= 3 * full;
  }

  std::uint32_t neighbours_across(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t count = 0;
    for (const Vertex v : members_[a]) {
      for (const Vertex w : members_[b]) count += v != w && net_.cables(v, w) != 0 ? 1U : 0U;
    }
    return count;
  }

  void merge(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t into = std::min(a, b);
    std::vector<Vertex> from = std::exchange(members_[std::max(a, b)], {});
    for (const Vertex v : from) group_[v] = into;
    members_[into].insert(members_[into].end(), from.begin(), from.end());
  }

  std::map<Pair, std::uint32_t> cables_across() const {
    std::map<Pair, std::uint32_t> across;
    for (Vertex v = 0; v < net_.size(); ++v) {
      for (const Bundle& b : net_.bundles(v)) {
        if (group_[v] < group_[b.to]) across[{group_[v], group_[b.to]}] += b.cables;
      }
    }
    return across;
  }

  static std::uint32_t usual_of(const std::map<Pair, std::uint32_t>& across) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> samples;
    for (const auto& [pair, cables] : across) samples.emplace_back(cables, 1);
    return static_cast<std::uint32_t>(weighted_median(std::move(samples)));
  }

  /// Where a set of switches may belong; the better comes first.
  struct Placement {
    std::int64_t neighbours;  ///< across, negated
    std::uint32_t surplus;    ///< cables that pairs of groups would have beyond the usual
    std::size_t choices;      ///< homes that the set could have
    std::int64_t home_size;   ///< negated
    std::uint32_t set;
    std::uint32_t home;
    constexpr auto operator<=>(const Placement&) const noexcept = default;
  };

  std::optional<Placement> placement_of(std::uint32_t s, std::size_t full,
                                        const std::map<Pair, std::uint32_t>& across,
                                        std::uint32_t usual) const {
    const auto cables = [&](std::uint32_t a, std::uint32_t b) {
      const auto found = across.find({std::min(a, b), std::max(a, b)});
      return found == across.end() ? 0U : found->second;
    };
    std::set<std::uint32_t> near;
    for (const Vertex v : members_[s]) {
      for (const Bundle& b : net_.bundles(v)) near.insert(group_[b.to]);
    }
    near.erase(s);
    std::optional<Placement> best;
    std::size_t choices = 0;
    for (const std::uint32_t g : near) {
      if (members_[g].size() < members_[s].size()) continue;
      if (members_[g].size() + members_[s].size() > full) continue;
      std::uint32_t surplus = 0;
      for (const std::uint32_t other : near) {
        if (other == g || 2 * members_[other].size() <= full) continue;  // may be of this group too
        const std::uint32_t sum = cables(s, other) + cables(g, other);
        surplus += sum > usual ? sum - usual : 0;
      }
      const std::uint32_t neighbours = neighbours_across(s, g);
      // Cables like those of any two groups, and too many with it: a neighbour, not a member.
      if (neighbours <= usual && surplus != 0) continue;
      ++choices;
      const Placement candidate{-std::int64_t{neighbours},
                                surplus,
                                0,
                                -static_cast<std::int64_t>(members_[g].size()),
                                s,
                                g};
      if (!best || candidate < *best) best = candidate;
    }
    if (best) best->choices = choices;
    return best;
  }

  const Net& net_;
  std::vector<std::uint32_t> group_;          ///< by vertex: position in members_
  std::vector<std::vector<Vertex>> members_;  ///< many are empty
};

}  // namespace

std::optional<std::vector<std::uint32_t>> find_dense_groups(const Net& net) {
  Groups groups(net);
  groups.grow(edges_by_triangles(net));
  if (!groups.mostly_in_groups()) return std::nullopt;
  groups.place_remains();
  if (!groups.mostly_joined()) return std::nullopt;
  return refine_groups(net, groups.numbered(), groups.full_size(), groups.usual_cables());
}

}  // namespace heddle::routing::recognition
