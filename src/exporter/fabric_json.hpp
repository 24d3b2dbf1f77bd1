#pragma once

#include <span>

#include "exporter/json_writer.hpp"
#include "model/fabric.hpp"
#include "model/fabric_summary.hpp"

/// What /v1/fabric and `heddle topology --json` both say of a fabric: members of the object that is
/// open.
namespace heddle::exporter {

/// `nodes`: how many there are of each kind, 0 included.
void write_node_counts(JsonWriter& json, const model::FabricSummary& summary);

/// `nodes`, and the counts of ports, links, levels and components.
void write_counts(JsonWriter& json, const model::Fabric& fabric,
                  const model::FabricSummary& summary);

/// Unresolved peers, duplicate names, anomalies and degraded links.
void write_faults(JsonWriter& json, const model::Fabric& fabric,
                  std::span<const model::DuplicateName> duplicates,
                  std::span<const model::DegradedLink> degraded);

}  // namespace heddle::exporter
