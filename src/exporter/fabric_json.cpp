#include "exporter/fabric_json.hpp"

#include <fmt/format.h>

#include <array>

#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

constexpr std::array<model::NodeKind, 5> kKinds{
    model::NodeKind::kUnknown, model::NodeKind::kSwitch, model::NodeKind::kHostAdapter,
    model::NodeKind::kRouter, model::NodeKind::kAggregationNode};

}  // namespace

void write_node_counts(JsonWriter& json, const model::FabricSummary& summary) {
  json.begin_object("nodes");
  for (const model::NodeKind kind : kKinds) {
    const auto found = summary.nodes_by_kind.find(kind);
    json.field(to_string(kind), found == summary.nodes_by_kind.end() ? 0 : found->second);
  }
  json.end_object();
}

void write_counts(JsonWriter& json, const model::Fabric& fabric,
                  const model::FabricSummary& summary) {
  write_node_counts(json, summary);
  json.field("ports", fabric.ports().size());
  json.field("ports_down", summary.ports_down);
  json.field("links", summary.links);
  json.begin_object("links_by_rate");
  for (const auto& [rate, count] : summary.links_by_rate) json.field(rate, count);
  json.end_object();
  json.begin_array("switches_by_level");
  for (const std::size_t count : summary.switches_by_level) json.value(count);
  json.end_array();
  json.field("switches_without_level", summary.switches_without_level);
  json.begin_array("components");
  for (const std::size_t size : summary.component_sizes) json.value(size);
  json.end_array();
}

void write_faults(JsonWriter& json, const model::Fabric& fabric,
                  std::span<const model::DuplicateName> duplicates,
                  std::span<const model::DegradedLink> degraded_links) {
  json.begin_array("unresolved_peers");
  for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
    write_unresolved(json, fabric, peer);
  }
  json.end_array();
  json.begin_array("duplicate_names");
  for (const model::DuplicateName& name : duplicates) {
    json.begin_object();
    json.field("kind", to_string(name.kind));
    json.field("name", name.description);
    json.begin_array("nodes");
    for (const model::NodeGuid guid : name.nodes) json.value(guid);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.begin_array("anomalies");
  for (const model::Anomaly& anomaly : fabric.anomalies()) {
    json.begin_object();
    json.field("kind", to_string(anomaly.kind));
    json.field("guid", anomaly.where.node);
    json.field("port", anomaly.where.port);
    json.field("text", anomaly.text);
    json.key("position");
    if (anomaly.position) {
      json.value(fmt::format("{}:{}", anomaly.position->file, anomaly.position->line));
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
  json.begin_array("degraded_links");
  for (const model::DegradedLink& degraded : degraded_links) {
    const model::Link link = fabric.link(degraded.link);
    json.begin_object();
    json.field("link", link_id(fabric, link));
    json.key("a");
    write_port_ref(json, fabric, link.a);
    json.key("b");
    write_port_ref(json, fabric, link.b);
    json.field("active_rate", to_string(degraded.active));
    json.field("expected_rate", to_string(degraded.expected));
    json.field("against", to_string(degraded.against));
    json.end_object();
  }
  json.end_array();
}

}  // namespace heddle::exporter
