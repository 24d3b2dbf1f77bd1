#pragma once

#include <cstdint>

#include "exporter/json_writer.hpp"
#include "exporter/view.hpp"

/// What was read from the devices besides the cabling. The tables may belong to an earlier snapshot
/// than the fabric: they are found by GUID.
namespace heddle::exporter {

enum class TableDetail : std::uint8_t { kSummary, kEntries };

/// Schema Forwarding: null for what is no switch, and for a switch that was not there when the
/// tables were read.
void write_forwarding(JsonWriter& json, const View& view, model::NodeGuid node, TableDetail detail);
/// Schema SlToVl: null where no mapping of the node was read.
void write_sl_to_vl(JsonWriter& json, const View& view, model::NodeGuid node, TableDetail detail);
/// P_Keys of one port: null where its table was not read.
void write_partitions(JsonWriter& json, const View& view, model::PortKey port);
/// Schema Tables: null before the first table sweep.
void write_tables(JsonWriter& json, const View& view);

}  // namespace heddle::exporter
