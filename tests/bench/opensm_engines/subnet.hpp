#pragma once

#include "bench/opensm_engines/opensm.hpp"
#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"

namespace heddle::opensm_engines {

/// Fills the empty subnet of an OpenSM that has discovered nothing with the objects that it would
/// have made of `fabric`, whose end ports have LIDs: what is connected with its first cabled host,
/// cabled ports initialised, eight data VLs. Switches are ready for a routing engine. Nothing is
/// ever given back: it is for a process that ends after one engine.
void fill_subnet(osm_opensm_t& osm, const model::Fabric& fabric);

/// What an engine has written for the switches of `fabric`; rows of switches that the subnet does
/// not hold are not known.
[[nodiscard]] model::ForwardingTables new_tables(const osm_opensm_t& osm,
                                                 const model::Fabric& fabric);

}  // namespace heddle::opensm_engines
