#include "plugins/opensm/capacities.hpp"

#include <cstdint>
#include <optional>

#include "routing/rated_capacity.hpp"

namespace heddle::plugin {

using routing::ArcIndex;
using routing::Availability;
using routing::PortTarget;

std::size_t set_capacities(const model::Fabric& whole, const routing::Graph& graph,
                           std::span<const CableWeight> weights, Availability& availability) {
  const Availability rated = routing::with_rates(whole, graph, Availability(graph));
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    availability.set_capacity(graph, ArcIndex{a}, rated.capacity(ArcIndex{a}));
  }
  std::size_t applied = 0;
  for (const CableWeight& weight : weights) {
    const std::optional<model::NodeIndex> node = whole.find_node(weight.end.node);
    const std::optional<model::SwitchIndex> sw = node ? whole.switch_index(*node) : std::nullopt;
    if (!sw) continue;
    const PortTarget target = graph.target(*sw, weight.end.port);
    if (target.kind != PortTarget::Kind::kSwitch) continue;
    availability.set_capacity(graph, ArcIndex{target.index}, {weight.percent});
    ++applied;
  }
  return applied;
}

}  // namespace heddle::plugin
