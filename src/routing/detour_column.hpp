#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/detours.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// A switch from which a LID's entries do not lead there.
struct DetourHole {
  static constexpr std::uint32_t kNoArc = ~std::uint32_t{0};

  std::uint32_t sw;
  std::optional<DetourPairs> kind;  ///< none: not wanted, may only be passed
  std::uint8_t lane = 0;       ///< from 1, counted from the first lane for detours; 0: none yet
  std::uint32_t arc = kNoArc;  ///< its new entry
};

/// All holes of one LID, in order of switch.
struct HoledLid {
  std::uint32_t destination;  ///< into graph.destinations()
  std::vector<DetourHole> holes;
};

/// One LID's entries at all switches, seen as what they do: which arc a packet takes, and how far
/// it has to go. Loaded for one LID after another, so that its memory is reused.
class DetourColumn {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kArrived = kNowhere - 1;
  static constexpr std::uint16_t kFar = 0xFFFF;

  DetourColumn(const Graph& graph, const Availability& availability);

  /// Follows the entries of `tables`, or where `holes` have new ones those, from every switch. The
  /// LID's own switch counts as delivered.
  void load(const model::ForwardingTables& tables, const Destination& destination,
            std::span<const DetourHole> holes);
  /// How many cables between switches lie on the way from `sw` over the entries; kFar if they do
  /// not lead there.
  [[nodiscard]] std::uint16_t hops(std::uint32_t sw) const noexcept { return hops_[sw]; }
  /// The ArcIndex that `sw` takes, kArrived at the LID's own switch, kNowhere if its entry does not
  /// lead there.
  [[nodiscard]] std::uint32_t next(std::uint32_t sw) const noexcept { return next_[sw]; }
  /// A new entry: `sw` takes `arc`, to a switch that is delivered.
  void set(std::uint32_t sw, std::uint32_t arc) noexcept;

  /// Computes least(): the fewest cables from each switch over others without entries and then over
  /// entries; kFar where no way leads on. Drained cables count only with `drained`.
  void measure(bool drained);
  [[nodiscard]] std::uint16_t least(std::uint32_t sw) const noexcept { return least_[sw]; }

  [[nodiscard]] bool passable(ArcIndex arc, bool drained) const noexcept {
    return drained ? availability_.usable(graph_, arc) : availability_.undrained(graph_, arc);
  }

 private:
  void follow(std::uint32_t sw);

  const Graph& graph_;
  const Availability& availability_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint16_t> hops_;
  std::vector<std::uint16_t> least_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> trail_;
  std::vector<std::vector<std::uint32_t>> by_least_;
};

/// Everything that some tables leave undelivered between switches and LIDs in use that usable
/// cables, drained or not, connect.
struct Holes {
  std::vector<HoledLid> lids;  ///< ascending
  /// By arc: the most cables that are left on a path of these LIDs where it takes the arc.
  std::vector<std::uint16_t> remaining;
};
[[nodiscard]] Holes find_holes(const Graph& graph, const Availability& availability,
                               const model::ForwardingTables& tables, DetourPairs wanted,
                               Workers& workers);

}  // namespace heddle::routing
