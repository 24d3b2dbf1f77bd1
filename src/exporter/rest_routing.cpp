#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "exporter/rest_context.hpp"
#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

using State = model::SubnetManager::State;

/// The master as the sweeps of heddled's own see it.
void write_master(JsonWriter& json, const View& view) {
  json.key("master");
  if (!view.tables) return json.null();
  const auto& managers = view.tables->subnet_managers;
  const auto master = std::ranges::find(managers, State::kMaster, &model::SubnetManager::state);
  if (master == managers.end()) return json.null();
  const auto node = view.fabric->find_node(master->node);
  json.begin_object();
  json.field("guid", master->node);
  json.field("port", master->port);
  json.field("name", node ? std::string_view(view.fabric->node(*node).description) : "");
  json.field("port_guid", master->port_guid);
  json.field("priority", master->priority);
  json.end_object();
}

void write_manager(JsonWriter& json, const ConnectedManager& manager) {
  json.begin_object();
  json.field("software", manager.software);
  json.field("process", manager.process);
  json.field("connected_since", manager.since);
  json.field("state", to_string(manager.state));
  json.field("port_guid", manager.port_guid);
  json.field("priority", manager.priority);
  json.field("events_taken", std::to_string(manager.events_taken));
  json.field("events_dropped", std::to_string(manager.events_dropped));
  json.field("slowest_callback_seconds", seconds(manager.slowest_callback));
  json.field("slow_callbacks", std::to_string(manager.slow_callbacks));
  json.end_object();
}

void write_run(JsonWriter& json, const RoutingRun& run) {
  json.begin_object();
  json.field("at", run.at);
  json.field("seconds", seconds(run.took));
  json.field("routed", run.routed);
  json.field("engine", unless_empty(run.engine));
  json.field("fallback", unless_empty(run.fallback));
  json.field("reason", unless_empty(run.reason));
  json.field("proved", run.proved);
  json.field("lanes", run.lanes);
  json.field("hosts", run.hosts);
  json.field("switches", run.switches);
  json.field("away", run.away);
  json.field("entries", std::to_string(run.entries));
  json.field("entries_changed", std::to_string(run.entries_changed));
  json.field("blocks_changed", std::to_string(run.blocks_changed));
  json.field("pairs_undelivered", std::to_string(run.undelivered));
  json.field("cables_weighted", run.weighted);
  json.end_object();
}

void write_totals(JsonWriter& json, const RoutingStatus& status) {
  json.begin_object("totals");
  json.field("runs", std::to_string(status.runs_total));
  json.field("runs_failed", std::to_string(status.runs_failed_total));
  json.field("runs_with_fallback", std::to_string(status.runs_fallback_total));
  json.field("entries_changed", std::to_string(status.entries_changed_total));
  json.field("blocks_changed", std::to_string(status.blocks_changed_total));
  json.field("blocks_written", std::to_string(status.blocks_written_total));
  json.field("events_dropped", std::to_string(status.events_dropped_total));
  json.end_object();
}

void write_weights(JsonWriter& json, const View& view, const RoutingStatus& status) {
  json.begin_array("weights");
  for (const CableWeightStatus& weight : status.weights) {
    json.begin_object();
    json.key("cable");
    write_port_ref(json, *view.fabric, weight.end);
    json.field("percent", weight.percent);
    json.field("expires_at", weight.expires);
    json.field("source", weight.source);
    json.end_object();
  }
  json.end_array();
}

/// Those that went down most often, and of those that were down for the longest.
void write_worst_links(JsonWriter& json, const View& view) {
  constexpr std::size_t kMost = 100;
  std::vector<LinkHistory> worst(std::min(kMost, view.link_histories.size()));
  std::ranges::partial_sort_copy(view.link_histories, worst, [](const auto& a, const auto& b) {
    return std::tuple(b.flaps, b.down, a.a, a.b) < std::tuple(a.flaps, a.down, b.a, b.b);
  });
  json.begin_array("worst_links");
  for (const LinkHistory& history : worst) {
    json.begin_object();
    json.key("a");
    write_port_ref(json, *view.fabric, history.a);
    json.key("b");
    write_port_ref(json, *view.fabric, history.b);
    json.field("flaps", history.flaps);
    json.field("down_seconds", seconds(history.down));
    json.field("down_since", history.down_since);
    json.end_object();
  }
  json.end_array();
}

/// Why there is nothing to see of OpenSM; empty if there is.
std::string_view why_unseen(const RoutingStatus& status) {
  if (!status.managers.empty()) return {};
  if (!status.listening) return status.not_listening_reason;
  return "no OpenSM with heddle's plugin is connected";
}

}  // namespace

Response get_routing(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  const View& view = context.view;
  static const RoutingStatus kNothing;
  const RoutingStatus& status = view.routing ? *view.routing : kNothing;
  JsonWriter json;
  json.begin_object();
  write_master(json, view);
  json.field("connected", !status.managers.empty());
  json.field("not_connected_reason",
             view.routing ? unless_empty(why_unseen(status))
                          : std::optional<std::string_view>("heddled listens for no plugin"));
  json.begin_array("managers");
  for (const ConnectedManager& manager : status.managers) write_manager(json, manager);
  json.end_array();
  json.field("last_sweep_at", status.last_sweep_at);
  json.begin_array("runs");
  for (const RoutingRun& run : status.runs) write_run(json, run);
  json.end_array();
  write_totals(json, status);
  write_weights(json, view, status);
  write_worst_links(json, view);
  json.end_object();
  return answer(std::move(json));
}

}  // namespace heddle::exporter
