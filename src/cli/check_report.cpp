#include "cli/check_report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "cli/table.hpp"
#include "model/fabric_summary.hpp"

namespace heddle::cli {

using Align = Column::Align;
using Rows = std::vector<std::vector<Cell>>;
using model::Fabric;
using model::PortIndex;
using routing::ArcIndex;
using routing::ChannelLane;
using routing::Graph;

namespace {

std::string heading(std::string_view text, Colour colour) {
  return "\n" + tinted(text, Tint::kHeading, colour) + "\n";
}

std::string end_text(const Fabric& fabric, model::SwitchIndex sw, model::PortNum port) {
  return describe_end(fabric, *fabric.find_port(fabric.node_of(sw), port));
}

std::string cable_text(const Fabric& fabric, const routing::Arc& arc, std::string_view lane) {
  return fmt::format("  {}{} -> {}\n", end_text(fabric, arc.from, arc.exit), lane,
                     end_text(fabric, arc.to, arc.entry));
}

/// A channel a line, which waits for that of the next, the last for the first.
std::string cycle_text(const Fabric& fabric, const Graph& graph,
                       const std::vector<ChannelLane>& cycle) {
  std::string out;
  for (const ChannelLane& held : cycle) {
    out += cable_text(fabric, graph.arc(held.arc), fmt::format(" vl {}", held.vl));
  }
  return out;
}

std::string lanes_text(std::uint16_t lanes) {
  std::string out;
  for (unsigned vl = 0; vl < 16; ++vl) {
    if (((unsigned{lanes} >> vl) & 1U) != 0) out += fmt::format("{}{}", out.empty() ? "" : " ", vl);
  }
  return out.empty() ? "none" : out;
}

class Numbers {
 public:
  void add(std::uint64_t number, std::string text, Tint tint = Tint::kNone) {
    rows_.push_back({{fmt::format("{}", number), tint}, {std::move(text)}});
  }
  /// Something that should not be: coloured if it is.
  void add_fault(std::uint64_t number, std::string text) {
    add(number, std::move(text), number == 0 ? Tint::kGood : Tint::kBad);
  }
  void add_mean(double number, std::string text) {
    rows_.push_back({{fmt::format("{:.4g}", number)}, {std::move(text)}});
  }
  [[nodiscard]] std::string render(Colour colour) && {
    return render_table({{"", Align::kRight}, {""}}, std::move(rows_), "  ", colour);
  }

