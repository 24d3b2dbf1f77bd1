#include "cli/links.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <ostream>
#include <vector>

#include "cli/json_values.hpp"
#include "cli/rest_query.hpp"
#include "cli/table.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Result;

namespace {

/// `name port 7`; the GUID stands for an empty name.
std::string end_text(const json::object& end) {
  const std::string name = text_at(end, "name");
  return fmt::format("{} port {}", name.empty() ? text_at(end, "guid") : name,
                     count_text(number_at(end, "port")));
}

/// Both ends, if they say the same; else one by one.
Cell state_cell(const json::object& a, const json::object& b) {
  const std::string one = text_at(a, "state");
  const std::string other = text_at(b, "state");
  const bool active = one == "active" && other == "active";
  const bool known = one != "unknown" || other != "unknown";
  return {one == other ? one : fmt::format("{}/{}", one, other),
          active || !known ? Tint::kNone : Tint::kWarning};
}

/// `symbol_errors 12, link_downed >=3` of both ends, which are told apart by `a:` and `b:`.
std::string errors_text(const json::object& link) {
  std::string out;
  for (const std::string_view side : {"a", "b"}) {
    for (const json::value& item : array_at(object_at(link, side), "errors")) {
      if (!item.is_object()) continue;
      const json::object& error = item.get_object();
      out += fmt::format("{}{}:{} {}{}", out.empty() ? "" : ", ", side, text_at(error, "counter"),
                         flag_at(error, "at_least") ? ">=" : "", text_at(error, "value"));
    }
  }
  return out;
}

std::vector<Cell> row_of(const json::object& link) {
  const json::object& a = object_at(link, "a");
  const json::object& b = object_at(link, "b");
  const bool degraded = flag_at(link, "degraded");
  const std::string rate = text_at(link, "rate");
  return {{text_at(link, "id")},
          {degraded ? fmt::format("{} of {}", rate, text_at(link, "expected_rate")) : rate,
           degraded ? Tint::kBad : Tint::kNone},
          state_cell(a, b),
          {end_text(a)},
          {end_text(b)},
          {rate_text(number_at(link, "a_to_b_bytes_per_second"))},
          {rate_text(number_at(link, "b_to_a_bytes_per_second"))},
          {errors_text(link), Tint::kWarning}};
}

QueryParameters parameters_of(const LinksCommand& command) {
  QueryParameters parameters;
  if (command.node) parameters.emplace_back("node", *command.node);
  if (command.kind) parameters.emplace_back("kind", *command.kind);
  if (command.rate) parameters.emplace_back("rate", *command.rate);
  if (command.degraded) parameters.emplace_back("degraded", "true");
  return parameters;
}

}  // namespace

std::string render_links(const json::array& links, Colour colour) {
  std::vector<std::vector<Cell>> rows;
  for (const json::value& link : links) {
    if (link.is_object()) rows.push_back(row_of(link.get_object()));
  }
  using Align = Column::Align;
  return render_table({{"LINK"},
                       {"RATE"},
                       {"STATE"},
                       {"A"},
                       {"B"},
                       {"A TO B", Align::kRight},
                       {"B TO A", Align::kRight},
                       {"ERRORS"}},
                      rows, "", colour);
}

Result<ExitCode> links(const LinksCommand& command, Console& console) {
  const Result<HttpClient> client = make_client(command.server);
  if (!client) return model::fail(client.error());
  Result<json::array> items = fetch_all(*client, "/v1/links", parameters_of(command));
  if (!items) return model::fail(items.error());
  if (command.server.json) {
    console.out << json::serialize(json::object{{"items", std::move(*items)}}) << '\n';
  } else {
    console.out << render_links(*items, console.colour);
  }
  return ExitCode::kGood;
}

}  // namespace heddle::cli
