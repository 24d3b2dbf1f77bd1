#include "exporter/rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exporter/openapi.hpp"
#include "exporter/rest_context.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

Response get_health(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  JsonWriter json;
  json.begin_object();
  json.field("status", "ok");
  json.end_object();
  return answer(std::move(json));
}

Response get_ready(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  if (!context.view.ready) return problem(503, "Not ready", context.view.not_ready_reason);
  JsonWriter json;
  json.begin_object();
  json.field("ready", true);
  json.end_object();
  return answer(std::move(json));
}

Response get_openapi(const Context& context) {
  const QueryReader query(context.target, {});
  if (query.error()) return *query.error();
  Response response;
  response.body = openapi_document();
  return response;
}

constexpr std::string_view kHealthPath = "/healthz";
constexpr std::string_view kReadyPath = "/readyz";
constexpr std::array<Route, 11> kRoutes{{
    {"/v1/fabric", get_fabric},
    {"/v1/status", get_status},
    {"/v1/nodes", list_nodes},
    {"/v1/nodes/{guid}", get_node},
    {"/v1/links", list_links},
    {"/v1/ports/{guid}/{port}", get_port},
    {"/v1/events", list_events},
    {"/v1/routing", get_routing},
    {kHealthPath, get_health},
    {kReadyPath, get_ready},
    {"/openapi.json", get_openapi},
}};

bool matches(std::string_view pattern, const std::vector<std::string>& segments) {
  std::size_t used = 0;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // the slash
    const std::string_view part = pattern.substr(0, pattern.find('/'));
    if (used == segments.size()) return false;
    if (!part.starts_with('{') && part != segments[used]) return false;
    ++used;
    pattern.remove_prefix(part.size());
  }
  return used == segments.size();
}

/// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char c : bytes) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
  }
  void add(std::uint64_t number) noexcept {
    for (int shift = 0; shift < 64; shift += 8) {
      state_ = (state_ ^ ((number >> shift) & 0xFF)) * 0x100000001B3ULL;
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

/// Generations begin anew with each start of the daemon, hence its time; the event log grows
/// between generations.
std::string entity_tag(const Request& request, const View& view,
                       std::span<const model::Event> events) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(view.started_at.time_since_epoch().count()));
  hash.add(view.version);
  hash.add(view.generation);
  hash.add(events.empty() ? 0 : events.back().sequence);
  hash.add(events.empty() ? 0 : events.front().sequence);
  hash.add(request.target);
  return fmt::format("\"{:016x}\"", hash.value());
}

enum class Match : std::uint8_t { kNone, kAny, kTag };

/// What If-None-Match says of the tag, compared weakly (RFC 9110, section 13.1.2).
Match match_of(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ') || item.starts_with('\t')) item.remove_prefix(1);
    while (item.ends_with(' ') || item.ends_with('\t')) item.remove_suffix(1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == tag) return Match::kTag;
    if (item == "*") return Match::kAny;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return Match::kNone;
}

Response unchanged(std::string tag) {
  Response response;
  response.status = 304;
  response.headers.emplace_back("ETag", std::move(tag));
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

}  // namespace

std::span<const Route> routes() noexcept { return kRoutes; }

Response answer(JsonWriter&& json) {
  Response response;
  response.body = std::move(json).take();
  return response;
}

Response problem_with(unsigned status, std::string_view title, std::string_view detail,
                      std::optional<std::string_view> parameter) {
  JsonWriter json;
  json.begin_object();
  json.field("type", "about:blank");
  json.field("title", title);
  json.field("status", status);
  json.field("detail", detail);
  if (parameter) json.field("parameter", *parameter);
  json.end_object();
  Response response = answer(std::move(json));
  response.status = status;
  response.content_type = "application/problem+json";
  return response;
}

Response problem(unsigned status, std::string_view title, std::string_view detail) {
  return problem_with(status, title, detail, std::nullopt);
}

std::string next_page(const Target& target, std::string_view cursor) {
  std::string out = target.path + "?";
  for (const auto& [name, value] : target.query) {
    if (name == "after") continue;
    out += percent_encoded(name) + "=" + percent_encoded(value) + "&";
  }
  return out + "after=" + percent_encoded(cursor);
}

Response handle(const Request& request, const View& view, std::span<const model::Event> events) {
  const model::Result<Target> target = parse_target(request.target);
  if (!target) return problem(400, "Bad request target", target.error().text);
  const auto route = std::ranges::find_if(
      kRoutes, [&](const Route& r) { return matches(r.path, target->segments); });
  if (route == kRoutes.end()) {
    return problem(404, "Not found", fmt::format("there is no path {}", excerpt(target->path)));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    Response response =
        problem(405, "Method not allowed", "this path can be read (GET, HEAD) and nothing else");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  const bool probe = route->path == kHealthPath || route->path == kReadyPath;
  const std::string tag = entity_tag(request, view, events);
  const Match match =
      request.if_none_match && !probe ? match_of(*request.if_none_match, tag) : Match::kNone;
  // This target's tag is given with a 200 only and says all that the answer depends on: whoever has
  // it would get the same again, and nothing need be built. "*" says nothing of the status.
  if (match == Match::kTag) return unchanged(tag);
  Response response = route->handle({.view = view, .target = *target, .events = events});
  if (response.status != 200 || probe) {
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
  }
  if (match == Match::kAny) return unchanged(tag);
  response.headers.emplace_back("ETag", tag);
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

}  // namespace heddle::exporter
