#include "exporter/fabric_json.hpp"
#include "exporter/rest_context.hpp"
#include "exporter/rest_tables.hpp"
#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

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
  write_faults(json, *view.fabric, *view.duplicates, *view.degraded);
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
