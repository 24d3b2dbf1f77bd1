#include "plugins/opensm/directed_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace heddle::plugin {

using model::PortNum;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;

namespace {

/// `exits` in the order in which a request takes them, from the switch of OpenSM on.
std::optional<heddle_path> path_of(const ManagerPlace& manager, std::span<const PortNum> exits) {
  const std::size_t own = manager.host_port ? 1 : 0;
  if (own + exits.size() > HEDDLE_PATH_HOPS) return std::nullopt;
  heddle_path path{};
  if (manager.host_port) path.ports[path.hops++] = manager.host_port->value();
  for (const PortNum exit : exits) path.ports[path.hops++] = exit.value();
  return path;
}

}  // namespace

DirectedPaths::DirectedPaths(const routing::Graph& graph, const routing::Availability& availability,
                             const ManagerPlace& manager, std::optional<SwitchIndex> avoided)
    : graph_(&graph),
      manager_(manager),
      arc_to_(graph.switch_count(), kNone),
      reached_(graph.switch_count(), 0) {
  if (!availability.up(manager.at) || avoided == manager.at) return;
  std::vector<SwitchIndex> found{manager.at};
  reached_[manager.at.value()] = 1;
  for (std::size_t next = 0; next < found.size(); ++next) {
    ArcIndex index = graph.first_arc(found[next]);
    for (const Arc& arc : graph.arcs_of(found[next])) {
      if (availability.usable(graph, index) && reached_[arc.to.value()] == 0 && arc.to != avoided) {
        reached_[arc.to.value()] = 1;
        arc_to_[arc.to.value()] = index.value();
        found.push_back(arc.to);
      }
      index = ArcIndex{index.value() + 1};
    }
  }
}

bool DirectedPaths::reaches(SwitchIndex sw) const noexcept { return reached_[sw.value()] != 0; }

std::optional<heddle_path> DirectedPaths::to(SwitchIndex sw) const {
  if (!reaches(sw)) return std::nullopt;
  std::vector<PortNum> exits;
  while (arc_to_[sw.value()] != kNone) {
    const Arc& arc = graph_->arc(ArcIndex{arc_to_[sw.value()]});
    exits.push_back(arc.exit);
    sw = arc.from;
  }
  std::ranges::reverse(exits);
  return path_of(manager_, exits);
}

std::optional<heddle_path> way_of_traps(const routing::Graph& graph,
                                        const model::ForwardingTables& tables,
                                        const ManagerPlace& manager, SwitchIndex sw) {
  if (!manager.lid) return std::nullopt;
  std::vector<PortNum> exits;
  while (sw != manager.at) {
    const std::optional<PortNum> port = tables.port(sw, *manager.lid);
    if (!port || exits.size() == HEDDLE_PATH_HOPS) return std::nullopt;
    const routing::PortTarget target = graph.target(sw, *port);
    if (target.kind != routing::PortTarget::Kind::kSwitch) return std::nullopt;
    const Arc& arc = graph.arc(ArcIndex{target.index});
    exits.push_back(arc.entry);
    sw = arc.to;
  }
  std::ranges::reverse(exits);
  return path_of(manager, exits);
}

}  // namespace heddle::plugin
