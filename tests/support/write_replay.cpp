#include "support/write_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "routing/check.hpp"
#include "support/plain_graphs.hpp"

namespace heddle::support {

using model::ForwardingTables;
using model::SwitchIndex;
using routing::ArcIndex;
using routing::Destination;
using routing::PortTarget;

WriteReplay::WriteReplay(const routing::Graph& graph, const routing::Availability& availability,
                         ForwardingTables tables, const routing::LevelSets& levels,
                         const routing::LaneMaps& maps, Cycles cycles)
    : graph_(&graph),
      availability_(&availability),
      tables_(std::move(tables)),
      levels_(&levels),
      maps_(&maps),
      look_for_cycles_(false),
      fates_(graph.destinations().size() * graph.switch_count(), Fate::kLost) {
  for (std::size_t block = 0; block * ForwardingTables::kBlockLids < tables_.row_length();
       ++block) {
    judge(static_cast<std::uint16_t>(block), nullptr);
  }
  look_for_cycles_ = cycles == Cycles::kLookFor && !cyclic();
}

void WriteReplay::excuse(std::span<const routing::Undelivered> pairs) {
  excused_.insert(pairs.begin(), pairs.end());
}

WriteReplay::Fate WriteReplay::walk(SwitchIndex from, const Destination& to) const {
  if (!availability_->up(from) || !availability_->usable(*graph_, to)) return Fate::kLost;
  SwitchIndex at = from;
  for (std::size_t hops = 0; hops <= graph_->switch_count(); ++hops) {
    const auto exit = tables_.port(at, to.lid);
    if (!exit) return Fate::kLost;
    const PortTarget target = graph_->target(at, *exit);
    if (at == to.at) {
      if (to.terminal
              ? target.kind == PortTarget::Kind::kTerminal && target.index == to.terminal->value()
              : exit->value() == 0) {
        return Fate::kArrives;
      }
    }
    if (target.kind != PortTarget::Kind::kSwitch) return Fate::kLost;
    if (!availability_->usable(*graph_, ArcIndex{target.index})) return Fate::kLost;
    at = graph_->arc(ArcIndex{target.index}).to;
  }
  return Fate::kCircles;
}

bool WriteReplay::cyclic() const {
  routing::Workers workers(1);
  return !routing::check_routes(*graph_, *availability_, tables_, *levels_, *maps_, {}, workers)
              .cycle.empty();
}

void WriteReplay::judge(std::uint16_t block, ReplayFaults* faults) {
  const std::size_t switches = graph_->switch_count();
  for (std::size_t d = 0; d < graph_->destinations().size(); ++d) {
    const Destination& to = graph_->destinations()[d];
    if (to.lid.value() / ForwardingTables::kBlockLids != block) continue;
    for (std::uint32_t s = 0; s < switches; ++s) {
      const Fate now = walk(SwitchIndex{s}, to);
      const Fate before = std::exchange(fates_[d * switches + s], now);
      if (faults == nullptr || now == before) continue;
      const bool circles = now == Fate::kCircles;
      const bool lost = before == Fate::kArrives && !excused_.contains({SwitchIndex{s}, to.lid});
      if (!circles && !lost) continue;
      faults->circles += circles ? 1 : 0;
      faults->lost += lost ? 1 : 0;
      if (faults->first.empty()) {
        faults->first = fmt::format("from {} to LID {}: {}", graph_->guid(SwitchIndex{s}), to.lid,
                                    circles ? "circles" : "lost");
      }
    }
  }
}

void WriteReplay::write(const routing::BlockWrite& write, ReplayFaults& faults) {
  const auto row = tables_.row(write.sw);
  const std::size_t first = std::size_t{write.block} * ForwardingTables::kBlockLids;
  for (std::size_t i = 0; i < write.ports.size() && first + i < row.size(); ++i) {
    row[first + i] = write.ports[i];
  }
  ++faults.states;
  judge(write.block, &faults);
  if (!look_for_cycles_ || !cyclic()) return;
  ++faults.cycles;
  if (faults.first.empty()) faults.first = "a dependency cycle";
}

ReplayFaults replay_plan(WriteReplay& replay, const routing::WritePlan& plan, int orders,
                         std::uint64_t seed) {
  ReplayFaults faults;
  replay.excuse(plan.lost);
  replay.excuse(plan.interrupted);
  SplitMix64 random(seed);
  for (const routing::WriteStep& step : plan.steps) {
    const WriteReplay begin = replay;
    for (int order = 0; order < orders; ++order) {
      replay = begin;
      std::vector<routing::BlockWrite> writes = step.writes;
      for (std::size_t i = writes.size(); i > 1; --i) {
        std::swap(writes[i - 1], writes[random.below(static_cast<std::uint32_t>(i))]);
      }
      for (const routing::BlockWrite& write : writes) replay.write(write, faults);
    }
  }
  return faults;
}

}  // namespace heddle::support
