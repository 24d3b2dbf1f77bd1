#pragma once

#include <optional>
#include <string>

#include "cli/fabric_options.hpp"
#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/structure.hpp"

namespace heddle::cli {

/// A fabric ready to be routed. With remembered places `fabric` is what is and what was; what is
/// away is down in `availability`.
struct RoutedFabric {
  model::Fabric fabric;
  routing::Graph graph;
  routing::Structure structure;
  routing::Availability availability;
  routing::Availability present;  ///< the same before `--down` and `--weights`
  /// What `--slots` should hold from now on; nothing if it holds that already, or was not given.
  std::optional<std::string> slots_text;
};

/// Reads all that the options name, or says what is wrong with its place.
[[nodiscard]] model::Result<RoutedFabric> load_routed_fabric(const FabricOptions& options);

}  // namespace heddle::cli