 private:
  Rows rows_;
};

std::string render_verdict(const Fabric& fabric, const Graph& graph, const CheckReport& report,
                           Colour colour) {
  const routing::Verdict& verdict = report.verdict;
  Numbers numbers;
  numbers.add(verdict.pairs, "pairs of an end port and a LID elsewhere");
  numbers.add_fault(verdict.unreachable, "unreachable");
  numbers.add_fault(verdict.looping, "looping");
  numbers.add(verdict.unconnected, "that no cabling connects");
  numbers.add(verdict.longest_hops, "cables on the longest path");
  numbers.add(verdict.longer_than_shortest, "pairs with a longer path than the shortest");
  if (verdict.extra_hops != 0) numbers.add(verdict.extra_hops, "cables that these have too many");
  numbers.add_fault(report.without_table.size(), "switches without a table");
  numbers.add_fault(report.without_lid.size(), "end ports without a LID");
  if (verdict.own_lids_sent_away != 0) {
    numbers.add_fault(verdict.own_lids_sent_away, "switches that send their own LID away");
  }
  std::string out = tinted(report.good() ? "good" : "not good",
                           report.good() ? Tint::kGood : Tint::kBad, colour) +
                    "\n" + std::move(numbers).render(colour);
  out += fmt::format("  virtual lanes: {}{}\n", lanes_text(verdict.lanes_used),
                     verdict.uses_management_lane() ? ", of which 15 drops what it gets" : "");
  out += verdict.cycle.empty() ? "  no dependency cycle\n" : "";
  if (verdict.first_bad) {
    const routing::Terminal& source = graph.terminal(verdict.first_bad->source);
    const model::Lid lid = verdict.first_bad->destination;
    out += fmt::format("  first bad pair: {} -> LID {}, {}\n", describe_end(fabric, source.port),
                       lid, describe_end(fabric, *fabric.find_lid(lid)));
  }
  return out;
}

std::string render_missing(const Fabric& fabric, const CheckReport& report, Colour colour) {
  constexpr std::size_t kShown = 10;
  std::string out;
  const auto list = [&](std::string_view title, std::size_t count, const auto& text) {
    if (count == 0) return;
    out += heading(title, colour);
    for (std::size_t i = 0; i < count && i < kShown; ++i) out += fmt::format("  {}\n", text(i));
    if (count > kShown) out += fmt::format("  … and {} more\n", count - kShown);
  };
  list("Switches without a table", report.without_table.size(),
       [&](std::size_t i) { return routing::describe_switch(fabric, report.without_table[i]); });
  list("End ports without a LID", report.without_lid.size(),
       [&](std::size_t i) { return describe_end(fabric, report.without_lid[i]); });
  return out;
}

std::string render_score(const routing::Score& score, Colour colour) {
  Numbers numbers;
  numbers.add_mean(score.bisection_bandwidth_ratio, "effective bisection bandwidth");
  numbers.add_mean(score.bisection_bandwidth_ratio_min, "of the worst bisection tried");
  numbers.add(score.shift_max, "flows on one channel at most, shift permutations");
  numbers.add_mean(score.shift_mean_max, "in the mean over shifts");
  numbers.add(score.random_max_median, "flows on one channel, random permutations, median");
  numbers.add(score.random_max_p99, "in 99 of 100");
  numbers.add(score.routes_per_arc_max, "routes on one channel at most, all pairs");
  numbers.add_mean(score.routes_per_arc_mean, "in the mean over channels between switches");
  numbers.add_mean(score.routes_per_arc_deviation, "standard deviation");
  for (std::size_t hops = 0; hops < score.paths_by_hops.size(); ++hops) {
    if (score.paths_by_hops[hops] == 0) continue;
    numbers.add(score.paths_by_hops[hops], fmt::format("paths of {} cables", hops));
  }
  return heading("Score", colour) + std::move(numbers).render(colour);
}

std::string render_change(const Fabric& fabric, const Graph& graph,
                          const CheckReport::Change& change, Colour colour) {
  Numbers numbers;
  numbers.add(change.tables.entries, "entries changed");
  numbers.add(change.tables.unavoidable, "of them unavoidable");
  numbers.add(change.tables.blocks, "blocks of 64 to send");
  numbers.add(change.tables.switches, "switches");
  numbers.add_fault(change.transition.looping.size(),
                    "LIDs that may loop while old and new entries are mixed");
  numbers.add(change.levels.size(),
              "live pairs that need a new service level; open connections keep the old one");
  std::string out = heading("Change", colour) + std::move(numbers).render(colour);
  if (change.transition.first_loop) {
    out += fmt::format("  loop in transit toward LID {}:\n",
                       change.transition.first_loop->destination);
    for (const ArcIndex arc : change.transition.first_loop->arcs) {
      out += cable_text(fabric, graph.arc(arc), "");
    }
  }
  if (change.transition.cycle.empty()) {
    return out + "  no dependency cycle in any mixture of old and new entries\n";
  }
  out += tinted("  dependency cycle of a mixture of old and new entries:", Tint::kBad, colour) +
         "\n" + cycle_text(fabric, graph, change.transition.cycle);
  if (!change.transition.settled_cycle.empty()) {
    out += tinted("  dependency cycle of the new entries with old and new levels:", Tint::kBad,
                  colour) +
           "\n" + cycle_text(fabric, graph, change.transition.settled_cycle);
  }
  return out;
}

}  // namespace

std::string render_check(const Fabric& fabric, const Graph& graph, const CheckReport& report,
                         Colour colour) {
  std::string out = render_verdict(fabric, graph, report, colour);
  if (!report.verdict.cycle.empty()) {
    out += heading("Dependency cycle: each waits for the next, the last for the first", colour) +
           cycle_text(fabric, graph, report.verdict.cycle);
  }
  out += render_missing(fabric, report, colour);
  if (report.score) out += render_score(*report.score, colour);
  if (report.change) out += render_change(fabric, graph, *report.change, colour);
  return out;
}

}  // namespace heddle::cli
