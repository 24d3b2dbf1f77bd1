#include "routing/table_changes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "routing/order.hpp"
#include "routing/reach.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::SwitchIndex;

namespace {

constexpr std::size_t kBlock = ForwardingTables::kBlockLids;

/// What each switch can deliver to by up*/down*, where levels say which way is up.
class Deliverable {
 public:
  Deliverable(const Graph& graph, const Availability& availability,
              std::span<const std::optional<std::uint8_t>> level, Workers& workers)
      : level_(level) {
    // A switch without a level is no part of the order: nothing is delivered over it.
    Availability ranked_only = availability;
    std::vector<std::uint8_t> known(graph.switch_count());
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (ranked(SwitchIndex{s})) {
        known[s] = *level[s];
      } else {
        ranked_only.take_down(SwitchIndex{s});
      }
    }
    order_ = order_by_level(graph, known);
    find_reach(order_, graph, ranked_only, workers, reach_);
  }

  [[nodiscard]] bool ranked(SwitchIndex sw) const {
    return sw.value() < level_.size() && level_[sw.value()].has_value();
  }
  /// Whether a packet that took this cable can still be delivered.
  [[nodiscard]] bool after(const Graph& graph, ArcIndex arc, SwitchIndex end) const {
    const bool up = order_.directions[arc.value()] == Direction::kUp;
    return (up ? reach_.any : reach_.down).test(graph.arc(arc).to.value(), end.value());
  }

 private:
  std::span<const std::optional<std::uint8_t>> level_;
  Order order_;
  Reach reach_;
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
    return deliverable_.after(graph_, ArcIndex{target.index}, destination->at);
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
