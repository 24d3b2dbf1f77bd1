#pragma once

#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"
#include "routing/structure.hpp"

namespace heddle::routing {

/// What an operator knows better: files of the command line.
struct RecogniseHints {
  /// Switches of the highest level; everything else is ranked from them downwards.
  std::vector<model::NodeGuid> roots;
  /// Groups of a dragonfly, each a list of its switches.
  std::vector<std::vector<model::NodeGuid>> groups;
};

/// Says what the fabric is. Never fails for missing links or switches; kNotFound for a hint that
/// names an unknown switch. The same for the same cabling, whatever the order of discovery.
[[nodiscard]] model::Result<Structure> recognise(const model::Fabric& fabric, const Graph& graph,
                                                 const RecogniseHints& hints = {});

}  // namespace heddle::routing
