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
  std::optional<DetourPairs> kind;  ///< none: not wanted, but passed by a detour
  std::uint8_t lane = 0;       ///< from 1, counted from the first lane for detours; 0: none yet
  std::uint32_t arc = kNoArc;  ///< its new entry
};

/// Holes of one LID in order of switch: those that are wanted, and in a plan those that its detours
/// pass. Of a spine's LID nearly all other spines are holes that nobody wants filled: too many to
/// be named.
struct HoledLid {
  std::uint32_t destination;  ///< into graph.destinations()
  std::vector<DetourHole> holes;
};

/// One LID's entries at all switches, seen as what they do: which arc a packet takes, and how far
/// it has to go. Loaded for one LID after another, so that its memory is reused; entries are
/// followed where they are asked for.
class DetourColumn {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kArrived = kNowhere - 1;
  static constexpr std::uint16_t kFar = 0xFFFF;

  /// Both outlive it, or what see() says.
  DetourColumn(const Graph& graph, const Availability& availability);
  /// Another availability from the next load() on.
  void see(const Availability& availability);

  /// The entries of `tables`, which outlives what follows, or where `holes` have new ones those.
  /// The LID's own switch counts as delivered.
  void load(const model::ForwardingTables& tables, const Destination& destination,
            std::span<const DetourHole> holes);
  /// How many cables between switches lie on the way from `sw` over the entries; kFar if they do
  /// not lead there.
  [[nodiscard]] std::uint16_t hops(std::uint32_t sw) {
    if (known_[sw] != load_) follow(sw);
    return hops_[sw];
  }
  /// The ArcIndex that `sw` takes, kArrived at the LID's own switch, kNowhere if its entry does not
  /// lead there.
  [[nodiscard]] std::uint32_t next(std::uint32_t sw) {
    if (known_[sw] != load_) follow(sw);
    return next_[sw];
  }
  /// A new entry: `sw` takes `arc`, to a switch that is delivered.
  void set(std::uint32_t sw, std::uint32_t arc);

  /// Computes least(): the fewest cables from each switch over `passed`, which have no entries, and
  /// then over entries; kFar where no such way leads on. Drained cables count only with `drained`.
  /// O(cables of what is passed).
  void measure(std::span<const std::uint32_t> passed, bool drained);
  [[nodiscard]] std::uint16_t least(std::uint32_t sw) {
    if (const std::uint16_t own = hops(sw); own != kFar) return own;
    return measured_at_[sw] == measure_ ? least_[sw] : kFar;
  }

  [[nodiscard]] bool passable(ArcIndex arc, bool drained) const noexcept {
    return drained ? availability_->usable(graph_, arc) : availability_->undrained(graph_, arc);
  }

 private:
  /// Where a port leads: the arc, kNowhere where no usable cable is, and the switch behind it.
  struct Exit {
    std::uint32_t arc = kNowhere;
    std::uint32_t to = 0;
  };

  void follow(std::uint32_t sw);
  /// What the entry of `sw` says, followed or not.
  [[nodiscard]] Exit exit_of(std::uint32_t sw) const;
  [[nodiscard]] std::span<const Exit> exits_of(std::uint32_t sw) const {
    return std::span(exits_).subspan(first_exit_[sw], first_exit_[sw + 1] - first_exit_[sw]);
  }
  [[nodiscard]] bool passes(const Exit& exit, bool drained) const noexcept {
    return exit.arc != kNowhere &&
           (drained || availability_->capacity(ArcIndex{exit.arc}).value != 0);
  }
  void learn(std::uint32_t sw, std::uint32_t next, std::uint16_t hops) {
    next_[sw] = next;
    hops_[sw] = hops;
    known_[sw] = load_;
  }

  void take_exits_of(model::SwitchIndex sw);

  const Graph& graph_;
  const Availability* availability_;
  Availability seen_;                      ///< that exits_ are of
  std::vector<Exit> exits_;                ///< by switch and port
  std::vector<std::uint32_t> first_exit_;  ///< by switch, one more at the end
  const model::ForwardingTables* tables_ = nullptr;
  model::Lid lid_;
  std::uint32_t load_ = 0;     ///< counts load()
  std::uint32_t measure_ = 0;  ///< counts measure()
  // By switch; what is of an earlier load or measure counts for nothing.
  std::vector<std::uint32_t> known_;  ///< the load that next_ and hops_ are of
  std::vector<std::uint32_t> next_;
  std::vector<std::uint16_t> hops_;
  std::vector<std::uint32_t> given_;        ///< the load that given_arc_ is of
  std::vector<std::uint32_t> given_arc_;    ///< of a hole with an entry
  std::vector<std::uint32_t> on_trail_;     ///< the load that followed it
  std::vector<std::uint32_t> passed_at_;    ///< the measure() that may pass it
  std::vector<std::uint32_t> measured_at_;  ///< the measure() that least_ is of
  std::vector<std::uint16_t> least_;
  std::vector<std::uint32_t> trail_;
  std::vector<std::uint32_t> trail_arcs_;
  std::vector<std::vector<std::uint32_t>> by_least_;
};

/// What some tables leave undelivered between switches and LIDs in use that usable cables, drained
/// or not, connect.
struct Holes {
  std::vector<HoledLid> lids;  ///< ascending; those of which some hole is wanted
  /// By position in `lids`: the switches whose holes nobody wants, ascending. Empty from who does
  /// not look at entries.
  std::vector<std::vector<std::uint32_t>> unwanted;
  /// By arc: the most cables that are left on a path of these LIDs where it takes the arc. A hint,
  /// which may be empty.
  std::vector<std::uint16_t> remaining;
};
/// What is wanted of a hole from `source` to a LID of `at`, each with usable terminals or without.
[[nodiscard]] DetourPairs kind_of_hole(bool source_has_terminals, bool at_has_terminals) noexcept;
/// A number for each set of switches that usable cables connect, by switch.
[[nodiscard]] std::vector<std::uint32_t> connected_parts(const Graph& graph,
                                                         const Availability& availability);
/// LIDs of which some switch has no entry, or one that leads to a port without a usable cable: as
/// positions in graph.destinations(), ascending. Entries are looked at, not followed.
[[nodiscard]] std::vector<std::uint32_t> holed_destinations(const Graph& graph,
                                                            const Availability& availability,
                                                            const model::ForwardingTables& tables,
                                                            Workers& workers);
/// The holes of these usable destinations. They suffice where no other has a hole that is wanted.
[[nodiscard]] Holes find_holes(const Graph& graph, const Availability& availability,
                               const model::ForwardingTables& tables,
                               std::span<const std::uint32_t> destinations, DetourPairs wanted,
                               Workers& workers);

}  // namespace heddle::routing
