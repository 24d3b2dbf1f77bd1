#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/detour_column.hpp"
#include "routing/detour_space.hpp"
#include "routing/detours.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// One attempt at filling holes.
struct DetourPlan {
  std::vector<HoledLid> lids;
  std::vector<std::uint32_t> hard;  ///< destinations of which the first lane did not take all
  std::uint8_t lanes = 0;           ///< lanes used
  std::uint64_t without = 0;        ///< wanted holes that no lane could take
};

/// Which of equally short detours is tried first.
enum class DetourTaste : std::uint8_t {
  kSpread,  ///< the one whose cables other detours load least
  kThrift,  ///< the one that adds least to the lane's dependency graph, so that fewer lanes may do
};

/// Finds detours for all holes, kind by kind, of each kind lane by lane, in each lane to terminals
/// before those to switches, but those to `first` before any other: destinations, ascending.
[[nodiscard]] DetourPlan plan_detours(const Graph& graph, const Availability& availability,
                                      const model::ForwardingTables& tables,
                                      const DetourOptions& options, DetourTaste taste,
                                      std::span<const std::uint32_t> first, const Holes& holes,
                                      DetourSpace& space);

}  // namespace heddle::routing
