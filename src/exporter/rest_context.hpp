#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exporter/json_writer.hpp"
#include "exporter/rest.hpp"
#include "exporter/rest_target.hpp"
#include "exporter/view.hpp"

namespace heddle::exporter {

/// What the handler of a path gets; valid during the call.
struct Context {
  const View& view;
  const Target& target;
  std::span<const model::Event> events;

  [[nodiscard]] const model::Fabric& fabric() const noexcept { return *view.fabric; }
};

/// A path as config/openapi.json writes it, with `{…}` for a segment that may be anything.
struct Route {
  std::string_view path;
  Response (*handle)(const Context& context);
};
/// All paths that handle() answers.
[[nodiscard]] std::span<const Route> routes() noexcept;

[[nodiscard]] Response get_fabric(const Context& context);
[[nodiscard]] Response get_status(const Context& context);
[[nodiscard]] Response list_nodes(const Context& context);
[[nodiscard]] Response get_node(const Context& context);
[[nodiscard]] Response list_links(const Context& context);
[[nodiscard]] Response get_port(const Context& context);
[[nodiscard]] Response get_routing(const Context& context);
[[nodiscard]] Response list_events(const Context& context);

/// 200 with what was written.
[[nodiscard]] Response answer(JsonWriter&& json);
/// problem() with the extension member `parameter`.
[[nodiscard]] Response problem_with(unsigned status, std::string_view title,
                                    std::string_view detail,
                                    std::optional<std::string_view> parameter);
/// The target of the next page: the same query with `after` set to `cursor`.
[[nodiscard]] std::string next_page(const Target& target, std::string_view cursor);

/// Writes a list of those of the items `first`… that match, at most `limit`, with the cursor of the
/// last one if more follow.
template <class Items, class Matches, class Write, class Cursor>
Response answer_page(const Context& context, const Items& items, std::size_t limit, Matches matches,
                     Write write, Cursor cursor) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("items");
  std::size_t written = 0;
  std::string last;
  std::optional<std::string> next;
  for (const auto& item : items) {
    if (!matches(item)) continue;
    if (written == limit) {
      next = std::move(last);
      break;
    }
    write(json, item);
    ++written;
    if (written == limit) last = cursor(item);
  }
  json.end_array();
  json.field("next", next);
  json.end_object();
  Response response = answer(std::move(json));
  if (next) {
    response.headers.emplace_back("Link",
                                  "<" + next_page(context.target, *next) + ">; rel=\"next\"");
  }
  return response;
}

}  // namespace heddle::exporter
