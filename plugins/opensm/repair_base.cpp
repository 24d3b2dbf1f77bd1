#include "plugins/opensm/repair_base.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plugins/opensm/capacities.hpp"
#include "routing/compute.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/level_sets.hpp"
#include "routing/live_write_order.hpp"

namespace heddle::plugin {

using model::fail;
using model::Lid;
using model::Result;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Availability;
using routing::ChangedEntry;
using routing::ChangedLevel;
using routing::Destination;
using routing::Graph;
using routing::RoutesChange;
using routing::Terminal;
using routing::TerminalIndex;
using routing::Workers;

namespace {

/// Whether indices of one mean the same in the other, and places too.
bool same_cabling(const Graph& a, const Graph& b) {
  const auto same_arc = [](const Arc& x, const Arc& y) {
    return x.from == y.from && x.to == y.to && x.exit == y.exit && x.entry == y.entry;
  };
  const auto same_terminal = [](const Terminal& x, const Terminal& y) {
    return x.node == y.node && x.port == y.port && x.leaf == y.leaf && x.leaf_port == y.leaf_port &&
           x.lid == y.lid && x.lmc == y.lmc;
  };
  if (a.switch_count() != b.switch_count()) return false;
  for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (a.guid(sw) != b.guid(sw) || a.lid(sw) != b.lid(sw) || a.port_count(sw) != b.port_count(sw))
      return false;
  }
  return std::ranges::equal(a.arcs(), b.arcs(), same_arc) &&
         std::ranges::equal(a.terminals(), b.terminals(), same_terminal);
}

bool same_maps(const Graph& graph, const routing::LaneMaps& a, const routing::LaneMaps& b) {
  if (a.identity() && b.identity()) return true;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (std::uint8_t in = 0; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t out = 1; out <= graph.port_count(sw); ++out) {
        const model::PortNum from{in};
        const model::PortNum to{out};
        if (a.mapping(sw, from, to) != b.mapping(sw, from, to)) return false;
      }
    }
  }
  return true;
}

bool is_tree(const RoutingRun& run) {
  return run.engine == routing::Engine::kFatTree ||
         (run.engine == routing::Engine::kHybrid &&
          run.structure.shape != routing::Shape::kDragonflyPlus);
}

}  // namespace

RepairBase::RepairBase(std::shared_ptr<const RoutingRun> run, Workers& workers)
    : run_(std::move(run)),
      present_(run_->available),
      weights_(run_->weights),
      tables_(run_->tables) {
  make_tree(workers);
}

void RepairBase::make_tree(Workers& workers) {
  tree_.reset();
  planned_ = run_;
  if (!is_tree(*run_)) return;
  tree_ = std::make_unique<routing::TreeRoutes>(
      planned_->graph,
      routing::FatTreePlan::make(planned_->whole, planned_->graph, planned_->structure),
      run_->max_lanes);
  if (!tree_->compute(present_, workers) || !tree_agrees() || !tree_->rehearse(workers)) {
    tree_.reset();
  }
}

bool RepairBase::tree_agrees() const {
  model::ForwardingTables mine = tree_->ordered_tables();
  for (const routing::DetourEntry& detour : tree_->detours()) {
    mine.row(detour.sw)[detour.lid.value()] = detour.port;
  }
  for (std::uint32_t s = 0; s < tables_.switch_count(); ++s) {
    if (!std::ranges::equal(mine.row(SwitchIndex{s}), tables_.row(SwitchIndex{s}))) return false;
  }
  return true;
}

void RepairBase::follow(std::shared_ptr<const RoutingRun> run, Workers& workers) {
  const bool keeps_places = tree_ && is_tree(*run) && run->max_lanes == run_->max_lanes &&
                            same_cabling(planned_->graph, run->graph);
  run_ = std::move(run);
  present_ = run_->available;
  weights_ = run_->weights;
  tables_ = run_->tables;
  relaned_.clear();
  if (!keeps_places || !tree_->repair(present_, workers) || !tree_agrees()) make_tree(workers);
}

