#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

class FatTreePlan;

/// A destination that takes another number than its own, and the switches over which that leads
/// down to its leaf.
struct Move {
  std::uint32_t destination = 0;  ///< into Graph::destinations()
  std::uint32_t number = 0;
  std::vector<model::SwitchIndex> way;  ///< from the one above the leaf to a root
};

/// D-mod-K gives the hosts of a leaf a way down each that they share with as few others as there
/// can be. Where the fabric lacks a cable of a host's way, as swapped cables make it, some other
/// way to its leaf may have lost its own hosts: over the cable that came in place of one that is
/// missing, say. Of a whole tree nothing; in order of destination. The plan has its cables and
/// numbers already.
[[nodiscard]] std::vector<Move> find_free_places(const Graph& graph, const FatTreePlan& plan);

}  // namespace heddle::routing
