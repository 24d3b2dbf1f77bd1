#include <algorithm>

#include "routing/recognition/clusters.hpp"
#include "routing/recognition/tree_levels.hpp"

namespace heddle::routing::recognition {

NestedPods nested_pods(const Net& net, const Levels& levels) {
  std::uint8_t top = 0;
  for (const auto& level : levels) top = std::max(top, level.value_or(0));
  NestedPods nested;
  // What a switch counts as one level lower: a leaf as itself, later its pod.
  std::vector<std::optional<std::uint32_t>> unit(net.size());
  std::uint32_t units = 0;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (levels[v] == std::uint8_t{0}) unit[v] = units++;
  }
  for (std::uint8_t level = 1; level < top; ++level) {
    Incidence incidence;
    incidence.uppers_of.resize(units);
    incidence.weight.assign(units, 1);
    std::vector<Vertex> uppers;
    for (Vertex v = 0; v < net.size(); ++v) {
      if (unit[v]) incidence.weight[*unit[v]] += net.hosts(v);
      if (levels[v] != level) continue;
      for (const Bundle& b : net.bundles(v)) {
        if (levels[b.to] && *levels[b.to] + 1 == level && unit[b.to]) {
          incidence.uppers_of[*unit[b.to]].push_back(static_cast<std::uint32_t>(uppers.size()));
        }
      }
      uppers.push_back(v);
    }
    incidence.uppers = static_cast<std::uint32_t>(uppers.size());
    for (auto& above : incidence.uppers_of) {
      above.erase(std::unique(above.begin(), above.end()), above.end());
    }
    const Clusters clusters = find_clusters(incidence);
    std::vector<std::optional<std::uint32_t>> pod(net.size());
    for (Vertex v = 0; v < net.size(); ++v) {
      if (unit[v]) pod[v] = clusters.of_unit[*unit[v]];
    }
    units = clusters.count;
    for (std::size_t i = 0; i < uppers.size(); ++i) {
      // An upper that lost everything below is a pod of its own.
      pod[uppers[i]] = clusters.of_upper[i] ? *clusters.of_upper[i] : units++;
    }
    unit = pod;
    nested.push_back(std::move(pod));
  }
  return nested;
}

}  // namespace heddle::routing::recognition
