#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/level_sets.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

struct CheckOptions {
  bool switch_lids = true;     ///< LIDs of switches are destinations too
  std::uint8_t max_hops = 64;  ///< longer paths count as loops
};

/// The usable destinations that a check is about, by LID. Valid as long as the graph.
[[nodiscard]] std::vector<const Destination*> judged_destinations(const Graph& graph,
                                                                  const Availability& availability,
                                                                  const CheckOptions& options);

/// What walking every path of some tables showed. Pairs are (terminal, LID of another node); hops
/// count cables, those of the hosts included, as tools outside count them.
struct Verdict {
  std::uint64_t pairs = 0;
  /// No cabling leads there: nobody's fault, not counted as unreachable.
  std::uint64_t unconnected = 0;
  std::uint64_t unreachable = 0;
  /// Among them pairs that no cabling connects, if their packets circle.
  std::uint64_t looping = 0;
  std::uint64_t longer_than_shortest = 0;
  std::uint64_t extra_hops = 0;
  std::uint32_t longest_hops = 0;
  /// Switches that do not keep packets for their own LID, though the paths end there; only with
  /// `switch_lids`.
  std::uint32_t own_lids_sent_away = 0;
  std::uint16_t lanes_used = 0;  ///< a bit a VL, first and last cables included
  /// A cycle in the channel dependency graph, each element waiting for the next and the last for
  /// the first: the shortest through the lowest (arc, VL) that is on any, that one first. Empty if
  /// there is none.
  std::vector<ChannelLane> cycle;
  struct Pair {
    TerminalIndex source;
    model::Lid destination;
  };
  /// Unreachable or looping: the first in order of source, then LID.
  std::optional<Pair> first_bad;

  /// VL 15 is for management: what is mapped to it is dropped (InfiniBand Architecture
  /// Specification, volume 1, section 7.6.6).
  [[nodiscard]] bool uses_management_lane() const noexcept { return (lanes_used & 0x8000U) != 0; }
  [[nodiscard]] bool good() const noexcept {
    return unreachable == 0 && looping == 0 && own_lids_sent_away == 0 && !uses_management_lane() &&
           cycle.empty();
  }
};

/// Judges tables, whoever computed them, taking nothing on trust. O(switches on the way * LIDs) for
/// one SL and VL = SL; with lanes as often for each SL that a destination is reached by. The same
/// verdict whatever the number of threads.
[[nodiscard]] Verdict check_routes(const Graph& graph, const Availability& availability,
                                   const model::ForwardingTables& tables, const Lanes& lanes,
                                   const CheckOptions& options, Workers& workers);
/// The same where a pair may use several levels.
[[nodiscard]] Verdict check_routes(const Graph& graph, const Availability& availability,
                                   const model::ForwardingTables& tables, const LevelSets& levels,
                                   const LaneMaps& maps, const CheckOptions& options,
                                   Workers& workers);

}  // namespace heddle::routing
