#include "cli/status.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/json_values.hpp"
#include "cli/rest_query.hpp"
#include "cli/table.hpp"

namespace heddle::cli {

namespace json = boost::json;
using model::Result;

namespace {

bool is_good(const json::object& status) {
  return flag_at(status, "ready") && !flag_at(status, "stale");
}

/// `ready`, or why it is not.
Cell state_cell(const json::object& status) {
  if (!flag_at(status, "ready")) {
    return {fmt::format("not ready: {}", text_at(status, "not_ready_reason")), Tint::kBad};
  }
  if (flag_at(status, "stale")) {
    return {fmt::format("stale: {}", text_at(status, "stale_reason")), Tint::kWarning};
  }
  return {"ready", Tint::kGood};
}

std::string join_counts(const json::object& counts) {
  std::string out;
  for (const auto& member : counts) {
    const std::string count = count_text(number_at(counts, member.key()));
    if (count == "0") continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count,
                       std::string_view(member.key().data(), member.key().size()));
  }
  return out.empty() ? "none" : out;
}

Cell findings_cell(const json::object& fabric) {
  const std::size_t anomalies = array_at(fabric, "anomalies").size();
  const std::size_t degraded = array_at(fabric, "degraded_links").size();
  const std::size_t unresolved = array_at(fabric, "unresolved_peers").size();
  const std::size_t mute = array_at(object_at(fabric, "sweep"), "mute").size();
  const bool none = anomalies + degraded + unresolved + mute == 0;
  return {none ? std::string("none")
               : fmt::format("{} degraded links, {} contradictions, {} unresolved peers, {} mute",
                             degraded, anomalies, unresolved, mute),
          none ? Tint::kGood : Tint::kWarning};
}

std::string render_jobs(const json::object& status, Colour colour) {
  std::vector<std::vector<Cell>> rows;
  for (const json::value& item : array_at(status, "jobs")) {
    if (!item.is_object()) continue;
    const json::object& job = item.get_object();
    const std::string error = text_at(job, "last_error");
    const std::string last = text_at(job, "last_completed_at");
    rows.push_back({{text_at(job, "name")},
                    {count_text(number_at(job, "completed"))},
                    {count_text(number_at(job, "failed"))},
                    {duration_text(number_at(job, "last_duration_seconds"))},
                    {last.empty() ? "never" : last},
                    {error, Tint::kBad}});
  }
  if (rows.empty()) return {};
  using Align = Column::Align;
  return "\n" + render_table({{"JOB"},
                              {"DONE", Align::kRight},
                              {"FAILED", Align::kRight},
                              {"TOOK", Align::kRight},
                              {"LAST"},
                              {"ERROR"}},
                             rows, "", colour);
}

}  // namespace

std::string render_status(const json::object& status, const json::object& fabric, Colour colour) {
  std::string levels;
  for (const json::value& level : array_at(fabric, "switches_by_level")) {
    levels += fmt::format("{}{}", levels.empty() ? "" : " / ", json::serialize(level));
  }
  const std::vector<std::vector<Cell>> rows{
      {{"state"}, state_cell(status)},
      {{"fabric"},
       {fmt::format("{}, generation {} of {}", text_at(status, "fabric"),
                    count_text(number_at(status, "generation")), text_at(status, "published_at"))}},
      {{"nodes"}, {join_counts(object_at(fabric, "nodes"))}},
      {{"levels"}, {levels.empty() ? "-" : levels}},
      {{"links"},
       {fmt::format("{} ({})", count_text(number_at(fabric, "links")),
                    join_counts(object_at(fabric, "links_by_rate")))}},
      {{"ports"},
       {fmt::format("{}, {} down", count_text(number_at(fabric, "ports")),
                    count_text(number_at(fabric, "ports_down")))}},
      {{"findings"}, findings_cell(fabric)},
      {{"counters"},
       {fmt::format("{} of {} ports fresh", count_text(number_at(status, "ports_fresh")),
                    count_text(number_at(status, "ports_asked")))}},
      {{"series"}, {count_text(number_at(status, "metric_series"))}},
      {{"service"},
       {fmt::format("heddled {}, up {}", text_at(status, "version"),
                    duration_text(number_at(status, "uptime_seconds")))}}};
  return render_table({{""}, {""}}, rows, "", colour) + render_jobs(status, colour);
}

Result<ExitCode> status(const StatusCommand& command, Console& console) {
  const Result<HttpClient> client = make_client(command.server);
  if (!client) return model::fail(client.error());
  const Result<json::object> state = fetch(*client, "/v1/status");
  if (!state) return model::fail(state.error());
  if (command.server.json) {
    console.out << json::serialize(*state) << '\n';
  } else {
    const Result<json::object> fabric = fetch(*client, "/v1/fabric");
    if (!fabric) return model::fail(fabric.error());
    console.out << render_status(*state, *fabric, console.colour);
  }
  return is_good(*state) ? ExitCode::kGood : ExitCode::kNotGood;
}

}  // namespace heddle::cli
