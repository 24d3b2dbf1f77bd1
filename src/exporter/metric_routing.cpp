#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "exporter/metric_families.hpp"
#include "exporter/prometheus.hpp"
#include "exporter/rest_values.hpp"
#include "exporter/service_writer.hpp"

namespace heddle::exporter {
namespace {

using State = model::SubnetManager::State;

void write_plugin(ServiceWriter& out, const RoutingStatus& status) {
  out.gauge("heddle_plugin_connected", "OpenSMs whose plugin is connected",
            std::uint64_t{status.managers.size()});
  out.counter("heddle_plugin_messages_total", "Messages of OpenSM's plugin, by kind");
  for (const auto& [kind, count] : status.messages.by_kind()) out.sample({{"kind", kind}}, count);
  out.counter("heddle_plugin_events_dropped_total",
              "Events that plugins lost for want of room or of a connection");
  out.sample({}, status.events_dropped_total);
  if (status.managers.empty()) return;
  const auto slowest = std::ranges::max(status.managers, {}, &ConnectedManager::slowest_callback);
  out.gauge("heddle_plugin_slowest_callback_seconds",
            "The longest that a callback of OpenSM took in the plugin, since it was loaded",
            seconds(slowest.slowest_callback));
}

void write_last_run(ServiceWriter& out, const RoutingRun& run) {
  out.gauge("heddle_routing_last_run_timestamp_seconds", "When heddle's engine in OpenSM ran last",
            unix_seconds(run.at));
  out.gauge("heddle_routing_last_run_duration_seconds", "How long the last run took",
            seconds(run.took));
  out.gauge("heddle_routing_last_run_routed", "Whether the last run gave OpenSM tables",
            run.routed);
  if (!run.routed) return;
  out.gauge("heddle_routing_proved",
            "Whether the tables of the last run are proved free of loops and deadlocks",
            run.proved);
  out.gauge("heddle_routing_fallback",
            "Whether a better suited engine gave up before the one of the last run",
            !run.fallback.empty());
  out.gauge("heddle_routing_info", "Engine of the last run");
  out.sample({{"engine", run.engine}}, std::uint64_t{1});
  out.gauge("heddle_routing_lanes", "Virtual lanes that the tables of the last run use",
            std::uint64_t{run.lanes});
  out.gauge("heddle_routing_entries", "Entries of the tables of the last run", run.entries);
  out.gauge("heddle_routing_last_run_entries_changed", "Of those, changed by the last run",
            run.entries_changed);
  out.gauge("heddle_routing_pairs_undelivered",
            "Pairs that the cabling connects and the tables of the last run do not",
            run.undelivered);
  out.gauge("heddle_routing_parts_away", "Known switches and end ports that were not there",
            std::uint64_t{run.away});
  out.gauge("heddle_routing_cables_weighted", "Cables that the last run took as drained or reduced",
            std::uint64_t{run.weighted});
}

void write_totals(ServiceWriter& out, const RoutingStatus& status) {
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.counter(name, help);
    out.sample({}, value);
  };
  counter("heddle_routing_runs_total", "Runs of heddle's engine in OpenSM", status.runs_total);
  counter("heddle_routing_runs_failed_total", "Runs that gave no tables: the next engine routed",
          status.runs_failed_total);
  counter("heddle_routing_runs_fallback_total", "Runs in which a better suited engine gave up",
          status.runs_fallback_total);
  counter("heddle_routing_entries_changed_total", "Entries that runs changed",
          status.entries_changed_total);
  counter("heddle_routing_blocks_changed_total",
          "Blocks of 64 LIDs with an entry that runs changed", status.blocks_changed_total);
  counter("heddle_routing_blocks_written_total", "Blocks that switches acknowledged to OpenSM",
          status.blocks_written_total);
}

}  // namespace

std::string render_routing_metrics(const View& view) {
  MetricWriter writer;
  std::string fabric = "{";
  append_label(fabric, "fabric", view.fabric_name);
  ServiceWriter out(writer, fabric);
  if (view.tables) {
    out.gauge("heddle_routing_master_seen", "Whether the last sweep saw a master subnet manager",
              std::ranges::count(view.tables->subnet_managers, State::kMaster,
                                 &model::SubnetManager::state) != 0);
  }
  if (view.routing) {
    write_plugin(out, *view.routing);
    write_totals(out, *view.routing);
    if (!view.routing->runs.empty()) write_last_run(out, view.routing->runs.back());
  }
  return std::move(writer).take();
}

void write_link_histories(MetricWriter& writer, const View& view, const PortRows& rows) {
  ServiceWriter out(writer, rows.fabric_label());
  const auto sample = [&](const LinkHistory& history, auto value) {
    out.sample({{"guid", fmt::to_string(history.a.node)},
                {"port", fmt::to_string(history.a.port)},
                {"peer_guid", fmt::to_string(history.b.node)},
                {"peer_port", fmt::to_string(history.b.port)}},
               value);
  };
  out.counter("heddle_link_flaps_total", "Times that a cable went down, by its lower end");
  for (const LinkHistory& history : view.link_histories) sample(history, history.flaps);
  out.counter("heddle_link_down_seconds_total", "How long a cable was down, by its lower end");
  for (const LinkHistory& history : view.link_histories) sample(history, seconds(history.down));
}

}  // namespace heddle::exporter
