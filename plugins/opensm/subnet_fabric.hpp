#pragma once

#include "model/fabric.hpp"
#include "plugins/opensm/bridge.h"

namespace heddle::plugin {

/// What OpenSM has discovered, as a snapshot: nodes, LIDs, and the cables that may be used.
/// Switches whose tables nobody would write are left out (they have answered NodeInfo, but not
/// SwitchInfo).
[[nodiscard]] model::Fabric fabric_of(const heddle_subnet& subnet);

}  // namespace heddle::plugin
