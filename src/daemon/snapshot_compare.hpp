#pragma once

#include <vector>

#include "model/fabric.hpp"

namespace heddle::daemon {

/// Whether two snapshots say the same, so that the older one can stay.
[[nodiscard]] bool same_content(const model::Fabric& a, const model::Fabric& b);

/// Nodes that are gone, and nodes of which a port is asked at another LID than before: what answers
/// there, now or when the node comes back, may be another firmware or another device.
[[nodiscard]] std::vector<model::NodeGuid> nodes_to_ask_anew(const model::Fabric& before,
                                                             const model::Fabric& after);

/// Whether a subnet manager has given LIDs: without one no counter can be asked for.
[[nodiscard]] bool has_lids(const model::Fabric& fabric);

}  // namespace heddle::daemon
