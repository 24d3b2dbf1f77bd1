#include <algorithm>

#include "exporter/rest_context.hpp"
#include "exporter/rest_values.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

std::string_view unit_of(model::Counter counter) noexcept {
  if (model::counts_words(counter)) return "bytes";
  if (model::group_of(counter) == model::CounterGroup::kData) return "packets";
  return counter == model::Counter::kXmitWait ? "ticks" : "events";
}

/// In the unit of unit_of().
std::uint64_t in_unit(model::Counter counter, std::uint64_t total) noexcept {
  return model::counts_words(counter) ? model::to_bytes(model::Words32{total}).value() : total;
}

void write_counters(JsonWriter& json, const model::CounterTable& table,
                    const model::PortTotals& totals) {
  for (std::size_t i = 0; i < model::kCounterCount; ++i) {
    const auto counter = static_cast<model::Counter>(i);
    if (!totals.has(counter)) continue;
    const model::CounterGroup group = model::group_of(counter);
    const auto read_at = totals.time_of(group);
    const auto age = read_at ? std::optional(table.published_at - *read_at) : std::nullopt;
    json.begin_object();
    json.field("counter", to_string(counter));
    json.field("group", to_string(group));
    json.key("value");
    json.counter(in_unit(counter, totals.value[i]));
    json.field("unit", unit_of(counter));
    json.field("at_least", totals.is_at_least(counter));
    json.key("read_at");
    if (age) {
      json.value(table.published_at_wall -
                 std::chrono::duration_cast<std::chrono::system_clock::duration>(*age));
    } else {
      json.null();
    }
    json.field("age_seconds", age ? std::optional(std::max(0.0, seconds(*age))) : std::nullopt);
    json.end_object();
  }
}

void write_history(JsonWriter& json, const View& view, model::PortIndex port) {
  for (const auto& frame : view.history) {
    const model::PortRates* rates = rates_in(*frame, *view.fabric, port);
    if (rates == nullptr) continue;
    json.begin_object();
    json.field("time", frame->time);
    json.field("xmit_bytes_per_second", rates->xmit_bytes_per_second.get());
    json.field("rcv_bytes_per_second", rates->rcv_bytes_per_second.get());
    json.field("xmit_wait_ticks_per_second", rates->xmit_wait_ticks_per_second.get());
    json.end_object();
  }
}

template <class Enum>
void write_set(JsonWriter& json, std::string_view name, model::RateSet<Enum> set, Enum last) {
  json.begin_array(name);
  for (unsigned v = 1; v <= static_cast<unsigned>(last); ++v) {
    const auto value = static_cast<Enum>(v);
    if (set.contains(value)) json.value(to_string(value));
  }
  json.end_array();
}

void write_identity(JsonWriter& json, const model::Fabric& fabric, model::PortIndex index) {
  const model::Port& port = fabric.port(index);
  const model::Node& node = fabric.node(port.node);
  const auto data_rate = model::data_rate(port.rate);
  json.field("guid", node.guid);
  json.field("port", port.number);
  json.field("name", node.description);
  json.field("kind", to_string(node.kind));
  json.field("port_guid", port.guid);
  json.field("lid", fabric.management_lid(index));
  json.field("lmc", port.lmc);
  json.field("state", to_string(port.state));
  json.field("physical_state", to_string(port.physical_state));
  json.field("rate", to_string(port.rate));
  json.field("data_rate_bits_per_second",
             data_rate ? std::optional(data_rate->value()) : std::nullopt);
  json.field("mtu_bytes", port.mtu_bytes);
  json.field("operational_vls", port.operational_vls);
  json.field("is_subnet_manager", port.is_subnet_manager);
  write_set(json, "speeds_supported", port.speeds_supported, model::LinkSpeed::kXdr);
  write_set(json, "speeds_enabled", port.speeds_enabled, model::LinkSpeed::kXdr);
  write_set(json, "widths_supported", port.widths_supported, model::LinkWidth::k12x);
  write_set(json, "widths_enabled", port.widths_enabled, model::LinkWidth::k12x);
}

void write_peer(JsonWriter& json, const model::Fabric& fabric, model::PortIndex index) {
  const std::optional<model::LinkIndex> link = fabric.link_of(index);
  const auto loose = std::ranges::find(fabric.unresolved(), index, &model::UnresolvedPeer::port);
  json.key("peer");
  if (link) {
    write_port_ref(json, fabric, *fabric.peer(index));
  } else {
    json.null();
  }
  json.key("unresolved_peer");
  if (loose != fabric.unresolved().end()) {
    write_unresolved(json, fabric, *loose);
  } else {
    json.null();
  }
  json.field("link", link ? std::optional(link_id(fabric, fabric.link(*link))) : std::nullopt);
}

}  // namespace

Response get_port(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  const std::string text = context.target.segments[2] + "/" + context.target.segments[3];
  const model::Result<model::PortKey> key = model::parse_port_key(text);
  if (!key) return problem(400, "Bad port", excerpt(text) + " is not GUID/PORT");
  const model::Fabric& fabric = context.fabric();
  const std::optional<model::PortIndex> port = fabric.find_port(*key);
  if (!port) return problem(404, "No such port", "this fabric has no port " + excerpt(text));

  const model::PortTotals* totals = totals_of(context.view, *port);
  JsonWriter json;
  json.begin_object();
  write_identity(json, fabric, *port);
  write_peer(json, fabric, *port);
  json.begin_array("counters");
  if (totals != nullptr) write_counters(json, *context.view.counters, *totals);
  json.end_array();
  json.field("counter_resets", totals == nullptr ? 0U : totals->resets);
  json.field("wait_tick", totals == nullptr ? std::nullopt : totals->wait_tick);
  json.begin_array("history");
  write_history(json, context.view, *port);
  json.end_array();
  json.end_object();
  return answer(std::move(json));
}

}  // namespace heddle::exporter
