#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "exporter/metric_families.hpp"
#include "exporter/rest_values.hpp"
#include "exporter/service_writer.hpp"

namespace heddle::exporter {
namespace {

void write_fabric(ServiceWriter& out, const View& view) {
  const model::FabricSummary& summary = *view.summary;
  out.gauge("heddle_fabric_nodes", "Devices by kind");
  for (const auto& [kind, count] : summary.nodes_by_kind) {
    out.sample({{"kind", to_string(kind)}}, std::uint64_t{count});
  }
  out.gauge("heddle_fabric_switches", "Switches by level: 0 has hosts, 1 is next to those");
  for (std::size_t level = 0; level < summary.switches_by_level.size(); ++level) {
    out.sample({{"level", fmt::to_string(level)}}, std::uint64_t{summary.switches_by_level[level]});
  }
  out.gauge("heddle_fabric_links", "Cables with both ends known, by rate of the slower end");
  for (const auto& [rate, count] : summary.links_by_rate) {
    out.sample({{"rate", rate}}, std::uint64_t{count});
  }
  out.gauge("heddle_fabric_links_degraded", "Links slower than they could be",
            std::uint64_t{view.degraded->size()});
  out.gauge("heddle_fabric_ports_down", "Ports known to be down",
            std::uint64_t{summary.ports_down});
  out.gauge("heddle_fabric_unresolved_peers", "Cabled ports whose other end is not known",
            std::uint64_t{summary.unresolved});
  out.gauge("heddle_fabric_components", "Parts of the fabric with no cable between them",
            std::uint64_t{summary.component_sizes.size()});
  std::map<model::AnomalyKind, std::uint64_t> anomalies;
  for (const model::Anomaly& anomaly : view.fabric->anomalies()) ++anomalies[anomaly.kind];
  out.gauge("heddle_fabric_anomalies", "Contradictions found in the fabric, by kind");
  for (const auto& [kind, count] : anomalies) out.sample({{"kind", to_string(kind)}}, count);
  out.gauge("heddle_fabric_stale", "Whether the last good snapshot is served in place of the last",
            view.stale);
}

void write_degraded(ServiceWriter& out, const View& view) {
  const model::Fabric& fabric = *view.fabric;
  out.gauge("heddle_link_degraded_info", "A link slower than it could be, by its lower end");
  for (const model::DegradedLink& degraded : *view.degraded) {
    const model::Link link = fabric.link(degraded.link);
    const model::PortKey a = fabric.key(link.a);
    const model::PortKey b = fabric.key(link.b);
    out.sample({{"guid", fmt::to_string(a.node)},
                {"port", fmt::to_string(a.port)},
                {"name", fabric.node(fabric.port(link.a).node).description},
                {"peer_guid", fmt::to_string(b.node)},
                {"peer_port", fmt::to_string(b.port)},
                {"peer_name", fabric.node(fabric.port(link.b).node).description},
                {"active", to_string(degraded.active)},
                {"expected", to_string(degraded.expected)},
                {"against", to_string(degraded.against)}},
               std::uint64_t{1});
  }
}

void write_subnet_managers(ServiceWriter& out, const View& view) {
  if (!view.tables) return;
  using State = model::SubnetManager::State;
  out.gauge("heddle_fabric_subnet_managers", "Subnet managers by state");
  for (const State state :
       {State::kNotActive, State::kDiscovering, State::kStandby, State::kMaster, State::kUnknown}) {
    const auto count =
        std::ranges::count(view.tables->subnet_managers, state, &model::SubnetManager::state);
    out.sample({{"state", to_string(state)}}, static_cast<std::uint64_t>(count));
  }
}

/// How much of what heddle says of routes rests on old readings.
void write_tables(ServiceWriter& out, const View& view) {
  if (!view.tables) return;
  const model::FabricTables::Unread& unread = view.tables->unread;
  out.gauge("heddle_tables_unread_devices",
            "Devices of which a table was wanted but not read as a whole, by kind of table");
  out.sample({{"table", "forwarding"}}, std::uint64_t{unread.forwarding.size()});
  out.sample({{"table", "sl_to_vl"}}, std::uint64_t{unread.sl_to_vl.size()});
  out.sample({{"table", "partitions"}}, std::uint64_t{unread.partitions.size()});
  out.gauge("heddle_tables_led_astray",
            "Tables that the last reading dropped, since a cable had moved and another device "
            "answered",
            view.tables->led_astray);
}

void write_sweep(ServiceWriter& out, const View& view) {
  const model::SweepReport& sweep = view.sweep;
  if (!sweep.started_at) return;
  out.gauge("heddle_sweep_start_time_seconds", "When the last sweep of the subnet began",
            unix_seconds(*sweep.started_at));
  out.gauge("heddle_sweep_duration_seconds", "How long the last sweep of the subnet took",
            seconds(sweep.duration));
  out.gauge("heddle_sweep_queries", "Queries of the last sweep of the subnet", sweep.queries);
  out.gauge("heddle_sweep_timeouts", "Queries of the last sweep that were never answered",
            sweep.timeouts);
  out.gauge("heddle_sweep_mute_devices", "Cabled devices that did not answer the last sweep",
            std::uint64_t{sweep.mute.size()});
}

void write_jobs(ServiceWriter& out, const View& view) {
  out.counter("heddle_job_completed_total", "Times a periodic job was completed");
  for (const JobStatus& job : view.jobs) out.sample({{"job_name", job.name}}, job.completed);
  out.counter("heddle_job_failed_total", "Times a periodic job failed");
  for (const JobStatus& job : view.jobs) out.sample({{"job_name", job.name}}, job.failed);
  out.gauge("heddle_job_last_completed_timestamp_seconds",
            "When a periodic job was last completed");
  for (const JobStatus& job : view.jobs) {
    if (job.last_completed_at)
      out.sample({{"job_name", job.name}}, unix_seconds(*job.last_completed_at));
  }
  out.gauge("heddle_job_last_duration_seconds", "How long a periodic job took when last completed");
  for (const JobStatus& job : view.jobs) {
    if (job.completed != 0) out.sample({{"job_name", job.name}}, seconds(job.last_duration));
  }
}

/// A collector of the exporters of this field, and the job that does the same here. One sweep asks
/// switches and adapters alike.
struct CollectorName {
  std::string_view collector;
  std::string_view job;
};
constexpr std::array<CollectorName, 3> kCollectors{
    {{"ibnetdiscover", "topology"}, {"switch", "counters_data"}, {"hca", "counters_data"}}};

template <class Write>
void for_each_collector(const View& view, Write write) {
  for (const CollectorName& name : kCollectors) {
    const auto job = std::ranges::find(view.jobs, name.job, &JobStatus::name);
    if (job != view.jobs.end()) write(name.collector, *job);
  }
}

/// What dashboards of the field show of an exporter itself.
void write_collectors(ServiceWriter& out, const View& view, Compatibility compatibility) {
  out.gauge("infiniband_exporter_collector_duration_seconds",
            "How long the collection took when last completed");
  for_each_collector(view, [&](std::string_view collector, const JobStatus& job) {
    if (job.completed != 0) out.sample({{"collector", collector}}, seconds(job.last_duration));
  });
  out.gauge("infiniband_exporter_last_execution", "When the collection was last completed");
  for_each_collector(view, [&](std::string_view collector, const JobStatus& job) {
    if (job.last_completed_at)
      out.sample({{"collector", collector}}, unix_seconds(*job.last_completed_at));
  });
  if (compatibility == Compatibility::kSckyzo) {
    out.counter("infiniband_exporter_collect_errors_total", "Times the collection failed");
    for_each_collector(view, [&](std::string_view collector, const JobStatus& job) {
      out.sample({{"collector", collector}}, job.failed);
    });
    return;
  }
  out.gauge("infiniband_exporter_collect_errors", "Whether the last run of the collection failed");
  for_each_collector(view, [&](std::string_view collector, const JobStatus& job) {
    if (job.completed + job.failed != 0)
      out.sample({{"collector", collector}}, !job.last_error.empty());
  });
}

/// When the data counters of all ports ever read were read, as Unix time.
std::vector<double> data_read_times(const View& view, const PortRows& rows) {
  std::vector<double> times;
  if (!view.counters) return times;
  const double published = unix_seconds(view.counters->published_at_wall);
  for (const PortRow& row : rows.rows()) {
    if (row.totals == nullptr) continue;
    const auto read_at = row.totals->time_of(model::CounterGroup::kData);
    if (!read_at) continue;
    times.push_back(published - std::max(0.0, seconds(view.counters->published_at - *read_at)));
  }
  return times;
}

/// Times and not ages: an age would stand still in a body that is not rendered anew, just when
/// the sweeps have stopped.
void write_freshness(ServiceWriter& out, const View& view, const PortRows& rows) {
  out.gauge("heddle_counters_ports", "Ports that the last sweep of data counters asked about",
            view.ports_asked);
  out.gauge("heddle_counters_ports_fresh",
            "Of those, ports that answered; 0 when no sweep was completed for three periods",
            view.ports_fresh);
  std::vector<double> times = data_read_times(view, rows);
  if (times.empty()) return;
  // Nearest rank: the latest time that at least 99 % of the ports do not fall short of.
  const auto p99 = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 100);
  std::ranges::nth_element(times, p99);
  out.gauge("heddle_counters_data_p99_read_timestamp_seconds",
            "When data counters were read: 99 % of the ports then or later", *p99);
  out.gauge("heddle_counters_data_oldest_read_timestamp_seconds",
            "When data counters were read: the port that waits longest",
            *std::min_element(times.begin(), p99 + 1));
}

/// What became of the readings: gaps in rates and `at least` totals have their reason here.
void write_intake(ServiceWriter& out, const View& view) {
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.counter(name, help);
    out.sample({}, value);
  };
  const CounterIntake& intake = view.intake;
  counter("heddle_counters_samples_total", "Counter readings taken in", intake.samples);
  counter("heddle_counters_resets_total",
          "Readings lower than before: counters were cleared or the device restarted",
          intake.resets);
  counter("heddle_counters_implausible_total", "Readings higher than the link could carry",
          intake.implausible);
  counter("heddle_counters_late_total",
          "Readings ignored: overtaken by a newer one, or asked at a LID since given away",
          intake.late);
  counter("heddle_counters_unknown_ports_total", "Readings ignored: the port is not in the fabric",
          intake.unknown_ports);
}

}  // namespace

void write_service_families(MetricWriter& writer, const View& view, const PortRows& rows,
                            Compatibility compatibility) {
  ServiceWriter out(writer, rows.fabric_label());
  write_fabric(out, view);
  write_degraded(out, view);
  write_subnet_managers(out, view);
  write_tables(out, view);
  write_sweep(out, view);
  write_freshness(out, view, rows);
  write_intake(out, view);
  write_jobs(out, view);
  write_collectors(out, view, compatibility);
  out.counter("heddle_events_dropped_total", "Events that the log could not keep");
  out.sample({}, view.events_dropped);
  out.gauge("heddle_ready", "Whether a complete and current sweep is served", view.ready);
  out.gauge("heddle_start_time_seconds", "When the daemon started", unix_seconds(view.started_at));
  out.gauge("heddle_build_info", "Version of heddle");
  out.sample({{"version", view.version}}, std::uint64_t{1});
}

}  // namespace heddle::exporter
