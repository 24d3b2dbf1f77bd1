#include "bench/d_mod_k_reference.hpp"

#include <algorithm>
#include <optional>

#include "bench/bench_program.hpp"

namespace heddle::bench {

using model::SwitchIndex;
using routing::Graph;

DModKReference::DModKReference(const Graph& graph, const routing::FatTreePlan& plan)
    : rows_(graph.switch_count()), lid_of_(graph.terminals().size()) {
  for (const routing::Destination& to : graph.destinations()) {
    if (!to.terminal) switch_lids_.push_back(to.lid.value());
    if (to.terminal && to.path == 0) lid_of_[plan.number(*to.terminal)] = to.lid.value();
  }
  struct Range {
    std::uint32_t first = ~std::uint32_t{0};
    std::uint32_t end = 0;
  };
  std::vector<Range> below(graph.switch_count());
  for (const SwitchIndex sw : plan.order().ascending) {
    Row& row = rows_[sw.value()];
    Range& range = below[sw.value()];
    const auto add = [&](Child child) {
      range.first = std::min(range.first, child.first);
      range.end = std::max(range.end, child.end);
      row.children.push_back(std::move(child));
    };
    for (std::uint32_t i = 0; i < graph.terminals_of(sw).size(); ++i) {
      const std::uint32_t number =
          plan.number(routing::TerminalIndex{graph.first_terminal(sw).value() + i});
      add({.first = number,
           .end = number + 1,
           .ports = {graph.terminals_of(sw)[i].leaf_port.value()}});
    }
    for (const routing::DownBundle& bundle : plan.down_bundles(sw)) {
      const Row& child = rows_[bundle.child.value()];
      Child down{.first = below[bundle.child.value()].first,
                 .end = below[bundle.child.value()].end,
                 .divisor = child.divisor,
                 .modulus = static_cast<std::uint32_t>(child.up.size()),
                 .width = plan.width(bundle.child),
                 .ports = {}};
      row.divisor = std::max(row.divisor, child.divisor * plan.width(bundle.child));
      for (const routing::ArcIndex cable : bundle.cables) {
        down.ports.push_back(graph.arc(cable).exit.value());
      }
      add(std::move(down));
    }
    for (const std::optional<routing::UpSlot>& slot : plan.wanted_slots(sw)) {
      if (!slot) stop("the reference wants an intact tree");
      row.up.push_back(graph.arc(slot->arc).exit.value());
    }
  }
}

void DModKReference::write_row(const Row& row, std::span<std::uint8_t> out) const {
  const auto hosts = static_cast<std::uint32_t>(lid_of_.size());
  const auto slots = static_cast<std::uint32_t>(row.up.size());
  if (slots != 0) {
    for (std::uint32_t j = 0; j < hosts; ++j) out[lid_of_[j]] = row.up[j / row.divisor % slots];
    for (std::uint32_t i = 0; i < switch_lids_.size(); ++i) {
      out[switch_lids_[i]] = row.up[i / row.divisor % slots];
    }
  }
  for (const Child& child : row.children) {
    if (child.ports.size() == 1) {
      for (std::uint32_t j = child.first; j < child.end; ++j) out[lid_of_[j]] = child.ports[0];
      continue;
    }
    for (std::uint32_t j = child.first; j < child.end; ++j) {
      out[lid_of_[j]] = child.ports[j / child.divisor % child.modulus / child.width];
    }
  }
}

void DModKReference::write(model::ForwardingTables& tables, routing::Workers& workers) const {
  constexpr std::size_t kRowsAtOnce = 16;
  workers.run_ranges(rows_.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      write_row(rows_[s], tables.row(sw));
      tables.mark_known(sw);
    }
  });
}

std::uint64_t DModKReference::differing(const model::ForwardingTables& tables) const {
  std::uint64_t count = 0;
  std::vector<std::uint8_t> row(tables.row_length(), model::ForwardingTables::kNoPort);
  for (std::uint32_t s = 0; s < rows_.size(); ++s) {
    write_row(rows_[s], row);
    const auto theirs = tables.row(SwitchIndex{s});
    for (const std::uint16_t lid : lid_of_) count += row[lid] != theirs[lid] ? 1U : 0U;
  }
  return count;
}

}  // namespace heddle::bench
