#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "model/fabric.hpp"
#include "model/fabric_summary.hpp"

namespace heddle::cli {

/// What `heddle topology` says of a fabric.
struct TopologyReport {
  model::FabricSummary summary;
  std::vector<model::DuplicateName> duplicate_names;
  std::vector<model::DegradedLink> degraded_links;
};
[[nodiscard]] TopologyReport report_topology(const model::Fabric& fabric);

/// For people.
[[nodiscard]] std::string render_topology(const model::Fabric& fabric, const TopologyReport& report,
                                          Colour colour);
/// How many nodes there are of each kind, 0 included.
[[nodiscard]] boost::json::object nodes_json(const model::FabricSummary& summary);
/// For programs, in the shapes of /v1/fabric.
[[nodiscard]] boost::json::object topology_json(const model::Fabric& fabric,
                                                const TopologyReport& report);

}  // namespace heddle::cli
