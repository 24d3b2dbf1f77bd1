#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "model/fabric.hpp"
#include "model/fabric_summary.hpp"
#include "routing/recognise.hpp"
#include "routing/structure.hpp"

namespace heddle::cli {

/// What `heddle topology` says of a fabric.
struct TopologyReport {
  model::FabricSummary summary;
  std::vector<model::DuplicateName> duplicate_names;
  std::vector<model::DegradedLink> degraded_links;
  /// What it is, or why that cannot be said: a fabric that contradicts itself has no shape.
  std::optional<routing::Structure> structure;
  std::string no_structure;
};
/// Hints name switches of the fabric.
[[nodiscard]] TopologyReport report_topology(const model::Fabric& fabric,
                                             const routing::RecogniseHints& hints = {});

/// For people.
[[nodiscard]] std::string render_topology(const model::Fabric& fabric, const TopologyReport& report,
                                          Colour colour);
/// For programs, in the shapes of /v1/fabric.
[[nodiscard]] std::string topology_json(const model::Fabric& fabric, const TopologyReport& report);

}  // namespace heddle::cli
