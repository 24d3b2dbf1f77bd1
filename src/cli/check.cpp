#include "cli/check.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/check_report.hpp"
#include "cli/read_fabric.hpp"
#include "cli/table_files.hpp"
#include "cli/threads.hpp"
#include "discovery/line_scanner.hpp"
#include "discovery/table_lids.hpp"
#include "routing/rated_capacity.hpp"
#include "routing/recognise.hpp"
#include "routing/workers.hpp"

namespace heddle::cli {

using discovery::Strangers;
using model::Fabric;
using model::fail;
using model::Result;
using model::SwitchIndex;
using routing::Graph;

namespace {

/// Levels that say which way is up; those of other shapes say nothing of it.
std::vector<std::optional<std::uint8_t>> levels_of(const routing::Structure& structure) {
  switch (structure.shape) {
    case routing::Shape::kFatTree:
    case routing::Shape::kDragonflyPlus:
    case routing::Shape::kHybrid:
      return structure.level;
    default:
      return {};
  }
}

Result<CheckReport::Change> compare(const CheckCommand& command, const Fabric& fabric,
                                    const Graph& graph, const TablesOfFiles& now,
                                    routing::Workers& workers) {
  const Result<TablesOfFiles> before = load_previous(command.previous, fabric, graph, now.maps);
  if (!before) return fail(before.error());
  const Result<routing::Structure> structure = routing::recognise(fabric, graph);
  if (!structure) return fail(structure.error());
  const routing::Availability all(graph);
  CheckReport::Change change;
  change.tables = routing::compare_tables(graph, all, before->tables, now.tables,
                                          levels_of(*structure), workers);
  const routing::RoutingState old = before->state();
  change.transition = routing::check_transition(graph, all, old, now.state(),
                                                {.switch_lids = command.switch_lids}, workers);
  change.levels = routing::changed_levels(graph, all, old, now.levels);
  return change;
}

}  // namespace

Result<ExitCode> check(const CheckCommand& command, Console& console) {
  const Result<Fabric> topology = read_fabric(command.fabric);
  if (!topology) return fail(topology.error());
  const Result<std::string> text = discovery::read_text(command.tables);
  if (!text) return fail(text.error());
  const Result<Fabric> fabric = discovery::add_table_lids(*topology, *text, command.tables);
  if (!fabric) return fail(fabric.error());
  const Result<Graph> graph = Graph::from(*fabric);
  if (!graph) return fail(graph.error());
  const Result<TablesOfFiles> loaded = load_tables({command.tables, command.sl, command.sl2vl},
                                                   *text, *fabric, *graph, Strangers::kRefuse);
  if (!loaded) return fail(loaded.error());

  routing::Workers workers(all_cores());
  const routing::Availability all(*graph);
  CheckReport report;
  report.verdict = routing::check_routes(*graph, all, loaded->tables, loaded->levels, loaded->maps,
                                         {.switch_lids = command.switch_lids}, workers);
  for (std::uint32_t s = 0; s < graph->switch_count(); ++s) {
    if (!loaded->tables.known(SwitchIndex{s})) report.without_table.emplace_back(s);
  }
  for (const routing::Terminal& terminal : graph->terminals()) {
    if (!terminal.lid) report.without_lid.push_back(terminal.port);
  }
  if (command.permutations != 0) {
    const routing::Availability rated = routing::with_rates(*fabric, *graph, all);
    report.score = routing::score_routes(*graph, rated, loaded->tables,
                                         {.permutations = command.permutations}, workers);
  }
  if (command.previous.lfts) {
    Result<CheckReport::Change> change = compare(command, *fabric, *graph, *loaded, workers);
    if (!change) return fail(change.error());
    report.change = std::move(*change);
  }
  if (command.json) {
    console.out << check_json(*fabric, *graph, report) << '\n';
  } else {
    console.out << render_check(*fabric, *graph, report, console.colour);
  }
  return report.good() ? ExitCode::kGood : ExitCode::kNotGood;
}

}  // namespace heddle::cli
