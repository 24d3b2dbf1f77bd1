#pragma once

#include <cstdint>
#include <span>

#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Which pairs get detours, each kind with those above it.
enum class DetourPairs : std::uint8_t {
  kFromTerminals,  ///< from switches with terminals to every LID
  kFromOrToThem,   ///< also what other switches' management ports answer to terminals
  kAllSwitches,    ///< also between switches without terminals: all pairs of a tree's spines
};

struct Holes;
class DetourSpace;

struct DetourOptions {
  model::Sl first_sl{std::uint8_t{1}};  ///< service levels below are the engine's own
  std::uint8_t first_lane = 1;          ///< VLs below are the engine's own
  std::uint8_t max_lanes = 8;           ///< all VLs together
  DetourPairs pairs = DetourPairs::kFromOrToThem;
  /// What the engine's own paths hold and wait for within the lanes from `first_lane` on. None of
  /// its paths leads from such a lane into a lower one.
  std::span<const Dependency> standing = {};
};

/// An entry where there was none, or one that led nowhere.
struct DetourEntry {
  model::SwitchIndex sw;
  model::Lid lid;
  std::uint8_t port;
  model::Sl level;  ///< of the paths from this switch to the LID
  bool operator==(const DetourEntry&) const = default;
};
struct Detours {
  std::vector<DetourEntry> entries;  ///< in order of LID, then switch
  std::uint8_t lanes = 0;            ///< lanes and service levels in use, from the first ones on
  std::vector<Undelivered> undelivered;  ///< what no lane can take, in order of switch, then LID
  /// Pairs that stay without an entry though a hole of theirs might have been passed: not wanted,
  /// or undelivered. In order of LID, then switch.
  std::vector<Undelivered> empty;
};

/// What add_detours() adds to tables that leave these holes; the same whatever `space` was used
/// for.
[[nodiscard]] Detours find_detours(const Graph& graph, const Availability& availability,
                                   const DetourOptions& options,
                                   const model::ForwardingTables& tables, const Holes& holes,
                                   DetourSpace& space);

/// Gives each pair (switch, LID) that `routes` leaves undelivered a path in a further lane: entries
/// are set only where there is none, or where the entry leads nowhere, so nothing changes for pairs
/// that are delivered. Each detour stays in one lane of its own SL from end to end, in the lowest
/// whose channel dependency graph stays acyclic with it; among those from terminals the shortest,
/// then the least loaded by detours. A drained cable is passed only where nothing else leads on.
/// Two switches' detours to each other share a lane where one takes them all, since connections
/// answer on the level on which they were opened. Kinds of pairs come one after another as
/// DetourPairs has them, each first for LIDs of terminals. `routes.undelivered` becomes what no
/// lane can take. The same bytes whatever the number of threads. O(switches * LIDs) to find out
/// that nothing is missing.
void add_detours(const Graph& graph, const Availability& availability, const DetourOptions& options,
                 Routes& routes, Workers& workers);

}  // namespace heddle::routing
