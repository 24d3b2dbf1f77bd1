#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "routing/columns.hpp"

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// Rounds in which groups that were labelled early, with few votes, may still change. Two settle
/// all fabrics tried.
constexpr int kRounds = 3;

/// The spines that serve one column of leaves.
struct Unit {
  std::vector<SwitchIndex> spines;  ///< in order of their first labels
  std::vector<std::uint16_t> labels;
};

class Aligner {
 public:
  Aligner(const Graph& graph, std::span<const std::uint8_t> level, const Columns& columns)
      : graph_(graph),
        level_(level),
        top_(level.empty() ? std::uint8_t{0} : *std::ranges::max_element(level)),
        label_(graph.switch_count()) {
    std::map<std::uint32_t, std::vector<SwitchIndex>> by_lower;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      const SwitchIndex sw{s};
      if (level[s] == top_ && columns.at(sw).lower) by_lower[*columns.at(sw).lower].push_back(sw);
    }
    for (auto& [lower, spines] : by_lower) {
      std::ranges::sort(spines, {}, [&](SwitchIndex sw) { return columns.at(sw).label; });
      Unit unit{.spines = std::move(spines), .labels = {}};
      for (const SwitchIndex sw : unit.spines) {
        unit.labels.push_back(columns.at(sw).label);
        label_[sw.value()] = columns.at(sw).label;
      }
      units_.push_back(std::move(unit));
    }
  }

  /// Whether more cables than before join spines of one label.
  bool align() {
    const std::size_t before = agreeing();
    label_.assign(label_.size(), std::nullopt);
    std::vector<Unit*> waiting;
    for (Unit& unit : units_) waiting.push_back(&unit);
    while (!waiting.empty()) {
      const auto next = std::ranges::max_element(
          waiting, {}, [this](const Unit* unit) { return cables_to_labelled(*unit); });
      set(**next, voted(**next));
      waiting.erase(next);
    }
    for (int round = 1; round < kRounds; ++round) {
      for (Unit& unit : units_) {
        const std::size_t now = agreeing(unit);
        const std::vector<std::uint16_t> old = labels_of(unit);
        set(unit, voted(unit));
        if (agreeing(unit) <= now) set(unit, old);
      }
    }
    return agreeing() > before;
  }
  /// Of a switch that serves leaves.
  [[nodiscard]] std::optional<std::uint16_t> label(SwitchIndex sw) const {
    return label_[sw.value()];
  }

 private:
  /// Calls for each cable of a spine to another whose label is known.
  template <class Visit>
  void for_each_peer(SwitchIndex spine, Visit visit) const {
    for (const Arc& arc : graph_.arcs_of(spine)) {
      if (level_[arc.to.value()] != top_ || !label_[arc.to.value()]) continue;
      visit(*label_[arc.to.value()]);
    }
  }
  [[nodiscard]] std::size_t cables_to_labelled(const Unit& unit) const {
    std::size_t count = 0;
    for (const SwitchIndex spine : unit.spines) {
      for_each_peer(spine, [&count](std::uint16_t) { ++count; });
    }
    return count;
  }
  [[nodiscard]] std::size_t agreeing(const Unit& unit) const {
    std::size_t count = 0;
    for (const SwitchIndex spine : unit.spines) {
      for_each_peer(
          spine, [&](std::uint16_t label) { count += label == label_[spine.value()] ? 1U : 0U; });
    }
    return count;
  }
  [[nodiscard]] std::size_t agreeing() const {
    std::size_t count = 0;
    for (const Unit& unit : units_) count += agreeing(unit);
    return count;
  }
  [[nodiscard]] std::vector<std::uint16_t> labels_of(const Unit& unit) const {
    std::vector<std::uint16_t> labels;
    for (const SwitchIndex spine : unit.spines) labels.push_back(*label_[spine.value()]);
    return labels;
  }
  void set(const Unit& unit, std::span<const std::uint16_t> labels) {
    for (std::size_t i = 0; i < unit.spines.size(); ++i) label_[unit.spines[i].value()] = labels[i];
  }

  /// The unit's own labels anew: those with most votes first, ties in order of first labels; then
  /// what is left over, first labels where they are free.
  [[nodiscard]] std::vector<std::uint16_t> voted(const Unit& unit) const {
    struct Vote {
      std::size_t cables;
      std::size_t spine;
      std::size_t label;  ///< place in unit.labels, as is `spine` in unit.spines
    };
    std::vector<Vote> votes;
    for (std::size_t i = 0; i < unit.spines.size(); ++i) {
      std::vector<std::size_t> cables(unit.labels.size(), 0);
      for_each_peer(unit.spines[i], [&](std::uint16_t label) {
        const auto found = std::ranges::find(unit.labels, label);
        if (found != unit.labels.end()) {
          ++cables[static_cast<std::size_t>(found - unit.labels.begin())];
        }
      });
      for (std::size_t k = 0; k < cables.size(); ++k) {
        if (cables[k] != 0) votes.push_back({cables[k], i, k});
      }
    }
    std::ranges::sort(votes, {}, [](const Vote& vote) {
      return std::tuple(~vote.cables, vote.label != vote.spine, vote.spine, vote.label);
    });
    std::vector<std::optional<std::size_t>> of_spine(unit.spines.size());
    std::vector<std::uint8_t> taken(unit.labels.size(), 0);
    const auto give = [&](std::size_t spine, std::size_t label) {
      if (of_spine[spine] || taken[label] != 0) return;
      of_spine[spine] = label;
      taken[label] = 1;
    };
    for (const Vote& vote : votes) give(vote.spine, vote.label);
    for (std::size_t i = 0; i < of_spine.size(); ++i) give(i, i);
    for (std::size_t i = 0; i < of_spine.size(); ++i) {
      for (std::size_t k = 0; k < taken.size() && !of_spine[i]; ++k) give(i, k);
    }
    std::vector<std::uint16_t> labels;
    for (const std::optional<std::size_t>& place : of_spine) labels.push_back(unit.labels[*place]);
    return labels;
  }

  const Graph& graph_;
  std::span<const std::uint8_t> level_;
  std::uint8_t top_;
  std::vector<std::optional<std::uint16_t>> label_;  ///< by SwitchIndex
  std::vector<Unit> units_;
};

}  // namespace

void align_labels(const Graph& graph, std::span<const std::uint8_t> level, Columns& columns) {
  Aligner aligner(graph, level, columns);
  if (!aligner.align()) return;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const auto label = aligner.label(SwitchIndex{s});
    if (label) columns.columns[columns.of[s]].label = *label;
  }
}

}  // namespace heddle::routing
