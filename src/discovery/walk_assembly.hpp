#pragma once

#include <string>

#include "discovery/walk_record.hpp"
#include "model/fabric.hpp"
#include "model/sweep_report.hpp"

namespace heddle::discovery {

/// The snapshot of what `walk` has seen, completed from `previous` (may be null) where a device or
/// port that is still cabled did not answer; says so in `report`. Depends on what was seen, not on
/// the order in which it was.
[[nodiscard]] model::Fabric assemble(const WalkRecord& walk, const model::Fabric* previous,
                                     const std::string& fabric_name, model::SweepReport& report);

}  // namespace heddle::discovery
