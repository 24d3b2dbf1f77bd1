#include "simulation/directed_walk.hpp"

namespace heddle::simulation {
namespace {

/// Whether the node at `at` sends a directed packet on, out of `exit`, as hop number `hop`.
bool passes_on(const model::Fabric& fabric, const Arrival& at, std::size_t hop, model::PortNum exit,
               const std::unordered_set<model::NodeGuid>& mute) {
  const model::Node& node = fabric.node(at.node);
  if (node.kind != model::NodeKind::kSwitch) return hop == 0 && exit == at.entered_by;
  // The sender's own port is driven by its host, whatever its agent answers.
  return exit.value() != 0 && (hop == 0 || !mute.contains(node.guid));
}

}  // namespace

std::optional<DirectedWalk> walk(const mad::DirectedRoute& route, const model::Fabric& fabric,
                                 const Cabling& cabling, model::PortIndex attached_to,
                                 const std::unordered_set<model::NodeGuid>& mute) {
  const model::Port& start = fabric.port(attached_to);
  DirectedWalk so_far{{start.node, start.number}, {}};
  for (std::size_t hop = 0; hop < route.hops(); ++hop) {
    const model::PortNum exit{route.exit_ports()[hop]};
    if (!passes_on(fabric, so_far.arrival, hop, exit, mute)) return std::nullopt;
    const std::optional<model::PortIndex> out = fabric.find_port(so_far.arrival.node, exit);
    if (!out) return std::nullopt;
    const std::optional<model::PortIndex> in = cabling.peer(*out);
    if (!in) return std::nullopt;
    so_far.arrival = {fabric.port(*in).node, fabric.port(*in).number};
    so_far.entered_by.push_back(so_far.arrival.entered_by.value());
  }
  return so_far;
}

}  // namespace heddle::simulation
