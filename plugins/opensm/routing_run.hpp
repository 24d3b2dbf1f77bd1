#pragma once

#include <cstdint>
#include <optional>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "plugins/opensm/weight_keeper.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"

namespace heddle::plugin {

/// The switch at which OpenSM's requests enter the fabric.
struct ManagerPlace {
  model::SwitchIndex at;
  std::optional<model::PortNum>
      host_port;  ///< of its host toward it; none if it runs on the switch
  std::optional<model::Lid> lid;
};

/// What a run of the engine found and wrote: what a repair begins with. Immutable, shared.
struct RoutingRun {
  std::uint64_t number = 0;  ///< runs count from 1, those that failed too
  model::Fabric whole;       ///< with what is away
  routing::Graph graph;      ///< of `whole`
  routing::Structure structure;
  routing::Availability available;           ///< what is there, and what it is worth
  WeightSet weights;                         ///< that are in `available`
  std::optional<routing::Engine> asked_for;  ///< by the options
  std::uint8_t max_lanes = 1;
  routing::Engine engine = routing::Engine::kUpDown;  ///< whose tables they are
  model::ForwardingTables tables;
  routing::Lanes lanes;
  std::optional<ManagerPlace> manager;
  std::uint64_t blocks = 0;  ///< that OpenSM had to send for it
};

}  // namespace heddle::plugin
