#pragma once

#include <cstdint>

#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/transition.hpp"
#include "routing/workers.hpp"
#include "routing/write_order.hpp"

namespace heddle::routing {

/// When connections are opened on new service levels.
enum class NewLevels : std::uint8_t {
  kMeanwhile,   ///< while tables are written
  kAfterwards,  ///< when all is acknowledged: what moves has its old level until then
};

/// The order of writing for tables of any engine and any number of lanes, `after` as make_live()
/// leaves it. Looks at all that packets could hold and wait for in every mixture of old and new
/// entries, mappings and levels: a turn from an old entry to a new one, or the other way round, is
/// forbidden where it could be part of a cycle of these. If old and new paths make one although
/// no packet takes a bit of each, LIDs are written in rounds, or what fits into none is cleared
/// first (lid_rounds.hpp). Every step is proved. As slow as check_transition(), and where that is
/// not good as often again as there are steps; `order_writes()` with against_order() needs none of
/// it.
[[nodiscard]] model::Result<WritePlan> order_live_change(
    const Graph& graph, const Availability& availability, const RoutingState& before,
    const RoutingState& after, NewLevels new_levels, const WriteOrderOptions& options,
    Workers& workers);

}  // namespace heddle::routing
