#include <fmt/format.h>

#include <algorithm>

#include "exporter/rest_context.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

/// What the list and the stream take; `limit` and `after` mean nothing to the stream.
struct EventQuery {
  EventFilter filter;
  std::size_t limit;
};

std::variant<EventQuery, Response> read_query(const Target& target) {
  QueryReader query(target, {"since", "kind", "node", "limit", "after"});
  const std::optional<std::uint64_t> since = query.number("since");
  const std::optional<std::uint64_t> after = query.number("after");
  EventQuery out{.filter = {.since = std::max(since, after),
                            .kind = query.choice("kind", model::parse_event_kind),
                            .node = query.guid("node")},
                 .limit = query.limit()};
  if (query.error()) return *query.error();
  return out;
}

void write_key(JsonWriter& json, std::string_view name, const std::optional<model::PortKey>& key) {
  json.key(name);
  if (!key) return json.null();
  json.begin_object();
  json.field("guid", key->node);
  json.field("port", key->port);
  json.end_object();
}

/// Schema Event.
void write_event(JsonWriter& json, const model::Event& event) {
  json.begin_object();
  json.field("sequence", event.sequence);
  json.field("time", rfc3339(event.time));
  json.field("kind", to_string(event.kind));
  json.field("severity", to_string(event.severity));
  write_key(json, "at", event.port);
  write_key(json, "peer", event.peer);
  json.field("text", event.text);
  json.end_object();
}

}  // namespace

bool EventFilter::matches(const model::Event& event) const noexcept {
  if (since && event.sequence <= *since) return false;
  if (kind && event.kind != *kind) return false;
  const auto at_node = [this](const std::optional<model::PortKey>& key) {
    return key && key->node == *node;
  };
  return !node || at_node(event.port) || at_node(event.peer);
}

std::string event_json(const model::Event& event) {
  JsonWriter json;
  write_event(json, event);
  return std::move(json).take();
}

std::variant<EventFilter, Response> parse_event_filter(std::string_view target) {
  const model::Result<Target> parsed = parse_target(target);
  if (!parsed) return problem(400, "Bad request target", parsed.error().text);
  std::variant<EventQuery, Response> query = read_query(*parsed);
  if (auto* bad = std::get_if<Response>(&query)) return std::move(*bad);
  return std::get<EventQuery>(query).filter;
}

Response list_events(const Context& context) {
  const std::variant<EventQuery, Response> query = read_query(context.target);
  if (const auto* bad = std::get_if<Response>(&query)) return *bad;
  const auto& [filter, limit] = std::get<EventQuery>(query);
  return answer_page(
      context, context.events, limit,
      [&f = filter](const model::Event& event) { return f.matches(event); }, write_event,
      [](const model::Event& event) { return fmt::to_string(event.sequence); });
}

}  // namespace heddle::exporter
