#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "mad/mad.hpp"
#include "simulation/cabling.hpp"

namespace heddle::simulation {

/// A directed route walked to its end.
struct DirectedWalk {
  Arrival arrival;
  /// The port by which each hop was entered: the return path (volume 1, 14.2.1.2).
  std::vector<std::uint8_t> entered_by;
};

/// Follows `route` from the attached port over the cables that are there. Nothing where the packet
/// is lost: a port without a cable, a first hop that is not the attached port, a hop through
/// something other than a switch (C14-9), or through a switch whose agent is mute, as directed
/// packets are passed on by the agents and not by the switching fabric.
[[nodiscard]] std::optional<DirectedWalk> walk(const mad::DirectedRoute& route,
                                               const model::Fabric& fabric, const Cabling& cabling,
                                               model::PortIndex attached_to,
                                               const std::unordered_set<model::NodeGuid>& mute);

}  // namespace heddle::simulation
