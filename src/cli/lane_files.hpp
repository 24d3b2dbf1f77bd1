#pragma once

#include <string>

#include "discovery/lane_text.hpp"
#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/level_sets.hpp"

namespace heddle::cli {

/// `--sl` of a file: the service levels of all pairs.
[[nodiscard]] model::Result<routing::LevelSets> read_levels(const std::string& path,
                                                            const model::Fabric& fabric,
                                                            const routing::Graph& graph,
                                                            discovery::Strangers strangers);
/// `--sl2vl` of a file.
[[nodiscard]] model::Result<routing::LaneMaps> read_lane_maps(const std::string& path,
                                                              const model::Fabric& fabric,
                                                              const routing::Graph& graph,
                                                              discovery::Strangers strangers);

}  // namespace heddle::cli
