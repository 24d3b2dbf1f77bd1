#pragma once

#include <cstdint>

#include "routing/lanes.hpp"
#include "routing/level_sets.hpp"

namespace heddle::routing {

/// The VLs that packets of these levels may get anywhere, a bit each: those of the levels
/// themselves, as adapters and switches without a mapping use them, and what the mappings make of
/// them.
[[nodiscard]] inline std::uint16_t lane_range(const LevelSets& levels, const LaneMaps& maps) {
  const LevelSets::Mask used = levels.used();
  unsigned lanes = used;
  for (const model::SlToVl& mapping : maps.mappings()) {
    for (unsigned sl = 0; sl < mapping.size(); ++sl) {
      if (((used >> sl) & 1U) != 0) lanes |= 1U << mapping[sl];
    }
  }
  return static_cast<std::uint16_t>(lanes);
}

}  // namespace heddle::routing
