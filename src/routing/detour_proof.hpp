#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/detours.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// What is wrong with detours that stand over `tables`, each in one lane of its own level from end
/// to end, VL = SL: one that does not end at its LID, or channels of a lane that wait for each
/// other in a circle. Nothing if they are good. `entries` in order of LID, then switch. Nothing of
/// how they were found is taken on trust. O(sum of their lengths * log of it).
[[nodiscard]] std::optional<std::string> find_wrong_detour(const Graph& graph,
                                                           const Availability& availability,
                                                           const model::ForwardingTables& tables,
                                                           std::span<const DetourEntry> entries);

}  // namespace heddle::routing
