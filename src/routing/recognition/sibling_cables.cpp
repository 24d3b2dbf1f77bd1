#include "routing/recognition/sibling_cables.hpp"

#include <algorithm>
#include <utility>

#include "routing/recognition/clusters.hpp"
#include "routing/recognition/leaves.hpp"

namespace heddle::routing::recognition {
namespace {

/// One level and the next.
class Boundary {
 public:
  Boundary(const Net& net, const Structure& structure, std::uint8_t level)
      : net_(net), place_(net.size(), 0) {
    for (Vertex v = 0; v < net.size(); ++v) {
      if (structure.level[v] == level) {
        lower_.push_back(v);
      } else if (structure.level[v] && *structure.level[v] == level + 1) {
        place_[v] = static_cast<std::uint32_t>(upper_.size());
        upper_.push_back(v);
      }
    }
    incidence_.uppers = static_cast<std::uint32_t>(upper_.size());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> bundles;
    for (const Vertex v : lower_) {
      auto& above = incidence_.uppers_of.emplace_back();
      incidence_.weight.push_back(1);
      for (const Bundle& b : net.bundles(v)) {
        if (!structure.level[b.to] || *structure.level[b.to] != level + 1) continue;
        above.push_back(place_[b.to]);
        bundles.emplace_back(b.cables, 1);
      }
    }
    usual_cables_ = static_cast<std::uint32_t>(weighted_median(std::move(bundles)));
  }

  void compare(bool below_roots, SiblingCables& found) const {
    const Clusters clusters = find_clusters(incidence_);
    std::vector<std::vector<std::uint32_t>> members(clusters.count);
    for (std::uint32_t u = 0; u < lower_.size(); ++u) members[clusters.of_unit[u]].push_back(u);
    std::vector<std::uint32_t> holders(upper_.size(), 0);
    std::vector<std::uint32_t> touched;
    for (const auto& siblings : members) {
      touched.clear();
      for (const std::uint32_t u : siblings) {
        for (const std::uint32_t a : incidence_.uppers_of[u]) {
          if (holders[a]++ == 0) touched.push_back(a);
        }
      }
      std::ranges::sort(touched);
      if (siblings.size() > 1) compare_set(siblings, holders, touched, below_roots, found);
      for (const std::uint32_t a : touched) holders[a] = 0;
    }
  }

 private:
  void compare_set(const std::vector<std::uint32_t>& siblings,
                   const std::vector<std::uint32_t>& holders,
                   const std::vector<std::uint32_t>& touched, bool below_roots,
                   SiblingCables& found) const {
    std::uint32_t shared = 0;
    for (const std::uint32_t a : touched) shared += 2 * holders[a] > siblings.size() ? 1U : 0U;
    if (below_roots) found.columns.push_back({lower_[siblings.front()], shared});
    for (const std::uint32_t u : siblings) {
      const std::vector<std::uint32_t>& own = incidence_.uppers_of[u];
      for (const std::uint32_t a : touched) {
        const Pairing pair{lower_[u], upper_[a]};
        const bool has = std::ranges::binary_search(own, a);
        if (!has) {
          if (2 * holders[a] > siblings.size()) found.missing.push_back(pair);
          continue;
        }
        // Where siblings have little in common, nothing is unexpected.
        if (siblings.size() >= 3 && 3 * holders[a] < siblings.size() && 2 * shared > own.size()) {
          found.unexpected.push_back(pair);
        }
        const std::uint32_t cables = net_.cables(pair.below, pair.above);
        if (cables < usual_cables_ && 2 * holders[a] > siblings.size())
          found.thin.push_back({pair, cables, usual_cables_});
      }
    }
  }

  const Net& net_;
  std::vector<std::uint32_t> place_;
  std::vector<Vertex> lower_;
  std::vector<Vertex> upper_;
  Incidence incidence_;
  std::uint32_t usual_cables_ = 0;
};

}  // namespace

SiblingCables compare_siblings(const Net& net, const Structure& structure) {
  SiblingCables found;
  for (std::uint8_t level = 0; level + 1 < structure.levels; ++level) {
    Boundary(net, structure, level).compare(level + 2 == structure.levels, found);
  }
  std::ranges::sort(found.missing);
  std::ranges::sort(found.unexpected);
  std::ranges::sort(found.thin, {}, &ThinBundle::pair);
  return found;
}

}  // namespace heddle::routing::recognition
