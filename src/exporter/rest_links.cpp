#include <algorithm>
#include <array>

#include "exporter/rest_context.hpp"
#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

enum class PairKind : std::uint8_t {
  kSwitchSwitch,
  kSwitchHost,
  kSwitchRouter,
  kSwitchAggregation,
  kHostHost,
  kOther
};

std::optional<PairKind> parse_pair(std::string_view word) noexcept {
  static constexpr std::array<std::pair<std::string_view, PairKind>, 6> kWords{{
      {"switch-switch", PairKind::kSwitchSwitch},
      {"switch-host", PairKind::kSwitchHost},
      {"switch-router", PairKind::kSwitchRouter},
      {"switch-aggregation", PairKind::kSwitchAggregation},
      {"host-host", PairKind::kHostHost},
      {"other", PairKind::kOther},
  }};
  for (const auto& [name, kind] : kWords) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

model::NodeKind kind_at(const model::Fabric& fabric, model::PortIndex port) noexcept {
  return fabric.node(fabric.port(port).node).kind;
}

PairKind pair_kind(const model::Fabric& fabric, model::Link link) noexcept {
  model::NodeKind a = kind_at(fabric, link.a);
  model::NodeKind b = kind_at(fabric, link.b);
  if (b == model::NodeKind::kSwitch) std::swap(a, b);
  if (a == model::NodeKind::kHostAdapter && b == a) return PairKind::kHostHost;
  if (a != model::NodeKind::kSwitch) return PairKind::kOther;
  switch (b) {
    case model::NodeKind::kSwitch:
      return PairKind::kSwitchSwitch;
    case model::NodeKind::kHostAdapter:
      return PairKind::kSwitchHost;
    case model::NodeKind::kRouter:
      return PairKind::kSwitchRouter;
    case model::NodeKind::kAggregationNode:
      return PairKind::kSwitchAggregation;
    case model::NodeKind::kUnknown:
      return PairKind::kOther;
  }
  return PairKind::kOther;
}

/// Waiting is no error; data and packets are none either.
bool counts_errors(model::Counter counter) noexcept {
  return model::group_of(counter) != model::CounterGroup::kData &&
         counter != model::Counter::kXmitWait;
}

/// Schema LinkEnd.
void write_end(JsonWriter& json, const View& view, model::PortIndex index) {
  const model::Fabric& fabric = *view.fabric;
  const model::Port& port = fabric.port(index);
  const model::Node& node = fabric.node(port.node);
  json.begin_object();
  json.field("guid", node.guid);
  json.field("port", port.number);
  json.field("name", node.description);
  json.field("kind", to_string(node.kind));
  json.field("lid", fabric.management_lid(index));
  json.field("state", to_string(port.state));
  json.field("physical_state", to_string(port.physical_state));
  json.begin_array("errors");
  if (const model::PortTotals* totals = totals_of(view, index)) {
    for (std::size_t i = 0; i < model::kCounterCount; ++i) {
      const auto counter = static_cast<model::Counter>(i);
      if (!counts_errors(counter) || totals->get(counter).value_or(0) == 0) continue;
      json.begin_object();
      json.field("counter", to_string(counter));
      json.key("value");
      json.counter(totals->value[i]);
      json.field("at_least", totals->is_at_least(counter));
      json.end_object();
    }
  }
  json.end_array();
  json.end_object();
}

/// What flows from one end to the other, by the sender's counter or, if that is not known, the
/// receiver's.
std::optional<float> flow(const View& view, model::PortIndex from, model::PortIndex to) noexcept {
  if (const model::PortRates* sent = rates_of(view, from)) {
    if (const std::optional<float> rate = sent->xmit_bytes_per_second.get()) return rate;
  }
  const model::PortRates* received = rates_of(view, to);
  return received == nullptr ? std::nullopt : received->rcv_bytes_per_second.get();
}

/// Schema Link.
void write_link(JsonWriter& json, const View& view, model::LinkIndex index) {
  const model::Fabric& fabric = *view.fabric;
  const model::Link link = fabric.link(index);
  const model::LinkRate rate = rate_of(fabric, link);
  const auto data_rate = model::data_rate(rate);
  const model::DegradedLink* degraded = degradation_of(view, index);
  json.begin_object();
  json.field("id", link_id(fabric, link));
  json.key("a");
  write_end(json, view, link.a);
  json.key("b");
  write_end(json, view, link.b);
  json.field("rate", to_string(rate));
  json.field("data_rate_bits_per_second",
             data_rate ? std::optional(data_rate->value()) : std::nullopt);
  json.field("degraded", degraded != nullptr);
  json.field("expected_rate",
             degraded != nullptr ? std::optional(to_string(degraded->expected)) : std::nullopt);
  json.field("against",
             degraded != nullptr ? std::optional(to_string(degraded->against)) : std::nullopt);
  json.field("a_to_b_bytes_per_second", flow(view, link.a, link.b));
  json.field("b_to_a_bytes_per_second", flow(view, link.b, link.a));
  json.end_object();
}

std::optional<model::LinkRate> parse_rate(std::string_view word) noexcept {
  const model::LinkRate rate = model::parse_link_rate(word);
  if (!model::data_rate(rate) && word != "unknown") return std::nullopt;
  return rate;
}

}  // namespace

Response list_links(const Context& context) {
  QueryReader query(context.target, {"node", "kind", "rate", "degraded", "limit", "after"});
  const std::optional<model::NodeGuid> node = query.guid("node");
  const std::optional<PairKind> kind = query.choice("kind", parse_pair);
  const std::optional<model::LinkRate> rate = query.choice("rate", parse_rate);
  const std::optional<bool> degraded = query.flag("degraded");
  const std::size_t limit = query.limit();
  const std::optional<model::PortKey> after = query.port("after");
  if (query.error()) return *query.error();

  const model::Fabric& fabric = context.fabric();
  std::span<const model::Link> links = fabric.links();
  if (after) {
    const auto first = std::ranges::upper_bound(
        links, *after, {}, [&](const model::Link& link) { return fabric.key(link.a); });
    links = links.subspan(static_cast<std::size_t>(first - links.begin()));
  }
  const auto index_of = [&](const model::Link& link) {
    return model::LinkIndex{static_cast<std::uint32_t>(&link - fabric.links().data())};
  };
  const auto matches = [&](const model::Link& link) {
    if (node && fabric.key(link.a).node != *node && fabric.key(link.b).node != *node) return false;
    if (kind && pair_kind(fabric, link) != *kind) return false;
    if (rate && to_string(rate_of(fabric, link)) != to_string(*rate)) return false;
    return !degraded || (degradation_of(context.view, index_of(link)) != nullptr) == *degraded;
  };
  const auto write = [&](JsonWriter& json, const model::Link& link) {
    write_link(json, context.view, index_of(link));
  };
  const auto cursor = [&](const model::Link& link) { return link_id(fabric, link); };
  return answer_page(context, links, limit, matches, write, cursor);
}

}  // namespace heddle::exporter
