#include <fmt/format.h>

#include <array>

#include "exporter/rest_context.hpp"
#include "exporter/rest_tables.hpp"
#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

constexpr std::array<model::NodeKind, 5> kKinds{
    model::NodeKind::kUnknown, model::NodeKind::kSwitch, model::NodeKind::kHostAdapter,
    model::NodeKind::kRouter, model::NodeKind::kAggregationNode};

void write_counts(JsonWriter& json, const model::Fabric& fabric,
                  const model::FabricSummary& summary) {
  json.begin_object("nodes");
  for (const model::NodeKind kind : kKinds) {
    const auto found = summary.nodes_by_kind.find(kind);
    json.field(to_string(kind), found == summary.nodes_by_kind.end() ? 0 : found->second);
  }
  json.end_object();
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

void write_faults(JsonWriter& json, const View& view) {
  const model::Fabric& fabric = *view.fabric;
  json.begin_array("unresolved_peers");
  for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
    write_unresolved(json, fabric, peer);
  }
  json.end_array();
  json.begin_array("duplicate_names");
  for (const model::DuplicateName& name : *view.duplicates) {
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
  for (const model::DegradedLink& degraded : *view.degraded) {
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

void write_subnet_managers(JsonWriter& json, const View& view) {
  json.key("subnet_managers");
  if (!view.tables) return json.null();
  json.begin_array();
  for (const model::SubnetManager& manager : view.tables->subnet_managers) {
    const auto node = view.fabric->find_node(manager.node);
    json.begin_object();
    json.field("guid", manager.node);
    json.field("port", manager.port);
    json.field("name", node ? std::string_view(view.fabric->node(*node).description) : "");
    json.field("port_guid", manager.port_guid);
    json.field("priority", manager.priority);
    json.field("state", to_string(manager.state));
    json.field("activity_count", manager.activity_count);
    json.end_object();
  }
  json.end_array();
}

void write_sweep(JsonWriter& json, const View& view) {
  json.begin_object("sweep");
  json.field("started_at", view.sweep.started_at);
  json.field("duration_seconds", seconds(view.sweep.duration));
  json.field("queries", view.sweep.queries);
  json.field("timeouts", view.sweep.timeouts);
  json.begin_array("mute");
  for (const model::SweepReport::Mute& mute : view.sweep.mute) {
    const auto node = mute.node ? view.fabric->find_node(*mute.node) : std::nullopt;
    json.begin_object();
    json.field("guid", mute.node);
    json.field("name", node ? std::string_view(view.fabric->node(*node).description) : "");
    json.key("behind");
    write_port_ref(json, *view.fabric, mute.behind);
    json.field("text", mute.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

/// What /v1/fabric and /v1/status both say of the snapshot.
void write_publication(JsonWriter& json, const View& view) {
  json.field("generation", view.generation);
  json.field("published_at", view.published_at);
  json.field("stale", view.stale);
  json.field("stale_reason", unless_empty(view.stale_reason));
}

}  // namespace

Response get_fabric(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  const View& view = context.view;
  JsonWriter json;
  json.begin_object();
  json.field("name", view.fabric_name);
  write_publication(json, view);
  write_counts(json, *view.fabric, *view.summary);
  write_faults(json, view);
  write_subnet_managers(json, view);
  json.key("tables");
  write_tables(json, view);
  write_sweep(json, view);
  json.end_object();
  return answer(std::move(json));
}

Response get_status(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  const View& view = context.view;
  JsonWriter json;
  json.begin_object();
  json.field("version", view.version);
  json.field("fabric", view.fabric_name);
  json.field("started_at", view.started_at);
  json.field("uptime_seconds", seconds(view.published_at - view.started_at));
  json.field("ready", view.ready);
  json.field("not_ready_reason", unless_empty(view.not_ready_reason));
  write_publication(json, view);
  json.field("ports_asked", view.ports_asked);
  json.field("ports_fresh", view.ports_fresh);
  json.field("metric_series", view.metric_series);
  json.field("events_dropped", view.events_dropped);
  json.begin_array("jobs");
  for (const JobStatus& job : view.jobs) {
    json.begin_object();
    json.field("name", job.name);
    json.field("completed", job.completed);
    json.field("failed", job.failed);
    json.field("last_completed_at", job.last_completed_at);
    json.field("last_duration_seconds", seconds(job.last_duration));
    json.field("last_error", unless_empty(job.last_error));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return answer(std::move(json));
}

}  // namespace heddle::exporter
