#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "exporter/view.hpp"

namespace heddle::exporter {

/// A request as the pure handlers see it.
struct Request {
  std::string method;  ///< upper case
  std::string target;  ///< path and query as sent
  std::optional<std::string> if_none_match;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< ETag, Link, Allow, …
};

/// Answers every path but /metrics and the stream of /v1/events, which the daemon serves itself.
/// Never throws on what a client sends: errors are RFC 9457 problem objects. `events` are those
/// that the log still holds, oldest first. For HEAD the body is what GET would carry: send its
/// length and not it. The ETag is of the body as it stands: a compressed form needs one of its own.
[[nodiscard]] Response handle(const Request& request, const View& view,
                              std::span<const model::Event> events);

/// One event as the JSON object of /v1/events.
[[nodiscard]] std::string event_json(const model::Event& event);
/// Which events a client of the stream asked for; an error response if the query is bad.
struct EventFilter {
  std::optional<std::uint64_t> since;  ///< sequence number; those after it
  std::optional<model::EventKind> kind;
  std::optional<model::NodeGuid> node;
  [[nodiscard]] bool matches(const model::Event& event) const noexcept;
};
/// The filter, or the problem to answer with.
[[nodiscard]] std::variant<EventFilter, Response> parse_event_filter(std::string_view target);

/// A problem object (RFC 9457) with the given status, title and detail.
[[nodiscard]] Response problem(unsigned status, std::string_view title, std::string_view detail);

}  // namespace heddle::exporter
