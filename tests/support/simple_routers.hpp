#pragma once

#include <cstdint>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

/// Short routers without any fault tolerance, whose gaps tests need. They keep off drained cables.
namespace heddle::support {

/// Distance of each switch from those with terminals, cables that are down included: the levels of
/// a tree that has hosts on leaves alone.
[[nodiscard]] std::vector<std::uint32_t> tree_levels(const routing::Graph& graph);

/// Up*/down* by `levels` alone: switches without such a path have no entry.
[[nodiscard]] model::ForwardingTables route_by_levels(const routing::Graph& graph,
                                                      const routing::Availability& availability,
                                                      const std::vector<std::uint32_t>& levels);

/// Local-global-local on groups of `routers` neighbouring SwitchIndex values: pairs without such a
/// path have no entry.
[[nodiscard]] model::ForwardingTables route_by_groups(const routing::Graph& graph,
                                                      const routing::Availability& availability,
                                                      std::uint32_t routers);
/// SL 0 goes on in lane 1 after a global cable; every other SL keeps its lane.
[[nodiscard]] routing::LaneMaps lanes_by_groups(const routing::Graph& graph, std::uint32_t routers);

}  // namespace heddle::support
