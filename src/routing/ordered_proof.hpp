#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/direction.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Proof of one lane from an order of the switches. Each entry is checked against the entry at the
/// next switch: it leads over a usable cable to a switch that has an entry for the same LID, and
/// what follows a step is what Direction allows after it; only the way to a LID that is away may
/// end without an entry. By induction over the order every path
/// ends at its destination, and no channel waits for itself in a circle. Nothing of the engine but
/// the order is taken on trust.
struct OrderedProof {
  struct Entry {
    model::SwitchIndex sw;
    model::Lid lid;
  };
  std::uint64_t wrong_entries = 0;
  std::optional<Entry> first_wrong;  ///< lowest switch, then LID
  /// Pairs of a switch with usable terminals and a usable destination that have no entry, in order
  /// of switch, then LID.
  std::vector<Undelivered> undelivered;
  [[nodiscard]] bool good() const noexcept { return wrong_entries == 0; }
};

/// `directions` by ArcIndex, those of an order: whoever goes up and up never comes back, nor does
/// who goes down. O(switches * LIDs).
[[nodiscard]] OrderedProof prove_ordered(const Graph& graph, std::span<const Direction> directions,
                                         const Availability& availability,
                                         const model::ForwardingTables& tables, Workers& workers);

/// The same for tables that were proved under `before` and of which only `written` changed since:
/// every entry that can have become wrong is checked, and no other. `undelivered` names only pairs
/// among those. O(written entries * cables of a switch + LIDs * switches whose availability
/// changed).
[[nodiscard]] OrderedProof prove_written(const Graph& graph, std::span<const Direction> directions,
                                         const Availability& before, const Availability& now,
                                         const model::ForwardingTables& tables,
                                         std::span<const ChangedEntry> written);

}  // namespace heddle::routing
