#pragma once

#include <string>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/port_sets.hpp"

namespace heddle::cli {

/// The tables of the switches that are up, in the form of `dump_fts`.
[[nodiscard]] std::string lfts_text(const model::Fabric& fabric,
                                    const routing::Availability& availability,
                                    const model::ForwardingTables& tables);
/// `slid dlid sl` for every pair of end ports whose level is not 0; of a LID range the base LID is
/// the source.
[[nodiscard]] std::string levels_text(const routing::Graph& graph,
                                      const routing::PathLevels& levels);
/// `switch_guid in_port out_port vl0 … vl15` where VL = SL does not hold.
[[nodiscard]] std::string maps_text(const routing::Graph& graph, const routing::LaneMaps& maps);
/// What adaptive routing may choose from, for the switches that are up: `Switch GUID "name"`, then
/// a line `LID PORT [PORT …]` for each entry of its table, that entry's port first, then the others
/// of the set, ascending.
[[nodiscard]] std::string ports_text(const model::Fabric& fabric,
                                     const routing::Availability& availability,
                                     const model::ForwardingTables& tables,
                                     const routing::PortSets& sets);

}  // namespace heddle::cli
