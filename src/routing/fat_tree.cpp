#include "routing/fat_tree.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

constexpr std::size_t kRowsAtOnce = 16;

void add_differences(std::span<std::uint64_t> into, const BitRows& before, const BitRows& now,
                     SwitchIndex sw) {
  const auto a = before.row(sw.value());
  const auto b = now.row(sw.value());
  for (std::size_t w = 0; w < into.size(); ++w) into[w] |= a[w] ^ b[w];
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

std::vector<ChangedEntry> FatTree::repair(const Availability& availability, Workers& workers) {
  const Graph& graph = *graph_;
  std::swap(reach_, before_);
  find_reach(plan_.order(), graph, availability, workers, reach_);
  // Preferences among drained cables follow from rows that the comparison below does not look at.
  const bool compare = !reach_.has_drained && !before_.has_drained;
  const std::size_t switches = graph.switch_count();
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
      if (!compare || changed_at(graph, availability_, availability, sw)) {
        fresh.resize(row.size());
        rows.write_row(sw, runs_, scratch, fresh);
        for (std::uint32_t d = 0; d < graph.destinations().size(); ++d) {
          write(d, fresh[graph.destinations()[d].lid.value()]);
        }
        continue;
      }
      columns.assign(reach_.any.words_per_row(), 0);
      add_differences(columns, before_.any, reach_.any, sw);
      add_differences(columns, before_.down, reach_.down, sw);
      for (const UpSlot& up : plan_.up_cables(sw)) {
        add_differences(columns, before_.any, reach_.any, graph.arc(up.arc).to);
        if (plan_.direction(up.arc) == Direction::kAcross) {
          add_differences(columns, before_.down, reach_.down, graph.arc(up.arc).to);
        }
      }
      for (const DownBundle& bundle : plan_.down_bundles(sw)) {
        add_differences(columns, before_.down, reach_.down, bundle.child);
      }
      const std::size_t first = changed.size();
      for_each_bit(columns, [&](std::size_t at) {
        const SwitchIndex last{static_cast<std::uint32_t>(at)};
        for (const std::uint32_t d : graph.destinations_at(last)) write(d, rows.entry(sw, d));
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
