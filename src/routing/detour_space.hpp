#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/detour_column.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Memory that searches for detours work in, kept from one to the next: what a process touches for
/// the first time costs a repair more than its whole search. Not for use from several threads at
/// once; `graph` outlives it.
class DetourSpace {
 public:
  /// Takes no memory to speak of before it is used. `remaining`: see AcyclicChannels and Holes.
  DetourSpace(const Graph& graph, std::vector<std::uint16_t> remaining)
      : graph_(graph), remaining_(std::move(remaining)) {}

  /// The lane of that number, without dependencies, at most one more than there were. Stays where
  /// it is.
  [[nodiscard]] AcyclicChannels& fresh_lane(std::size_t number) {
    if (number == lanes_.size()) {
      return remaining_.empty() ? lanes_.emplace_back(graph_)
                                : lanes_.emplace_back(graph_, remaining_);
    }
    lanes_[number].clear();
    return lanes_[number];
  }
  /// With all entries of `availability`, which outlives the search.
  [[nodiscard]] DetourColumn& column(const Availability& availability) {
    if (column_) {
      column_->see(availability);
      return *column_;
    }
    return column_.emplace(graph_, availability);
  }

 private:
  const Graph& graph_;
  std::vector<std::uint16_t> remaining_;
  std::optional<DetourColumn> column_;
  std::deque<AcyclicChannels> lanes_;
};

}  // namespace heddle::routing
