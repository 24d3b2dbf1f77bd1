#include "routing/level_sets.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

LevelSets::LevelSets(const PathLevels& levels) {
  for (std::uint32_t s = 0; s < levels.rows(); ++s) {
    const auto row = levels.row(model::SwitchIndex{s});
    Row& masks = rows_.emplace_back(row.size());
    std::ranges::transform(row, masks.begin(),
                           [](std::uint8_t sl) { return static_cast<Mask>(1U << sl); });
  }
}

LevelSets::LevelSets(const Graph& graph, std::span<const PairLevel> pairs)
    : rows_(graph.switch_count()) {
  std::vector<PairLevel> sorted;
  for (const PairLevel& pair : pairs) {
    const Destination* const source = graph.find(pair.source);
    const Destination* const destination = graph.find(pair.destination);
    if (source == nullptr || !source->terminal || destination == nullptr) continue;
    const model::NodeIndex node = graph.terminal(*source->terminal).node;
    if (destination->terminal && graph.terminal(*destination->terminal).node == node) continue;
    sorted.push_back(pair);
  }
  std::ranges::sort(sorted);
  tell_terminals_apart(graph, sorted);
  // Where all terminals of a switch agree, one row serves them.
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const model::SwitchIndex sw{s};
    const auto rows = std::span(by_terminal_)
                          .subspan(graph.first_terminal(sw).value(), graph.terminals_of(sw).size());
    if (std::ranges::all_of(rows, &Row::empty)) continue;
    bool differ = false;
    for (const Destination& to : graph.destinations()) {
      unsigned all = 0;
      unsigned common = ~0U;
      for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const bool own =
            to.terminal && graph.terminals_of(sw)[i].node == graph.terminal(*to.terminal).node;
        if (own) continue;
        const Mask mask = cell(rows[i], to.lid);
        all |= mask;
        common &= mask;
      }
      if (all == 0 || all == kZero) continue;
      differ = differ || all != common;
      rows_[s].resize(graph.top_lid().value() + std::size_t{1});
      rows_[s][to.lid.value()] = static_cast<Mask>(all);
    }
    if (!differ) std::ranges::fill(rows, Row{});
  }
  if (std::ranges::all_of(by_terminal_, &Row::empty)) by_terminal_.clear();
}

void LevelSets::tell_terminals_apart(const Graph& graph, std::span<const PairLevel> sorted) {
  by_terminal_.resize(graph.terminals().size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Destination& source = *graph.find(sorted[i].source);
    Row& row = by_terminal_[source.terminal->value()];
    if (row.empty()) row.resize(graph.top_lid().value() + std::size_t{1});
    Mask& mask = row[sorted[i].destination.value()];
    // The base LID comes first; what it does not name has level 0, whatever further LIDs add.
    if (mask == 0 && source.path != 0) mask = kZero;
    mask = static_cast<Mask>(mask | (1U << sorted[i].sl.value()));
  }
}

void LevelSets::merge_row(Row& into, const Row& other) {
  if (into.empty() && other.empty()) return;
  into.resize(std::max(into.size(), other.size()));
  for (std::uint32_t lid = 0; lid < into.size(); ++lid) {
    const model::Lid to{static_cast<std::uint16_t>(lid)};
    into[lid] = static_cast<Mask>(cell(into, to) | cell(other, to));
  }
}

void LevelSets::merge(const Graph& graph, const LevelSets& other) {
  const Row none;
  if (!by_terminal_.empty() || !other.by_terminal_.empty()) {
    // Terminals that either tells apart get a row of their own before those of the switches change.
    by_terminal_.resize(graph.terminals().size());
    for (std::uint32_t t = 0; t < by_terminal_.size(); ++t) {
      const std::uint32_t leaf = graph.terminal(TerminalIndex{t}).leaf.value();
      const auto row_of = [&](const LevelSets& sets) -> const Row& {
        if (t < sets.by_terminal_.size() && !sets.by_terminal_[t].empty()) {
          return sets.by_terminal_[t];
        }
        return leaf < sets.rows_.size() ? sets.rows_[leaf] : none;
      };
      Row row = row_of(*this);
      merge_row(row, row_of(other));
      by_terminal_[t] = std::move(row);
    }
  }
  if (rows_.size() < other.rows_.size()) rows_.resize(other.rows_.size());
  for (std::uint32_t s = 0; s < rows_.size(); ++s) {
    merge_row(rows_[s], s < other.rows_.size() ? other.rows_[s] : none);
  }
}

void LevelSets::copy(const Graph& graph, const LevelSets& other, model::SwitchIndex source,
                     model::Lid destination) {
  const auto set = [&](Row& row, Mask mask) {
    if (cell(row, destination) == mask) return;
    row.resize(std::max(row.size(), graph.top_lid().value() + std::size_t{1}));
    row[destination.value()] = mask;
  };
  if (rows_.size() < graph.switch_count()) rows_.resize(graph.switch_count());
  const auto apart = [](const LevelSets& sets, std::uint32_t terminal) {
    return terminal < sets.by_terminal_.size() && !sets.by_terminal_[terminal].empty();
  };
  for (std::uint32_t i = 0; i < graph.terminals_of(source).size(); ++i) {
    const std::uint32_t terminal = graph.first_terminal(source).value() + i;
    if (!apart(*this, terminal) && !apart(other, terminal)) continue;
    by_terminal_.resize(graph.terminals().size());
    Row& row = by_terminal_[terminal];
    if (row.empty()) row = rows_[source.value()];
    set(row, other.levels(TerminalIndex{terminal}, source, destination));
  }
  set(rows_[source.value()], other.levels(source, destination));
}

LevelSets::Mask LevelSets::used() const noexcept {
  unsigned used = kZero;
  for (const Row& row : rows_) {
    for (const Mask mask : row) used |= mask;
  }
  return static_cast<Mask>(used);
}

}  // namespace heddle::routing
