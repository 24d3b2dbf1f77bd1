#include "cli/whatif_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/table.hpp"

namespace heddle::cli {

using Align = Column::Align;
using Rows = std::vector<std::vector<Cell>>;
using model::BitsPerSecond;
using State = WhatifReport::State;

namespace {

constexpr std::size_t kLimitsShown = 5;
constexpr std::size_t kJobsShown = 20;

double gigabits(BitsPerSecond rate) { return static_cast<double>(rate.value()) / 1e9; }
std::string rate_cell(BitsPerSecond rate) { return fmt::format("{:.2f}", gigabits(rate)); }

std::string share_cell(BitsPerSecond now, BitsPerSecond before) {
  if (before == BitsPerSecond()) return "-";
  return fmt::format("{:.1f} %", 100 * gigabits(now) / gigabits(before));
}

Tint tint_of(BitsPerSecond now, BitsPerSecond before) {
  if (now == before) return Tint::kNone;
  return now < before ? Tint::kWarning : Tint::kGood;
}

std::string heading(std::string_view text, Colour colour) {
  return "\n" + tinted(text, Tint::kHeading, colour) + "\n";
}

std::string count_text(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string end_text(const WhatifReport::End& end) {
  return fmt::format("\"{}\" {} port {}", model::printable(end.name), end.port.node, end.port.port);
}

std::string render_head(const WhatifReport& report, Colour colour) {
  Rows rows;
  rows.push_back({{"fabric"},
                  {fmt::format("{}, {}, {}", to_string(report.shape),
                               count_text(report.switches, "switch", "switches"),
                               count_text(report.end_ports, "end port", "end ports"))}});
  rows.push_back(
      {{"traffic"},
       {fmt::format("{}, {}, {}", report.traffic, count_text(report.flows.size(), "flow", "flows"),
                    count_text(report.jobs.size(), "job", "jobs"))}});
  if (report.assumed_rate) {
    rows.push_back({{"unknown"},
                    {fmt::format("cables that do not say their rate count as {:.0f} Gbit/s",
                                 gigabits(*report.assumed_rate)),
                     Tint::kWarning}});
  }
  return render_table({{""}, {""}}, std::move(rows), "", colour);
}

std::string render_states(const WhatifReport& report, Colour colour) {
  const State& before = report.states.front();
  const bool tree = std::ranges::any_of(
      report.states, [](const State& s) { return s.leaf_oversubscription_permille.has_value(); });
  std::vector<Column> columns{{"State"}, {"Tables"}};
  if (tree) columns.push_back({"Leaves", Align::kRight});
  for (const char* const name : {"Undelivered", "Least", "Median", "Mean"}) {
    columns.push_back({name, Align::kRight});
  }
  if (report.states.size() > 1) {
    columns.push_back({"Least / before", Align::kRight});
    columns.push_back({"Mean / before", Align::kRight});
  }
  Rows rows;
  for (const State& state : report.states) {
    const routing::RateSummary& all = state.all;
    std::vector<Cell> row{{state.name}, {state.tables}};
    if (tree) {
      const auto permille = state.leaf_oversubscription_permille;
      row.push_back({permille ? fmt::format("{:g}:1", *permille / 1000.0) : "-"});
    }
    row.push_back(
        {fmt::format("{}", all.undelivered), all.undelivered == 0 ? Tint::kNone : Tint::kBad});
    row.push_back({rate_cell(all.minimum)});
    row.push_back({rate_cell(all.median)});
    row.push_back({rate_cell(all.mean)});
    if (&state != &before) {
      row.push_back(
          {share_cell(all.minimum, before.all.minimum), tint_of(all.minimum, before.all.minimum)});
      row.push_back({share_cell(all.mean, before.all.mean), tint_of(all.mean, before.all.mean)});
    }
    rows.push_back(std::move(row));
  }
  return heading("What a flow gets, Gbit/s", colour) +
         render_table(columns, std::move(rows), "  ", colour);
}

std::string change_text(const State& state) {
  std::string out;
  const auto say = [&](const std::string& text) {
    out += fmt::format("  {}: {}\n", state.name, text);
  };
  if (const auto& shape = state.reshape) {
    std::string text = count_text(shape->uplinks, "uplink", "uplinks") + " a leaf";
    if (shape->cables_removed != 0) {
      text += fmt::format(", {} and {} fewer",
                          count_text(shape->switches_removed, "switch", "switches"),
                          count_text(shape->cables_removed, "cable", "cables"));
    }
    if (shape->cables_added != 0) {
      text +=
          fmt::format(", {} and {} more", count_text(shape->switches_added, "switch", "switches"),
                      count_text(shape->cables_added, "cable", "cables"));
    }
    say(text);
  }
  if (state.changes) {
    if (state.changes->interrupted != 0) {
      say(count_text(state.changes->interrupted, "flow stands", "flows stand") +
          " still until the new tables are in force");
    }
    say(count_text(state.changes->rerouted, "flow takes", "flows take") + " another path");
  }
  if (state.over_drained != 0) {
    say(count_text(state.over_drained, "flow has", "flows have") +
        " no way but over a drained cable");
  }
  if (state.lost != 0) {
    say(count_text(state.lost, "flow", "flows") + " delivered before, but not so");
  }
  return out;
}

std::string render_changes(const WhatifReport& report, Colour colour) {
  std::string text;
  for (const State& state : report.states) text += change_text(state);
  return text.empty() ? text : heading("What changes", colour) + text;
}

/// Those that lose most of their least rate first.
std::vector<std::size_t> jobs_by_loss(const WhatifReport& report) {
  const State& before = report.states.front();
  std::vector<double> left(report.jobs.size(), 1);
  for (const State& state : report.states) {
    for (std::size_t j = 0; j < report.jobs.size(); ++j) {
      const BitsPerSecond had = before.jobs[j].minimum;
      if (had == BitsPerSecond()) continue;
      left[j] = std::min(left[j], gigabits(state.jobs[j].minimum) / gigabits(had));
    }
  }
  std::vector<std::size_t> order(report.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return left[j]; });
  return order;
}

std::string render_jobs(const WhatifReport& report, Colour colour) {
  if (report.jobs.size() < 2) return "";
  std::vector<Column> columns{{"Job"}, {"Flows", Align::kRight}};
  for (const State& state : report.states) columns.push_back({state.name, Align::kRight});
  Rows rows;
  const std::vector<std::size_t> order = jobs_by_loss(report);
  for (const std::size_t j : order) {
    if (rows.size() == kJobsShown) break;
    const routing::RateSummary& before = report.states.front().jobs[j];
    std::vector<Cell> row{{report.jobs[j].empty() ? "-" : report.jobs[j]},
                          {fmt::format("{}", before.flows)}};
    for (const State& state : report.states) {
      const BitsPerSecond least = state.jobs[j].minimum;
      row.push_back({rate_cell(least),
                     state.jobs[j].undelivered != 0 ? Tint::kBad : tint_of(least, before.minimum)});
    }
    rows.push_back(std::move(row));
  }
  std::string out = heading("Least that a flow of a job gets, Gbit/s", colour) +
                    render_table(columns, std::move(rows), "  ", colour);
  if (order.size() > kJobsShown) {
    out += fmt::format("  … and {} jobs more\n", order.size() - kJobsShown);
  }
  return out;
}

std::string render_limits(const State& state, Colour colour) {
  if (state.limits.empty()) {
    return heading(fmt::format("Links that limit, {}", state.name), colour) +
           "  none: every flow that is delivered gets all that its ends' cables carry\n";
  }
  Rows rows;
  for (std::size_t i = 0; i < std::min(kLimitsShown, state.limits.size()); ++i) {
    const WhatifReport::Limit& limit = state.limits[i];
    rows.push_back({{fmt::format("{}", limit.flows)},
                    {rate_cell(limit.rate)},
                    {fmt::format("{} -> {}", end_text(limit.from), end_text(limit.to))}});
  }
  std::string out =
      heading(fmt::format("Links that limit, {}", state.name), colour) +
      render_table({{"Flows", Align::kRight}, {"Gbit/s each", Align::kRight}, {"Link"}},
                   std::move(rows), "  ", colour);
  if (state.limits.size() > kLimitsShown) {
    out += fmt::format("  … and {} more\n", state.limits.size() - kLimitsShown);
  }
  return out;
}

}  // namespace

bool WhatifReport::good() const noexcept {
  return std::ranges::all_of(states, [](const State& state) { return state.lost == 0; });
}

std::string render_whatif(const WhatifReport& report, Colour colour) {
  std::string out = render_head(report, colour) + render_states(report, colour) +
                    render_changes(report, colour) + render_jobs(report, colour);
  for (const State& state : report.states) out += render_limits(state, colour);
  return out;
}

}  // namespace heddle::cli