Result<RoutesChange> RepairBase::changes_afresh(Workers& workers) const {
  Result<routing::Computed> computed =
      routing::compute_routes(run_->whole, run_->graph, run_->structure, present_,
                              {.engine = run_->asked_for, .max_lanes = run_->max_lanes}, workers);
  if (!computed) return fail(computed.error());
  if (!same_maps(run_->graph, run_->lanes.maps, computed->routes.lanes.maps)) {
    return fail(model::Errc::kUnsupported, "packets would have to change their lanes otherwise");
  }
  RoutesChange change;
  for (std::uint32_t s = 0; s < run_->graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const auto before = tables_.row(sw);
    const auto after = computed->routes.tables.row(sw);
    for (const Destination& to : run_->graph.destinations()) {
      const std::uint16_t lid = to.lid.value();
      if (before[lid] != after[lid])
        change.entries.push_back({sw, to.lid, before[lid], after[lid]});
      const model::Sl was = run_->lanes.levels.sl(sw, to.lid);
      const model::Sl is = computed->routes.lanes.levels.sl(sw, to.lid);
      if (was != is) change.levels.push_back({sw, to.lid, was, is});
    }
  }
  return change;
}

Result<RoutesChange> RepairBase::changes(Workers& workers) {
  if (!tree_) return changes_afresh(workers);
  has_detours_ = !tree_->detours().empty();
  Result<RoutesChange> change = tree_->repair(present_, workers);
  if (!change) tree_.reset();
  return change;
}

Result<Repair> RepairBase::repair(std::span<const ArcIndex> dead, const WeightSet& weights,
                                  Workers& workers) {
  const Graph& graph = run_->graph;
  if (weights.cables != weights_.cables) {
    set_capacities(run_->whole, graph, weights.cables, present_);
  }
  weights_ = weights;
  for (const ArcIndex arc : dead) present_.take_down(graph, arc);
  // What no request reaches any more OpenSM will drop as well.
  const DirectedPaths paths(graph, present_, *run_->manager);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (!paths.reaches(SwitchIndex{s})) present_.take_down(SwitchIndex{s});
  }
  Result<RoutesChange> change = changes(workers);
  if (!change) return fail(change.error());

  for (const ChangedLevel& level : change->levels) relaned_.insert(level.lid);
  Repair repair;
  for (const ChangedEntry& entry : change->entries) {
    if (!present_.up(entry.sw)) continue;
    const Destination* const to = graph.find(entry.lid);
    if (to == nullptr || !present_.usable(graph, *to)) {
      ++repair.away;
    } else if (relaned_.contains(entry.lid)) {
      ++repair.relaned;
    } else {
      repair.entries.push_back(entry);
    }
  }
  const Result<routing::WritePlan> plan = order(repair.entries, workers);
  if (!plan) return fail(plan.error());
  repair.clears_first = plan->clears_first;
  repair.blocks = plan->writes;
  repair.lost = plan->lost.size();
  repair.interrupted = plan->interrupted.size();
  for (const routing::WriteStep& step : plan->steps) {
    std::vector<heddle_block>& blocks = repair.steps.emplace_back();
    for (const routing::BlockWrite& write : step.writes) {
      heddle_block& block = blocks.emplace_back();
      block.guid = graph.guid(write.sw).value();
      block.number = write.block;
      block.path = *paths.to(write.sw);
      std::ranges::copy(write.ports, std::begin(block.entries));
    }
  }
  std::optional<SwitchIndex> last;
  for (const ChangedEntry& entry : repair.entries) {
    if (last != entry.sw) ++repair.switches;
    last = entry.sw;
    tables_.row(entry.sw)[entry.lid.value()] = entry.after;
  }
  return repair;
}

Result<routing::WritePlan> RepairBase::order(std::span<const ChangedEntry> entries,
                                             Workers& workers) const {
  const routing::WriteOrderOptions options{.sm_lid = run_->manager->lid};
  if (tree_ && !has_detours_ && tree_->detours().empty()) {
    return routing::order_writes(run_->graph, present_, tables_, entries,
                                 routing::against_order(tree_->tree().plan().directions()),
                                 options);
  }
  model::ForwardingTables next = tables_;
  for (const ChangedEntry& entry : entries) {
    next.row(entry.sw)[entry.lid.value()] = entry.after;
  }
  // What would change its level is left out, so levels and mappings stay what they are.
  const routing::LevelSets levels(run_->lanes.levels);
  return routing::order_live_change(run_->graph, present_,
                                    {.tables = tables_, .levels = levels, .maps = run_->lanes.maps},
                                    {.tables = next, .levels = levels, .maps = run_->lanes.maps},
                                    routing::NewLevels::kMeanwhile, options, workers);
}

}  // namespace heddle::plugin
