#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/bit_rows.hpp"
#include "routing/graph.hpp"
#include "routing/order.hpp"
#include "routing/reach.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// How a switch gets to another that its order (up, across once, down) does not lead to, with one
/// or two turns that the order forbids and two lanes make safe, as said with TurnDetours. What
/// comes first is taken first.
enum class TurnKind : std::uint8_t {
  kNone,
  kLate,    ///< down to a late leaf, from there up to the destination's own switch
  kTwice,   ///< across to a switch that leads across
  kAcross,  ///< across to a switch of kind kLate
  kUp,      ///< up to a switch of any kind above, or of this one
  kEarly,   ///< down to a switch that is not a late leaf and leads on up or across
};
/// Whether ways of others may come by.
[[nodiscard]] constexpr bool is_passable(TurnKind kind) noexcept {
  return kind != TurnKind::kNone && kind != TurnKind::kEarly;
}

/// The kind of each pair of switches; none where the order leads there.
struct TurnReach {
  std::size_t switches = 0;
  std::vector<TurnKind> kinds;  ///< by SwitchIndex, then that of the destination
  BitRows undrained;  ///< pairs that need no drained cable; empty where nothing is drained

  [[nodiscard]] TurnKind kind(model::SwitchIndex sw, model::SwitchIndex at) const noexcept {
    return kinds[sw.value() * switches + at.value()];
  }
};

/// What find_turn_reach() needs to know of the fabric besides its order; by SwitchIndex.
struct TurnPlaces {
  std::vector<std::uint8_t> late_leaf;  ///< where packets turn on their last way up, nowhere else
  std::vector<std::uint8_t> top;        ///< no cable leads up from there
  std::vector<std::uint8_t> source;     ///< has usable terminals
};

/// For pairs of which one has terminals, and for those that their ways pass. A way with drained
/// cables is looked for only where there is none without. O(cables * switches / 64).
[[nodiscard]] TurnReach find_turn_reach(const Graph& graph, const Order& order,
                                        const Availability& availability, const Reach& reach,
                                        const TurnPlaces& places, Workers& workers);

}  // namespace heddle::routing
