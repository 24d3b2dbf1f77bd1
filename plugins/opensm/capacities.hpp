#pragma once

#include <cstddef>
#include <span>

#include "model/fabric.hpp"
#include "plugins/opensm/weight_keeper.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::plugin {

/// Makes cables of `whole` worth what their rates say (routing::with_rates), or a weight; what is
/// up stays. How many weights are of cables between switches; others say nothing to routes.
std::size_t set_capacities(const model::Fabric& whole, const routing::Graph& graph,
                           std::span<const CableWeight> weights,
                           routing::Availability& availability);

}  // namespace heddle::plugin
