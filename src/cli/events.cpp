#include "cli/events.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <ostream>
#include <utility>

#include "cli/json_values.hpp"
#include "cli/rest_query.hpp"
#include "cli/table.hpp"
#include "model/fabric.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Result;

namespace {

constexpr std::string_view kPath = "/v1/events";

QueryParameters parameters_of(const EventsCommand& command) {
  QueryParameters parameters;
  if (command.since) parameters.emplace_back("since", fmt::format("{}", *command.since));
  if (command.kind) parameters.emplace_back("kind", *command.kind);
  if (command.node) parameters.emplace_back("node", *command.node);
  return parameters;
}

Tint tint_of(std::string_view severity) noexcept {
  if (severity == "error") return Tint::kBad;
  return severity == "warning" ? Tint::kWarning : Tint::kNone;
}

void print_data(std::string_view data, bool as_json, Console& console) {
  json::error_code error;
  const json::value value = json::parse(data, error);
  if (error || !value.is_object()) {
    console.err << "heddle: passed over an event that is no JSON object\n";
    return;
  }
  if (as_json) {
    console.out << json::serialize(value) << '\n';
  } else {
    console.out << render_event(value.get_object(), console.colour);
  }
  console.out.flush();
}

Result<ExitCode> follow(const HttpClient& client, const EventsCommand& command, Console& console) {
  const std::string target = make_target(kPath, parameters_of(command));
  EventStreamReader reader(
      [&](std::string_view data) { print_data(data, command.server.json, console); });
  const Result<HttpAnswer> answer = client.stream(target, [&](std::string_view piece) {
    reader.feed(piece);
    // Heartbeats too: on a quiet fabric they are all that comes.
    return console.out.good() && !console.reader_left();
  });
  if (!answer) return model::fail(answer.error());
  if (answer->status != 200) return model::fail(read_answer(*answer, target).error());
  return ExitCode::kGood;
}

}  // namespace

std::string render_event(const json::object& event, Colour colour) {
  const auto text = [&event](std::string_view key) {
    return model::printable(text_at(event, key));
  };
  const std::string severity = text("severity");
  return fmt::format("{}  {}  {:<22}  {}\n", text("time"),
                     tinted(fmt::format("{:<7}", severity), tint_of(severity), colour),
                     text("kind"), text("text"));
}

void EventStreamReader::feed(std::string_view piece) {
  for (const char c : piece) {
    const bool second_half = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      end_line();
    } else {
      line_ += c;
    }
  }
}

void EventStreamReader::end_line() {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (has_data_) take_(data_);
    data_.clear();
    has_data_ = false;
    return;
  }
  constexpr std::string_view kField = "data:";
  if (!line.starts_with(kField)) return;  // comments, ids and kinds, which the data says too
  std::string_view value = std::string_view(line).substr(kField.size());
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

Result<ExitCode> events(const EventsCommand& command, Console& console) {
  const Result<HttpClient> client = make_client(command.server);
  if (!client) return model::fail(client.error());
  if (command.follow) return follow(*client, command, console);
  Result<json::array> items = fetch_all(*client, kPath, parameters_of(command));
  if (!items) return model::fail(items.error());
  if (command.server.json) {
    console.out << json::serialize(json::object{{"items", std::move(*items)}}) << '\n';
    return ExitCode::kGood;
  }
  for (const json::value& item : *items) {
    if (item.is_object()) console.out << render_event(item.get_object(), console.colour);
  }
  return ExitCode::kGood;
}

}  // namespace heddle::cli
