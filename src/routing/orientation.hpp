#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/path_cost.hpp"

namespace heddle::routing {

/// A direction for every cable such that no circle of cables goes up all the way round: switches
/// are ordered by distance from the roots, then by index; cables to a switch that stands earlier
/// lead up. What only drained cables reach follows after all the rest, again ordered by distance
/// from the one switch where it is entered. So every switch has a way up to its root, and one
/// without drained cables to whatever is connected without them.
class Orientation {
 public:
  /// Components without any of the roots stay out of reach.
  Orientation(const Graph& graph, const Availability& availability,
              std::span<const model::SwitchIndex> roots);

  [[nodiscard]] bool up(const Arc& arc) const noexcept {
    return place_[arc.to.value()] < place_[arc.from.value()];
  }
  /// Switches that some root reaches, in their order.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  /// Whether cables that are not drained connect two switches in reach.
  [[nodiscard]] bool together(std::uint32_t a, std::uint32_t b) const noexcept {
    return island_[a] == island_[b];
  }

 private:
  void grow(const Graph& graph, const Availability& availability, std::vector<std::uint32_t> level);

  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;   ///< in order_
  std::vector<std::uint32_t> island_;  ///< a number for what is connected without drained cables
};

/// The cost of the way down, or up and then down, from each switch to `destination`. A switch that
/// has a way down takes it, so that whoever came down to it goes on downwards. Switches that need
/// no drained cable to get there take none.
struct UpDownCosts {
  std::vector<PathCost> down;
  std::vector<PathCost> least;  ///< `down` where there is one
};
void measure_up_down(const Graph& graph, const Availability& availability,
                     const Orientation& orientation, model::SwitchIndex destination,
                     UpDownCosts& costs);

/// One root for each component, from which up*/down* paths between terminals are short. Of a tree
/// that is a leaf: seen from it all of the tree's shortest paths go up, then down, also between
/// spines. Every pair of a component has a path over its root.
[[nodiscard]] std::vector<model::SwitchIndex> choose_roots(const Graph& graph,
                                                           const Availability& availability);

}  // namespace heddle::routing
