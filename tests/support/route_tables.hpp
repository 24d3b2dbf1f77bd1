#pragma once

#include <cstdint>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

/// Tables by textbook rules, slow and plain: something to judge that no engine of ours computed.
namespace heddle::support {

/// Shortest paths over what is usable; of several next cables a destination takes the one of its
/// LID modulo their number. LIDs of the switches included.
[[nodiscard]] model::ForwardingTables shortest_tables(const routing::Graph& graph,
                                                      const routing::Availability& availability);

/// D-mod-K of an intact fat tree with hosts on its lowest level (Zahavi, "D-Mod-K routing providing
/// non-blocking traffic for shift permutations on real life fat trees", 2010): upwards by the rank
/// of the destination, downwards by the same parallel cable that it took up. The LIDs of switches
/// follow the same rule; by it not all switches above the leaves reach each other. Levels are
/// distances from the hosts, parents in order of GUID.
[[nodiscard]] model::ForwardingTables d_mod_k_tables(const routing::Graph& graph);

}  // namespace heddle::support
