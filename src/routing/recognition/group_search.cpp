#include "routing/recognition/group_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace heddle::routing::recognition {
namespace {

class Search {
 public:
  Search(const Net& net, std::vector<std::uint32_t> group, std::size_t full, std::uint32_t usual)
      : net_(net), group_(std::move(group)), full_(full), usual_(usual) {
    for (const std::uint32_t g : group_) groups_ = std::max(groups_, g + 1);
    size_.assign(groups_, 0);
    across_.assign(std::size_t{groups_} * groups_, 0);
    for (Vertex v = 0; v < net.size(); ++v) {
      ++size_[group_[v]];
      for (const Bundle& b : net.bundles(v)) across(group_[v], group_[b.to]) += b.cables;
    }
  }

  std::vector<std::uint32_t> run() && {
    // Each step raises the score, so this ends; the bound is for time on what is no dragonfly.
    for (std::size_t steps = 0; steps < net_.size() && improve(); ++steps) {
    }
    std::map<std::uint32_t, std::uint32_t> number;
    for (std::uint32_t& g : group_) {
      const auto next = static_cast<std::uint32_t>(number.size());
      g = number.try_emplace(g, next).first->second;
    }
    return std::move(group_);
  }

 private:
  struct Step {
    std::int64_t gain = 0;
    Vertex v = 0;
    std::uint32_t to = 0;
    std::optional<Vertex> back;  ///< goes to the group that `v` leaves
  };

  std::int64_t& across(std::uint32_t a, std::uint32_t b) {
    return across_[std::size_t{a} * groups_ + b];
  }

  std::uint32_t known(Vertex v, std::uint32_t group) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        net_.bundles(v), [&](const Bundle& b) { return group_[b.to] == group; }));
  }

  std::vector<Vertex> doubtful() const {
    std::vector<Vertex> all;
    for (Vertex v = 0; v < net_.size(); ++v) {
      const std::uint32_t own = known(v, group_[v]);
      const bool doubt =
          size_[group_[v]] > full_ || std::ranges::any_of(net_.bundles(v), [&](const Bundle& b) {
            return group_[b.to] != group_[v] && known(v, group_[b.to]) >= own;
          });
      if (doubt) all.push_back(v);
    }
    return all;
  }

  /// What the score gains if `v` moves. Cables beyond the usual count once, members beyond a whole
  /// group twice: as much as a neighbour or two.
  std::int64_t gain_of(Vertex v, std::uint32_t to) {
    const std::uint32_t own = group_[v];
    std::map<std::uint32_t, std::int64_t> cables;
    for (const Bundle& b : net_.bundles(v)) cables[group_[b.to]] += b.cables;
    const auto surplus = [&](std::int64_t n) { return std::max<std::int64_t>(0, n - usual_); };
    std::int64_t fewer = 0;
    for (const auto& [g, count] : cables) {
      if (g == own || g == to) continue;
      fewer += surplus(across(own, g)) - surplus(across(own, g) - count);
      fewer += surplus(across(to, g)) - surplus(across(to, g) + count);
    }
    fewer += surplus(across(own, to)) - surplus(across(own, to) + cables[own] - cables[to]);
    const std::int64_t oversize = (size_[own] > full_ ? 1 : 0) - (size_[to] >= full_ ? 1 : 0);
    return std::int64_t{known(v, to)} - known(v, own) + fewer + 2 * oversize;
  }

  void move(Vertex v, std::uint32_t to) {
    const std::uint32_t own = group_[v];
    for (const Bundle& b : net_.bundles(v)) {
      const std::uint32_t g = group_[b.to];
      across(own, g) -= b.cables;
      across(g, own) -= b.cables;
      across(to, g) += b.cables;
      across(g, to) += b.cables;
    }
    --size_[own];
    ++size_[to];
    group_[v] = to;
  }

  bool improve() {
    const std::vector<Vertex> candidates = doubtful();
    Step best;
    for (const Vertex v : candidates) {
      const std::uint32_t own = group_[v];
      std::vector<std::uint32_t> near;
      for (const Bundle& b : net_.bundles(v)) near.push_back(group_[b.to]);
      std::ranges::sort(near);
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (const std::uint32_t to : near) {
        if (to == own) continue;
        const std::int64_t gain = gain_of(v, to);
        if (gain > best.gain) best = {gain, v, to, std::nullopt};
        move(v, to);
        for (const Vertex w : candidates) {
          if (w == v || group_[w] != to) continue;
          const std::int64_t both = gain + gain_of(w, own);
          if (both > best.gain) best = {both, v, to, w};
        }
        move(v, own);
      }
    }
    if (best.gain == 0) return false;
    const std::uint32_t own = group_[best.v];
    move(best.v, best.to);
    if (best.back) move(*best.back, own);
    return true;
  }

  const Net& net_;
  std::vector<std::uint32_t> group_;
  std::size_t full_;
  std::int64_t usual_;
  std::uint32_t groups_ = 0;
  std::vector<std::size_t> size_;
  std::vector<std::int64_t> across_;  ///< cables between two groups; the diagonal means nothing
};

}  // namespace

std::vector<std::uint32_t> refine_groups(const Net& net, std::vector<std::uint32_t> group,
                                         std::size_t full, std::uint32_t usual) {
  return Search(net, std::move(group), full, usual).run();
}

}  // namespace heddle::routing::recognition
