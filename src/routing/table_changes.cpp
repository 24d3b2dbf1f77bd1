#include "routing/table_changes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "routing/bit_rows.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::SwitchIndex;

namespace {

constexpr std::size_t kBlock = ForwardingTables::kBlockLids;

/// Which switches each switch can deliver to by up*/down*, rows and bits by SwitchIndex.
class Deliverable {
 public:
  Deliverable(const Graph& graph, const Availability& availability,
              std::span<const std::optional<std::uint8_t>> level, Workers& workers)
      : level_(level),
        down_(graph.switch_count(), graph.switch_count()),
        any_(graph.switch_count(), graph.switch_count()) {
    std::vector<SwitchIndex> ascending;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (availability.up(SwitchIndex{s}) && ranked(SwitchIndex{s})) ascending.emplace_back(s);
    }
    std::ranges::stable_sort(ascending, {}, [&](SwitchIndex s) { return *level_[s.value()]; });
    // Words of the rows do not depend on each other: each is 64 destinations.
    workers.run(down_.words_per_row(), [&](std::size_t word) {
      const auto gather = [&](SwitchIndex s, bool upward, BitRows& into, const BitRows& from) {
        std::uint64_t bits = 0;
        for (std::uint32_t a = 0; a < graph.arcs_of(s).size(); ++a) {
          const ArcIndex arc{graph.first_arc(s).value() + a};
          const SwitchIndex to = graph.arc(arc).to;
          if (!availability.usable(graph, arc) || !ranked(to) || goes_up(s, to) != upward) continue;
          bits |= from.row(to.value())[word];
        }
        into.row(s.value())[word] |= bits;
      };
      for (const SwitchIndex s : ascending) {
        if (s.value() / 64 == word) down_.set(s.value(), s.value());
        gather(s, false, down_, down_);
      }
      for (auto s = ascending.rbegin(); s != ascending.rend(); ++s) {
        any_.row(s->value())[word] = down_.row(s->value())[word];
        gather(*s, true, any_, any_);
      }
    });
  }

  [[nodiscard]] bool ranked(SwitchIndex sw) const {
    return sw.value() < level_.size() && level_[sw.value()].has_value();
  }
  [[nodiscard]] bool goes_up(SwitchIndex from, SwitchIndex to) const {
    return std::pair(*level_[from.value()], from) < std::pair(*level_[to.value()], to);
  }
  /// Whether a packet that took this cable can still be delivered.
  [[nodiscard]] bool after(const Arc& arc, SwitchIndex end) const {
    const BitRows& rows = goes_up(arc.from, arc.to) ? any_ : down_;
    return rows.test(arc.to.value(), end.value());
  }

 private:
  std::span<const std::optional<std::uint8_t>> level_;
  BitRows down_;
  BitRows any_;
};

class Comparison {
 public:
  Comparison(const Graph& graph, const Availability& availability, const Deliverable& deliverable)
      : graph_(graph), availability_(availability), deliverable_(deliverable) {}

  [[nodiscard]] TableChanges row(SwitchIndex sw, std::span<const std::uint8_t> before,
                                 std::span<const std::uint8_t> after) const {
    TableChanges changes;
    const std::size_t length = std::max(before.size(), after.size());
    const std::size_t common = std::min(before.size(), after.size());
    for (std::size_t first = 0; first < length; first += kBlock) {
      const std::size_t end = std::min(first + kBlock, length);
      if (end <= common && std::memcmp(&before[first], &after[first], end - first) == 0) continue;
      const std::uint64_t so_far = changes.entries;
      for (std::size_t lid = first; lid < end; ++lid) {
        const std::uint8_t was = lid < before.size() ? before[lid] : ForwardingTables::kNoPort;
        const std::uint8_t is = lid < after.size() ? after[lid] : ForwardingTables::kNoPort;
        if (was == is) continue;
        ++changes.entries;
        if (!could_stay(sw, was, Lid{static_cast<std::uint16_t>(lid)})) ++changes.unavoidable;
      }
      if (changes.entries != so_far) ++changes.blocks;
    }
    changes.switches = changes.entries != 0 ? 1 : 0;
    return changes;
  }

 private:
  [[nodiscard]] bool could_stay(SwitchIndex sw, std::uint8_t port, Lid lid) const {
    const Destination* const destination = graph_.find(lid);
    if (port == ForwardingTables::kNoPort || destination == nullptr ||
        !availability_.usable(graph_, *destination)) {
      return false;
    }
    if (port == 0) return !destination->terminal && destination->at == sw;
    const PortTarget target = graph_.target(sw, PortNum{port});
    switch (target.kind) {
      case PortTarget::Kind::kNothing:
        return false;
      case PortTarget::Kind::kTerminal:
        return destination->terminal && destination->terminal->value() == target.index;
      case PortTarget::Kind::kSwitch:
        break;
    }
    const Arc& arc = graph_.arc(ArcIndex{target.index});
    if (!availability_.usable(graph_, ArcIndex{target.index})) return false;
    if (!deliverable_.ranked(arc.from) || !deliverable_.ranked(arc.to)) return true;
    return deliverable_.after(arc, destination->at);
  }

  const Graph& graph_;
  const Availability& availability_;
  const Deliverable& deliverable_;
};

}  // namespace

TableChanges compare_tables(const Graph& graph, const Availability& availability,
                            const ForwardingTables& before, const ForwardingTables& after,
                            std::span<const std::optional<std::uint8_t>> level, Workers& workers) {
  const Deliverable deliverable(graph, availability, level, workers);
  const Comparison comparison(graph, availability, deliverable);
  std::vector<TableChanges> rows(graph.switch_count());
  workers.run_ranges(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex sw{static_cast<std::uint32_t>(s)};
      if (!availability.up(sw)) continue;
      const auto row = [sw](const ForwardingTables& tables) {
        return sw.value() < tables.switch_count() ? tables.row(sw)
                                                  : std::span<const std::uint8_t>();
      };
      rows[s] = comparison.row(sw, row(before), row(after));
    }
  });
  TableChanges changes;
  for (const TableChanges& row : rows) {
    changes.entries += row.entries;
    changes.blocks += row.blocks;
    changes.switches += row.switches;
    changes.unavoidable += row.unavoidable;
  }
  return changes;
}

}  // namespace heddle::routing
