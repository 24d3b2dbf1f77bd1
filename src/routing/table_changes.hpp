#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// What changed between two tables of one graph. An entry that changed is unavoidable if there was
/// none, if its old port is gone, or if it leads to a switch from which its LID cannot be delivered
/// by up*/down* any more: after a step down by going down only, after a step up by going up, then
/// down.
struct TableChanges {
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;  ///< of 64 LIDs, as they are sent
  std::uint64_t switches = 0;
  std::uint64_t unavoidable = 0;  ///< of the entries
};

/// Compares the rows of switches that are up now; rows of different length as if the shorter went
/// on without ports. `level` by SwitchIndex orients the cables (Structure::level; of two switches
/// at one level the one with the higher GUID is above); where a level is missing, or all are, an
/// entry over such a cable is unavoidable only if its port is gone. O(entries + cables * switches /
/// 64).
[[nodiscard]] TableChanges compare_tables(const Graph& graph, const Availability& availability,
                                          const model::ForwardingTables& before,
                                          const model::ForwardingTables& after,
                                          std::span<const std::optional<std::uint8_t>> level,
                                          Workers& workers);

}  // namespace heddle::routing
