#include "exporter/rest_tables.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

namespace heddle::exporter {
namespace {

std::optional<model::SwitchIndex> row_of(const model::FabricTables& tables,
                                         model::NodeGuid guid) noexcept {
  const std::optional<model::NodeIndex> node = tables.fabric->find_node(guid);
  if (!node) return std::nullopt;
  const auto sw = tables.fabric->switch_index(*node);
  return sw && sw->value() < tables.forwarding.switch_count() ? sw : std::nullopt;
}

bool leads_somewhere(std::uint8_t entry) noexcept {
  return entry != model::ForwardingTables::kNoPort;
}

void write_entries(JsonWriter& json, std::span<const std::uint8_t> row) {
  json.begin_array("lfts");
  for (std::size_t lid = 0; lid < row.size(); ++lid) {
    if (!leads_somewhere(row[lid])) continue;
    json.begin_object();
    json.field("lid", lid);
    json.field("port", row[lid]);
    json.end_object();
  }
  json.end_array();
}

/// What is said of a row that was read.
void write_row(JsonWriter& json, std::span<const std::uint8_t> row, TableDetail detail) {
  const auto last = std::find_if(row.rbegin(), row.rend(), leads_somewhere);
  json.key("top_lid");
  if (last == row.rend()) {
    json.null();
  } else {
    json.value(static_cast<std::size_t>(row.rend() - last) - 1);
  }
  json.field("entries", static_cast<std::size_t>(std::ranges::count_if(row, leads_somewhere)));
  if (detail == TableDetail::kEntries) write_entries(json, row);
}

}  // namespace

void write_forwarding(JsonWriter& json, const View& view, model::NodeGuid node,
                      TableDetail detail) {
  const auto sw = view.tables ? row_of(*view.tables, node) : std::nullopt;
  if (!sw) return json.null();
  const bool known = view.tables->forwarding.known(*sw);
  json.begin_object();
  json.field("known", known);
  if (known) {
    write_row(json, view.tables->forwarding.row(*sw), detail);
  } else {
    json.key("top_lid");
    json.null();
    json.key("entries");
    json.null();
  }
  json.end_object();
}

void write_sl_to_vl(JsonWriter& json, const View& view, model::NodeGuid node, TableDetail detail) {
  std::size_t mappings = 0;
  std::set<model::SlToVl> distinct;
  if (view.tables) {
    view.tables->sl_to_vl.for_each(
        node, [&](model::PortNum, model::PortNum, const model::SlToVl& mapping) {
          ++mappings;
          distinct.insert(mapping);
        });
  }
  if (mappings == 0) return json.null();
  json.begin_object();
  json.field("mappings", mappings);
  json.field("distinct", distinct.size());
  if (detail == TableDetail::kEntries) {
    json.begin_array("sl2vl");
    view.tables->sl_to_vl.for_each(
        node, [&](model::PortNum in, model::PortNum out, const model::SlToVl& mapping) {
          json.begin_object();
          json.field("in", in);
          json.field("out", out);
          json.begin_array("vls");
          for (const std::uint8_t vl : mapping) json.value(vl);
          json.end_array();
          json.end_object();
        });
    json.end_array();
  }
  json.end_object();
}

void write_partitions(JsonWriter& json, const View& view, model::PortKey port) {
  if (!view.tables) return json.null();
  const auto found = view.tables->partitions.find(port);
  if (found == view.tables->partitions.end()) return json.null();
  json.begin_array();
  for (const model::PKey key : found->second) json.value(key);
  json.end_array();
}

void write_tables(JsonWriter& json, const View& view) {
  if (!view.tables) return json.null();
  const model::FabricTables& tables = *view.tables;
  std::size_t known = 0;
  for (std::uint32_t i = 0; i < tables.forwarding.switch_count(); ++i) {
    if (tables.forwarding.known(model::SwitchIndex{i})) ++known;
  }
  json.begin_object();
  json.field("switches_known", known);
  json.field("switches", tables.fabric->switches().size());
  json.field("sl_to_vl_tables", tables.sl_to_vl.size());
  json.field("partition_tables", tables.partitions.size());
  json.field("completed_at", tables.completed_at);
  json.end_object();
}

}  // namespace heddle::exporter
