#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/column_order.hpp"
#include "routing/direction.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"

namespace heddle::routing {

/// A block of a linear forwarding table as it is to be written, by one Set.
struct BlockWrite {
  model::SwitchIndex sw;
  std::uint16_t block = 0;  ///< of the LIDs from 64 times this on
  std::array<std::uint8_t, model::ForwardingTables::kBlockLids> ports{};
  bool operator==(const BlockWrite&) const = default;
};

/// Writes that may be in flight together and arrive in any order. The next step begins when all are
/// acknowledged. The most urgent stand first: those that bring most lost pairs back.
struct WriteStep {
  std::vector<BlockWrite> writes;
};

/// How changed entries go into the switches of a fabric that carries traffic.
struct WritePlan {
  std::vector<WriteStep> steps;
  /// The first step takes entries away that no order of writing keeps safe beside the others; give
  /// packets their lifetime before the second.
  bool clears_first = false;
  /// Switches that reach a LID now and will not by the new tables. In order of switch, then LID.
  std::vector<Undelivered> lost;
  /// Those that will, and do not between the first step and the last. In the same order.
  std::vector<Undelivered> interrupted;
  std::size_t entries = 0;        ///< that change, at switches that are up
  std::size_t writes = 0;         ///< of blocks, in all steps
  std::size_t second_writes = 0;  ///< among them of blocks that a former step has written in part
};

/// When the entries of a LID are written.
struct LidRound {
  model::Lid lid;
  std::uint32_t round = 0;  ///< begins when the one before is done
  bool cleared = false;     ///< its old entries before everything
};

/// That of the LID; round 0 for one that is not among them. `rounds` in order of LID.
[[nodiscard]] LidRound round_of(std::span<const LidRound> rounds, model::Lid lid) noexcept;

struct WriteOrderOptions {
  /// The subnet manager's: entries for it that work are replaced after all others of its round, so
  /// that what
  /// switches and hosts send to it by LID does not depend on anything else.
  std::optional<model::Lid> sm_lid;
  /// In order of LID; the others in round 0.
  std::vector<LidRound> rounds{};
};

/// The entries at switches that are up in which two tables of one graph differ, in order of switch,
/// then LID. Short tables go on without ports. O(size of the tables), at the pace of memory; a
/// repair tells them for nothing.
[[nodiscard]] std::vector<ChangedEntry> changed_entries(const Graph& graph,
                                                        const Availability& availability,
                                                        const model::ForwardingTables& before,
                                                        const model::ForwardingTables& after);

/// In which order changed entries may be written over `now`, so that in every state on the way (all
/// of the former steps, any part of this one) whatever switch reaches a LID over what is available
/// goes on to reach it, unless the plan names the pair; no packet circles that did not before; and
/// no packet toward a LID takes a forbidden turn from an old entry to a new one or the other way
/// round. What reaches a LID anew in some state does so from then on.
///
/// `changes` in order of switch, then LID, `before` as in `now`; they lead to tables without loops.
/// Changes at switches that are down are passed over. kInvalidInput where they contradict the
/// tables. O(changes * length of a way), and for LIDs with pairs to name O(switches).
[[nodiscard]] model::Result<WritePlan> order_writes(const Graph& graph,
                                                    const Availability& availability,
                                                    const model::ForwardingTables& now,
                                                    std::span<const ChangedEntry> changes,
                                                    const ForbiddenTurn& forbidden,
                                                    const WriteOrderOptions& options);

/// Turns that paths in an order of the switches never take: after going down or across anything but
/// down. As long as no packet takes them, no channels wait for each other in a circle. `directions`
/// by ArcIndex outlives it.
[[nodiscard]] ForbiddenTurn against_order(std::span<const Direction> directions);

}  // namespace heddle::routing
