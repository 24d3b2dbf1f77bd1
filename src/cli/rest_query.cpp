#include "cli/rest_query.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>

#include "cli/json_values.hpp"
#include "exporter/rest_target.hpp"
#include "model/fabric.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Errc;
using model::fail;
using model::Result;

namespace {

/// The most that the service gives at once.
constexpr std::string_view kPageSize = "1000";

}  // namespace

std::string make_target(std::string_view path, const QueryParameters& parameters) {
  std::string target(path);
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    target += fmt::format("{}{}={}", separator, name, exporter::percent_encoded(value));
    separator = '&';
  }
  return target;
}

Result<json::object> read_answer(const HttpAnswer& answer, std::string_view target) {
  json::error_code error;
  json::value value = json::parse(answer.body, error);
  json::object* const object = error ? nullptr : value.if_object();
  if (answer.status == 200 && object != nullptr) return std::move(*object);
  if (answer.status == 200) {
    return fail(Errc::kInvalidInput, fmt::format("GET {}: the answer is no JSON object", target));
  }
  std::string why = object != nullptr ? text_at(*object, "detail") : std::string();
  return fail(Errc::kRefused,
              fmt::format("GET {}: the server answers {}{}{}", target, answer.status,
                          why.empty() ? "" : ": ", model::printable(why)));
}

Result<HttpClient> make_client(const ServerOptions& options) {
  const Result<ServerAddress> address = parse_server(options.server);
  if (!address) return fail(address.error());
  return HttpClient(*address, options.timeout);
}

Result<json::object> fetch(const HttpClient& client, const std::string& target) {
  const Result<HttpAnswer> answer = client.get(target);
  if (!answer) return fail(answer.error());
  return read_answer(*answer, target);
}

Result<json::array> fetch_all(const HttpClient& client, std::string_view path,
                              QueryParameters parameters) {
  parameters.emplace_back("limit", kPageSize);
  const std::size_t fixed = parameters.size();
  json::array items;
  while (true) {
    const Result<json::object> page = fetch(client, make_target(path, parameters));
    if (!page) return fail(page.error());
    for (const json::value& item : array_at(*page, "items")) items.push_back(item);
    const std::string next = text_at(*page, "next");
    if (next.empty()) return items;
    if (parameters.size() > fixed && parameters.back().second == next) {
      return fail(Errc::kConflict, fmt::format("GET {}: the server repeats a page", path));
    }
    parameters.resize(fixed);
    parameters.emplace_back("after", next);
  }
}

}  // namespace heddle::cli
