#include "routing/path_cost.hpp"

#include <functional>
#include <queue>
#include <utility>

namespace heddle::routing {

using model::SwitchIndex;

std::vector<PathCost> costs_to(const Graph& graph, const Availability& availability,
                               std::span<const SwitchIndex> ends) {
  std::vector<PathCost> cost(graph.switch_count(), PathCost::far());
  using Entry = std::pair<PathCost, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const SwitchIndex end : ends) {
    if (!availability.up(end)) continue;
    cost[end.value()] = PathCost();
    queue.emplace(PathCost(), end.value());
  }
  while (!queue.empty()) {
    const auto [reached, sw] = queue.top();
    queue.pop();
    if (reached != cost[sw]) continue;
    const std::uint32_t begin = graph.first_arc(SwitchIndex{sw}).value();
    for (std::uint32_t i = 0; i < graph.arcs_of(SwitchIndex{sw}).size(); ++i) {
      const ArcIndex arc{begin + i};
      if (!availability.usable(graph, arc)) continue;
      const std::uint32_t to = graph.arc(arc).to.value();
      const PathCost onward = reached.plus(availability.capacity(arc));
      if (onward >= cost[to]) continue;
      cost[to] = onward;
      queue.emplace(onward, to);
    }
  }
  return cost;
}

}  // namespace heddle::routing
