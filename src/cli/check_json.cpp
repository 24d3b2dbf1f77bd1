#include "cli/check_report.hpp"
#include "exporter/json_writer.hpp"

namespace heddle::cli {

using exporter::JsonWriter;
using model::Fabric;
using model::PortIndex;
using routing::ChannelLane;
using routing::Graph;

namespace {

/// Members of the object that is open.
void write_end(JsonWriter& json, const Fabric& fabric, PortIndex port) {
  json.field("guid", fabric.key(port).node);
  json.field("port", fabric.key(port).port);
  json.field("name", fabric.node(fabric.port(port).node).description);
}

void write_channel(JsonWriter& json, const Fabric& fabric, const routing::Arc& arc) {
  write_end(json, fabric, *fabric.find_port(fabric.node_of(arc.from), arc.exit));
}

void write_cycle(JsonWriter& json, std::string_view name, const Fabric& fabric, const Graph& graph,
                 const std::vector<ChannelLane>& cycle) {
  json.begin_array(name);
  for (const ChannelLane& held : cycle) {
    json.begin_object();
    write_channel(json, fabric, graph.arc(held.arc));
    json.field("vl", held.vl);
    json.end_object();
  }
  json.end_array();
}

/// The numbers of the bits that are set.
void write_bits(JsonWriter& json, std::string_view name, std::uint16_t mask) {
  json.begin_array(name);
  for (std::uint32_t level = 0; level < 16; ++level) {
    if (((std::uint32_t{mask} >> level) & 1U) != 0) json.value(level);
  }
  json.end_array();
}

void write_verdict(JsonWriter& json, const Fabric& fabric, const Graph& graph,
                   const routing::Verdict& verdict) {
  json.field("pairs", verdict.pairs);
  json.field("unconnected", verdict.unconnected);
  json.field("unreachable", verdict.unreachable);
  json.field("looping", verdict.looping);
  json.field("longest_hops", verdict.longest_hops);
  json.field("longer_than_shortest", verdict.longer_than_shortest);
  json.field("extra_hops", verdict.extra_hops);
  json.field("own_lids_sent_away", verdict.own_lids_sent_away);
  write_bits(json, "lanes_used", verdict.lanes_used);
  write_cycle(json, "cycle", fabric, graph, verdict.cycle);
  json.key("first_bad");
  if (!verdict.first_bad) return json.null();
  json.begin_object();
  json.begin_object("source");
  write_end(json, fabric, graph.terminal(verdict.first_bad->source).port);
  json.end_object();
  json.field("lid", verdict.first_bad->destination);
  json.begin_object("destination");
  write_end(json, fabric, *fabric.find_lid(verdict.first_bad->destination));
  json.end_object();
  json.end_object();
}

void write_missing(JsonWriter& json, const Fabric& fabric, const Graph& graph,
                   const CheckReport& report) {
  json.begin_array("switches_without_table");
  for (const model::SwitchIndex sw : report.without_table) json.value(graph.guid(sw));
  json.end_array();
  json.begin_array("ports_without_lid");
  for (const PortIndex port : report.without_lid) {
    json.begin_object();
    write_end(json, fabric, port);
    json.end_object();
  }
  json.end_array();
}

void write_score(JsonWriter& json, const routing::Score& score) {
  json.begin_object("score");
  json.field("bisection_bandwidth_ratio", score.bisection_bandwidth_ratio);
  json.field("bisection_bandwidth_ratio_min", score.bisection_bandwidth_ratio_min);
  json.field("shift_max", score.shift_max);
  json.field("shift_mean_max", score.shift_mean_max);
  json.field("random_max_median", score.random_max_median);
  json.field("random_max_p99", score.random_max_p99);
  json.field("routes_per_arc_max", score.routes_per_arc_max);
  json.field("routes_per_arc_mean", score.routes_per_arc_mean);
  json.field("routes_per_arc_deviation", score.routes_per_arc_deviation);
  json.begin_array("paths_by_hops");
  for (const std::uint64_t paths : score.paths_by_hops) json.value(paths);
  json.end_array();
  json.end_object();
}

void write_change(JsonWriter& json, const Fabric& fabric, const Graph& graph,
                  const CheckReport::Change& change) {
  json.begin_object("change");
  json.field("entries", change.tables.entries);
  json.field("unavoidable", change.tables.unavoidable);
  json.field("blocks", change.tables.blocks);
  json.field("switches", change.tables.switches);
  json.field("looping_lids", std::uint64_t{change.transition.looping.size()});
  json.begin_array("new_levels");
  for (const routing::LevelChange& pair : change.levels) {
    json.begin_object();
    json.field("switch", graph.guid(pair.source));
    json.field("lid", pair.destination);
    write_bits(json, "before", pair.before);
    write_bits(json, "after", pair.after);
    json.end_object();
  }
  json.end_array();
  json.key("first_loop");
  if (const auto& loop = change.transition.first_loop) {
    json.begin_object();
    json.field("lid", loop->destination);
    json.begin_array("channels");
    for (const routing::ArcIndex arc : loop->arcs) {
      json.begin_object();
      write_channel(json, fabric, graph.arc(arc));
      json.end_object();
    }
    json.end_array();
    json.end_object();
  } else {
    json.null();
  }
  write_cycle(json, "mixture_cycle", fabric, graph, change.transition.cycle);
  write_cycle(json, "settled_cycle", fabric, graph, change.transition.settled_cycle);
  json.end_object();
}

}  // namespace

std::string check_json(const Fabric& fabric, const Graph& graph, const CheckReport& report) {
  JsonWriter json;
  json.begin_object();
  json.field("good", report.good());
  write_verdict(json, fabric, graph, report.verdict);
  write_missing(json, fabric, graph, report);
  if (report.score) write_score(json, *report.score);
  if (report.change) write_change(json, fabric, graph, *report.change);
  json.end_object();
  return std::move(json).take();
}

}  // namespace heddle::cli
