#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/dependency_set.hpp"
#include "routing/graph.hpp"
#include "routing/hop_table.hpp"

namespace heddle::routing {

/// Follows the entries for one destination after the other. The entries of one destination form a
/// tree where all is well; what a walk has learnt of a switch serves all later walks through it, so
/// a destination costs one step a switch on its way. Memory of one thread.
class TreeWalk {
 public:
  enum class Outcome : std::uint8_t { kOpen, kDelivered, kDead, kLoops };
  enum class Exit : std::uint8_t { kNone, kTerminal, kChannel };

  /// What the entry of a switch leads to, for the destination of now.
  struct Place {
    std::uint32_t epoch = 0;
    std::uint32_t arc = 0;    ///< if kChannel
    std::uint16_t steps = 0;  ///< cables from here to the end of the way, wherever that is
    std::uint8_t port = 0;    ///< the entry
    Exit exit = Exit::kNone;
    Outcome outcome = Outcome::kOpen;
  };

  /// All outlive the walk.
  TreeWalk(const Graph& graph, const HopTable& hops, const model::ForwardingTables& tables)
      : hops_(hops), tables_(tables), places_(graph.switch_count()) {}

  /// Forgets the destination before. At the switch that owns a LID the walk ends, whatever its
  /// entry.
  void begin(const Destination& destination);
  /// What becomes of packets at a switch.
  const Place& resolve(model::SwitchIndex sw);
  /// The same; where the way has at most `limit` cables in all, and one more before, the
  /// dependencies along it are added in VL 0.
  const Place& resolve(model::SwitchIndex sw, std::uint32_t limit, DependencySet& dependencies);
  /// Of a switch that some resolved way of this destination leads through.
  [[nodiscard]] const Place& at(model::SwitchIndex sw) const noexcept {
    return places_[sw.value()];
  }

 private:
  void follow(std::uint32_t from);
  void open_window(model::Lid lid);
  [[nodiscard]] std::uint8_t entry(std::uint32_t sw) const noexcept {
    return window_[std::size_t{sw} * kWindow + lid_in_window_];
  }

  /// LIDs whose entries are copied together: in the tables those of one destination lie a page
  /// apart.
  static constexpr std::size_t kWindow = 64;

  const HopTable& hops_;
  const model::ForwardingTables& tables_;
  const Destination* destination_ = nullptr;
  std::vector<std::uint8_t> window_;  ///< by SwitchIndex, then LID from first_in_window_ on
  std::optional<std::size_t> first_in_window_;
  std::size_t lid_in_window_ = 0;
  std::uint32_t epoch_ = 0;
  std::vector<Place> places_;  ///< by SwitchIndex; of now if the epoch is
  std::vector<std::uint32_t> path_;
  std::uint32_t joined_ = 0;  ///< where the path met what was known
};

}  // namespace heddle::routing
