#pragma once

#include <cstdint>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"
#include "routing/structure.hpp"

namespace heddle::routing {

/// A fabric with the same leaves and hosts and another number of cables above the leaves.
struct Reshaped {
  model::Fabric fabric;
  std::vector<model::NodeGuid> roots;  ///< the highest switches, for recognise()
  std::uint32_t uplinks = 0;           ///< of a leaf that has them all
  std::size_t switches_removed = 0;
  std::size_t switches_added = 0;
  std::size_t cables_removed = 0;
  std::size_t cables_added = 0;
};

/// The fat tree as it would be built for `ratio`:1 at its leaves: as many uplinks a leaf as carry
/// at least 1/ratio of what the hosts of a typical leaf can send. A tree that has more loses them,
/// one that has fewer gets further ones:
///  - The switches above the leaves fall into columns: one switch next to the leaves in each pod,
///    and what only these lead to. The columns of highest number go first, the same in all pods, so
///    that what is left is a well-formed tree; of parallel cables between a leaf and a switch each
///    leaf loses the same. Of several ways to the smallest number of uplinks that is enough, the
///    one that keeps more columns is taken.
///  - Columns that are wanting are copies of the first ones, with all that these lead to: switches
///    of GUIDs above all others, on leaf ports that are free or that the leaf would need.
/// The levels above keep their own ratio. Nodes, ports and cables that stay are as they were, LIDs
/// included; copies have none yet. The structure is recognise()'s of the same fabric.
/// kUnsupported where the fabric is no fat tree of two levels or more, a host or router hangs on a
/// switch that would have to go, or a leaf would need more than 254 ports. kInvalidInput for a
/// ratio of 0.
[[nodiscard]] model::Result<Reshaped> with_oversubscription(const model::Fabric& fabric,
                                                            const Graph& graph,
                                                            const Structure& structure,
                                                            std::uint32_t ratio);

}  // namespace heddle::routing
