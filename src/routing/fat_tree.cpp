#include "routing/fat_tree.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

constexpr std::size_t kRowsAtOnce = 16;

void merge(std::span<std::uint64_t> into, std::span<const std::uint64_t> from) {
  for (std::size_t w = 0; w < from.size(); ++w) into[w] |= from[w];
}

/// Switches with entries that may differ: what they or a neighbour reach has changed.
std::vector<std::uint8_t> affected(const Graph& graph, const ReachChange& change) {
  const bool sideways = std::ranges::any_of(change.sideways(), [](auto word) { return word != 0; });
  std::vector<std::uint8_t> due(graph.switch_count(), sideways ? 1 : 0);
  for (std::uint32_t s = 0; s < graph.switch_count() && !sideways; ++s) {
    const SwitchIndex sw{s};
    if (change.any(sw).empty() && change.down(sw).empty()) continue;
    due[s] = 1;
    for (const Arc& arc : graph.arcs_of(sw)) due[arc.to.value()] = 1;
  }
  return due;
}

}  // namespace

FatTree::FatTree(const Graph& graph, FatTreePlan plan)
    : graph_(&graph),
      plan_(std::move(plan)),
      availability_(graph),
      runs_(destination_runs(graph)) {}

void FatTree::compute(const Availability& availability, Workers& workers) {
  const Graph& graph = *graph_;
  availability_ = availability;
  find_reach(plan_.order(), graph, availability_, workers, reach_);
  if (tables_.switch_count() != graph.switch_count()) {
    tables_ = ForwardingTables(graph.switch_count(), graph.top_lid());
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) tables_.mark_known(SwitchIndex{s});
  }
  const TableRows rows(graph, plan_, availability_, reach_);
  workers.run_ranges(graph.switch_count(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    TableRows::Scratch scratch;
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      rows.write_row(sw, runs_, scratch, tables_.row(sw));
    }
  });
}

/// Brings reach_ and change_ up to date. False where entries may change otherwise than change_
/// says: preferences among drained cables follow from rows that it does not cover.
bool FatTree::find_change(const Availability& availability, std::span<const SwitchIndex> touched,
                          Workers& workers) {
  if (can_update_reach(plan_.order(), *graph_, availability, touched, reach_)) {
    update_reach(plan_.order(), *graph_, availability, touched, reach_, change_);
    return true;
  }
  const Reach before = std::exchange(reach_, Reach{});
  find_reach(plan_.order(), *graph_, availability, workers, reach_);
  if (before.has_drained || reach_.has_drained) return false;
  change_.clear(graph_->switch_count(), reach_.down.words_per_row());
  change_.note_sideways(before.sideways, reach_.sideways);
  for (std::uint32_t s = 0; s < graph_->switch_count(); ++s) {
    change_.note_down(SwitchIndex{s}, before.down.row(s), reach_.down.row(s));
    change_.note_any(SwitchIndex{s}, before.any.row(s), reach_.any.row(s));
  }
  return true;
}

std::vector<ChangedEntry> FatTree::repair(const Availability& availability, Workers& workers) {
  const Graph& graph = *graph_;
  const std::vector<SwitchIndex> touched = availability.changed_since(graph, availability_);
  const bool compare = find_change(availability, touched, workers);
  const std::size_t switches = graph.switch_count();
  std::vector<std::uint8_t> afresh(switches, compare ? 0 : 1);
  for (const SwitchIndex sw : touched) afresh[sw.value()] = 1;
  const std::vector<std::uint8_t> due =
      compare ? affected(graph, change_) : std::vector<std::uint8_t>(switches, 0);
  std::vector<std::vector<ChangedEntry>> parts((switches + kRowsAtOnce - 1) / kRowsAtOnce);
  const TableRows rows(graph, plan_, availability, reach_);
  workers.run_ranges(switches, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<ChangedEntry>& changed = parts[begin / kRowsAtOnce];
    TableRows::Scratch scratch;
    std::vector<std::uint8_t> fresh;
    std::vector<std::uint64_t> columns;
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      const auto row = tables_.row(sw);
      const auto write = [&](std::uint32_t destination, std::uint8_t port) {
        const model::Lid lid = graph.destinations()[destination].lid;
        std::uint8_t& entry = row[lid.value()];
        if (entry == port) return;
        changed.push_back({sw, lid, entry, port});
        entry = port;
      };
      if (afresh[s] != 0) {
        fresh.resize(row.size());
        rows.write_row(sw, runs_, scratch, fresh);
        for (std::uint32_t d = 0; d < graph.destinations().size(); ++d) {
          write(d, fresh[graph.destinations()[d].lid.value()]);
        }
        continue;
      }
      if (due[s] == 0) continue;
      columns.assign(change_.sideways().begin(), change_.sideways().end());
      merge(columns, change_.any(sw));
      merge(columns, change_.down(sw));
      for (const UpSlot& up : plan_.up_cables(sw)) {
        merge(columns, change_.any(graph.arc(up.arc).to));
        if (plan_.direction(up.arc) == Direction::kAcross) {
          merge(columns, change_.down(graph.arc(up.arc).to));
        }
      }
      for (const DownBundle& bundle : plan_.down_bundles(sw)) {
        merge(columns, change_.down(bundle.child));
      }
      const std::size_t first = changed.size();
      for_each_bit(columns, [&](std::size_t at) {
        const SwitchIndex last{static_cast<std::uint32_t>(at)};
        rows.entries_at(sw, last, scratch, fresh);
        const auto destinations = graph.destinations_at(last);
        for (std::size_t i = 0; i < fresh.size(); ++i) write(destinations[i], fresh[i]);
      });
      std::ranges::sort(changed.begin() + static_cast<std::ptrdiff_t>(first), changed.end(), {},
                        &ChangedEntry::lid);
    }
  });
  availability_ = availability;
  std::vector<ChangedEntry> all;
  for (const std::vector<ChangedEntry>& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace heddle::routing
