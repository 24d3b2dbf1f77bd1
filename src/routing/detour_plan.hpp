#pragma once

#include <cstdint>
#include <limits>
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
  // Wanted holes that no lane could take:
  std::uint64_t unsent = 0;      ///< of switches with terminals
  std::uint64_t unanswered = 0;  ///< of others
  /// More than the attempt allowed are unanswered, so far; all else is unfinished.
  bool gave_up = false;
};

/// Which of equally short detours is tried first.
enum class DetourTaste : std::uint8_t {
  kSpread,  ///< the one whose cables other detours load least
  kThrift,  ///< the one that adds least to the lane's dependency graph, so that fewer lanes may do
};

struct DetourAttempt {
  DetourTaste taste = DetourTaste::kSpread;
  /// Destinations whose detours are found before any other's, ascending.
  std::span<const std::uint32_t> first = {};
  /// What would leave more unanswered need not be finished.
  std::uint64_t most_unanswered = std::numeric_limits<std::uint64_t>::max();
};

/// Finds detours for all holes, kind by kind, of each kind lane by lane, in each lane to terminals
/// before those to switches.
[[nodiscard]] DetourPlan plan_detours(const Graph& graph, const Availability& availability,
                                      const model::ForwardingTables& tables,
                                      const DetourOptions& options, const DetourAttempt& attempt,
                                      const Holes& holes, DetourSpace& space);

}  // namespace heddle::routing
