#include "support/tier_structure.hpp"

#include <algorithm>

#include "simulation/fabric_maker.hpp"

namespace heddle::support {

routing::Structure tier_structure(const routing::Graph& graph) {
  routing::Structure structure;
  structure.shape = routing::Shape::kFatTree;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const model::SwitchIndex sw{s};
    // Tier 0 of switches is the second range: hosts have the first (fabric_maker.hpp).
    const std::uint64_t range =
        (graph.guid(sw).value() - simulation::GeneratorOptions{}.guid_base) /
        simulation::kGuidRange;
    structure.level.emplace_back(static_cast<std::uint8_t>(range - 2));
    structure.pod.emplace_back();
    if (range == 2) structure.leaf_order.push_back(sw);
    structure.levels = std::max(structure.levels, static_cast<std::uint8_t>(range - 1));
  }
  return structure;
}

}  // namespace heddle::support
