#include "routing/order.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::routing {

using model::SwitchIndex;

Order order_by_level(const Graph& graph, std::span<const std::uint8_t> level) {
  const auto place = [level](SwitchIndex sw) { return std::tuple(level[sw.value()], sw); };
  Order order;
  order.ascending.reserve(graph.switch_count());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) order.ascending.emplace_back(s);
  std::ranges::sort(order.ascending, {}, place);
  order.directions.reserve(graph.arcs().size());
  std::vector<std::uint8_t> sideways;
  for (const Arc& arc : graph.arcs()) {
    order.directions.push_back(place(arc.to) > place(arc.from) ? Direction::kUp : Direction::kDown);
    sideways.push_back(level[arc.from.value()] == level[arc.to.value()] ? 1 : 0);
  }
  if (std::ranges::find(sideways, 1) != sideways.end()) order.sideways = std::move(sideways);
  return order;
}

}  // namespace heddle::routing
