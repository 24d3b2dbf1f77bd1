#include <string_view>
#include <utility>

#include "cli/whatif_report.hpp"
#include "exporter/json_writer.hpp"

namespace heddle::cli {

using exporter::JsonWriter;

namespace {

void write_end(JsonWriter& json, std::string_view name, const WhatifReport::End& end) {
  json.begin_object(name);
  json.field("guid", end.port.node);
  json.field("port", end.port.port);
  json.field("name", end.name);
  json.end_object();
}

/// Members of the object that is open.
void write_summary(JsonWriter& json, const routing::RateSummary& summary) {
  json.field("flows", summary.flows);
  json.field("undelivered", summary.undelivered);
  json.field("minimum_bits_per_second", summary.minimum.value());
  json.field("median_bits_per_second", summary.median.value());
  json.field("mean_bits_per_second", summary.mean.value());
}

void write_limits(JsonWriter& json, const std::vector<WhatifReport::Limit>& limits) {
  json.begin_array("limits");
  for (const WhatifReport::Limit& limit : limits) {
    json.begin_object();
    write_end(json, "from", limit.from);
    write_end(json, "to", limit.to);
    json.field("flows", limit.flows);
    json.field("bits_per_second_each", limit.rate.value());
    json.end_object();
  }
  json.end_array();
}

void write_reshape(JsonWriter& json, const std::optional<WhatifReport::Reshape>& reshape) {
  json.key("reshape");
  if (!reshape) return json.null();
  json.begin_object();
  json.field("ratio", reshape->ratio);
  json.field("uplinks_per_leaf", reshape->uplinks);
  json.field("switches_removed", reshape->switches_removed);
  json.field("switches_added", reshape->switches_added);
  json.field("cables_removed", reshape->cables_removed);
  json.field("cables_added", reshape->cables_added);
  json.end_object();
}

void write_state(JsonWriter& json, const WhatifReport& report, const WhatifReport::State& state) {
  json.begin_object();
  json.field("name", state.name);
  json.field("tables", state.tables);
  json.field("leaf_oversubscription_permille", state.leaf_oversubscription_permille);
  write_summary(json, state.all);
  json.field("lost", state.lost);
  json.key("rerouted");
  state.changes ? json.value(state.changes->rerouted) : json.null();
  json.key("interrupted");
  state.changes ? json.value(state.changes->interrupted) : json.null();
  json.field("over_drained", state.over_drained);
  write_reshape(json, state.reshape);
  json.begin_array("jobs");
  for (std::size_t j = 0; j < state.jobs.size(); ++j) {
    json.begin_object();
    json.field("job", report.jobs[j]);
    write_summary(json, state.jobs[j]);
    json.end_object();
  }
  json.end_array();
  write_limits(json, state.limits);
  json.begin_array("rates_bits_per_second");
  for (const model::BitsPerSecond rate : state.rates) json.value(rate.value());
  json.end_array();
  json.begin_array("limited_by");
  for (const std::optional<std::uint32_t>& limit : state.limited_by) json.value(limit);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string whatif_json(const WhatifReport& report) {
  JsonWriter json;
  json.begin_object();
  json.field("good", report.good());
  json.field("shape", to_string(report.shape));
  json.field("switches", report.switches);
  json.field("end_ports", report.end_ports);
  json.field("traffic", report.traffic);
  json.key("assumed_bits_per_second");
  report.assumed_rate ? json.value(report.assumed_rate->value()) : json.null();
  json.begin_array("flows");
  for (const WhatifReport::Flow& flow : report.flows) {
    json.begin_object();
    write_end(json, "from", flow.from);
    write_end(json, "to", flow.to);
    json.field("job", report.jobs[flow.job]);
    json.end_object();
  }
  json.end_array();
  json.begin_array("states");
  for (const WhatifReport::State& state : report.states) write_state(json, report, state);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace heddle::cli
