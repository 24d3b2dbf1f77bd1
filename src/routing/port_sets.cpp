#include "routing/port_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "routing/bit_rows.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/orientation.hpp"
#include "routing/path_cost.hpp"
#include "routing/reach.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

namespace {

/// A bit a port.
using PortMask = std::array<std::uint64_t, 4>;

void insert(PortMask& mask, PortNum port) {
  mask[port.value() / 64U] |= std::uint64_t{1} << (port.value() % 64U);
}

/// Cables lead up, across or down whatever the destination, but for those that only some use.
struct FixedOrder {
  /// Up any number of times.
  static constexpr bool kOneUp = false;
  std::vector<SwitchIndex> ascending;
  std::vector<Direction> directions;  ///< by ArcIndex
  bool goes_across = false;           ///< whether any cable does
  /// By ArcIndex, empty for none: cables that only ways to the destinations marked use.
  std::vector<std::uint8_t> sideways;
  std::vector<std::uint64_t> uses_sideways;  ///< a bit a switch

  [[nodiscard]] std::optional<Direction> direction(ArcIndex index, const Arc& /*arc*/,
                                                   SwitchIndex destination) const {
    const bool idle = !sideways.empty() && sideways[index.value()] != 0 &&
                      !test_bit(uses_sideways, destination.value());
    return idle ? std::nullopt : std::optional(directions[index.value()]);
  }
};

/// Local-global-local: "up" is a local cable to a router that leads on, "down" one to the
/// destination.
struct GroupOrder {
  static constexpr bool kOneUp = true;
  std::vector<SwitchIndex> ascending;
  const Structure& structure;

  [[nodiscard]] std::optional<Direction> direction(ArcIndex /*index*/, const Arc& arc,
                                                   SwitchIndex destination) const {
    const auto group = [&](SwitchIndex sw) { return structure.pod[sw.value()]; };
    if (group(arc.from) == group(destination)) {
      return arc.to == destination ? std::optional(Direction::kDown) : std::nullopt;
    }
    if (group(arc.to) == group(destination)) return Direction::kAcross;
    return group(arc.to) == group(arc.from) ? std::optional(Direction::kUp) : std::nullopt;
  }
};

/// The ways of all switches toward one.
template <class Order>
class Ways {
 public:
  Ways(const Graph& graph, const Availability& availability, const Order& order)
      : graph_(graph), availability_(availability), order_(order) {}

  /// With `entries`, switches whose entry for the LID leaves the order have no way.
  void measure(SwitchIndex destination, const ForwardingTables* entries, model::Lid lid) {
    destination_ = destination;
    down_.assign(graph_.switch_count(), PathCost::far());
    across_ = least_ = down_;
    if (!availability_.up(destination)) return;
    down_[destination.value()] = least_[destination.value()] = PathCost();
    const auto settle = [&](SwitchIndex sw, std::vector<PathCost>& kind, PathCost cost) {
      if (cost.is_far()) return;
      kind[sw.value()] = least_[sw.value()] = cost;
      if (entries == nullptr || is_ordered(sw, entries->port(sw, lid))) return;
      kind[sw.value()] = least_[sw.value()] = PathCost::far();
      barred_[sw.value()] = 1;
    };
    barred_.assign(graph_.switch_count(), 0);
    for (const SwitchIndex sw : order_.ascending) {
      if (sw != destination) settle(sw, down_, best(sw, Direction::kDown, down_));
    }
    if constexpr (Order::kOneUp) {
      for (const SwitchIndex sw : order_.ascending) {
        if (is_open(sw)) settle(sw, across_, best(sw, Direction::kAcross, down_));
      }
    }
    for (std::size_t i = order_.ascending.size(); i-- > 0;) {
      const SwitchIndex sw = order_.ascending[i];
      if (!is_open(sw)) continue;
      PathCost across = PathCost::far();
      if constexpr (!Order::kOneUp) {
        if (order_.goes_across) across = best(sw, Direction::kAcross, down_);
      }
      settle(sw, least_, std::min(across, best(sw, Direction::kUp, beyond_up())));
    }
  }

  [[nodiscard]] bool has_way(SwitchIndex sw) const {
    return sw != destination_ && !least_[sw.value()].is_far();
  }
  /// Whether an entry goes on as the order allows, at a switch that has a way.
  [[nodiscard]] bool is_ordered(SwitchIndex sw, std::optional<PortNum> entry) const {
    const PortTarget target = entry ? graph_.target(sw, *entry) : PortTarget{};
    return target.kind == PortTarget::Kind::kSwitch && !cost(ArcIndex{target.index}).is_far();
  }
  /// Ports of the least cost.
  [[nodiscard]] PortMask ports(SwitchIndex sw) const {
    PortMask mask{};
    if (!has_way(sw)) return mask;
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      const ArcIndex arc{graph_.first_arc(sw).value() + i};
      if (cost(arc) == least_[sw.value()]) insert(mask, graph_.arc(arc).exit);
    }
    return mask;
  }

 private:
  /// Nothing is known of a way yet.
  [[nodiscard]] bool is_open(SwitchIndex sw) const {
    return least_[sw.value()].is_far() && barred_[sw.value()] == 0;
  }
  [[nodiscard]] const std::vector<PathCost>& beyond_up() const {
    return Order::kOneUp ? across_ : least_;
  }

  [[nodiscard]] PathCost best(SwitchIndex sw, Direction wanted,
                              const std::vector<PathCost>& beyond) const {
    PathCost best = PathCost::far();
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      const ArcIndex index{graph_.first_arc(sw).value() + i};
      const Arc& arc = graph_.arc(index);
      if (beyond[arc.to.value()].is_far() || !availability_.usable(graph_, index) ||
          order_.direction(index, arc, destination_) != wanted) {
        continue;
      }
      best = std::min(best, beyond[arc.to.value()].plus(availability_.capacity(index)));
    }
    return best;
  }

  /// By a cable out of a switch that has a way; far if that is not for it to take.
  [[nodiscard]] PathCost cost(ArcIndex index) const {
    const Arc& arc = graph_.arc(index);
    const std::optional<Direction> direction = order_.direction(index, arc, destination_);
    if (!direction || !availability_.usable(graph_, index)) return PathCost::far();
    const bool has_down = !down_[arc.from.value()].is_far();
    const bool has_across = !across_[arc.from.value()].is_far();
    if (has_down != (*direction == Direction::kDown)) return PathCost::far();
    if (has_across && *direction != Direction::kAcross) return PathCost::far();
    const std::vector<PathCost>& beyond = *direction == Direction::kUp ? beyond_up() : down_;
    if (beyond[arc.to.value()].is_far()) return PathCost::far();
    return beyond[arc.to.value()].plus(availability_.capacity(index));
  }

  const Graph& graph_;
  const Availability& availability_;
  const Order& order_;
  SwitchIndex destination_;
  std::vector<PathCost> down_;    ///< by switch: over nothing but "down"
  std::vector<PathCost> across_;  ///< with kOneUp: across, then down
  std::vector<PathCost> least_;   ///< of what the switch may take
  std::vector<std::uint8_t> barred_;
};

/// LIDs of one switch with the same sets.
struct Group {
  std::vector<model::Lid> lids;
  std::vector<PortMask> sets;  ///< by SwitchIndex
};

}  // namespace

/// The groups of each destination switch in turn, a batch at a time, so that memory stays small.
class PortSetsMaker {
 public:
  PortSetsMaker(const Graph& graph, const Availability& availability, const Routes& routes,
                Workers& workers)
      : graph_(graph),
        availability_(availability),
        tables_(routes.tables),
        workers_(workers),
        sets_(graph.switch_count(), graph.top_lid()) {
    set_number(PortMask{});
  }

  template <class Order>
  PortSets make(const Order& order, bool base_lids_only) && {
    for (std::size_t begin = 0; begin < graph_.switch_count(); begin += kBatch) {
      std::vector<std::vector<Group>> batch(std::min(kBatch, graph_.switch_count() - begin));
      workers_.run_ranges(batch.size(), kGrain, [&](std::size_t first, std::size_t last) {
        Ways<Order> ways(graph_, availability_, order);
        for (std::size_t i = first; i < last; ++i) {
          const SwitchIndex at{static_cast<std::uint32_t>(begin + i)};
          batch[i] = groups_at(at, base_lids_only, ways);
        }
      });
      for (const std::vector<Group>& groups : batch) {
        for (const Group& group : groups) add(group);
      }
    }
    return std::move(sets_);
  }

  /// No choice anywhere.
  PortSets make() && { return std::move(sets_); }

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kGrain = 4;

  /// LIDs whose entries keep the order share their sets; each of the others has its own.
  template <class Order>
  std::vector<Group> groups_at(SwitchIndex at, bool base_lids_only, Ways<Order>& ways) const {
    const auto sets = [&] {
      std::vector<PortMask> out;
      out.reserve(graph_.switch_count());
      for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
        out.push_back(ways.ports(SwitchIndex{s}));
      }
      return out;
    };
    ways.measure(at, nullptr, model::Lid{});
    Group shared;
    std::vector<model::Lid> others;
    for (const std::uint32_t d : graph_.destinations_at(at)) {
      const Destination& to = graph_.destinations()[d];
      if (base_lids_only && to.path != 0) continue;
      (is_ordered_everywhere(ways, to.lid) ? shared.lids : others).push_back(to.lid);
    }
    std::vector<Group> groups;
    if (!shared.lids.empty()) {
      shared.sets = sets();
      groups.push_back(std::move(shared));
    }
    for (const model::Lid lid : others) {
      ways.measure(at, &tables_, lid);
      groups.push_back({{lid}, sets()});
    }
    return groups;
  }

  template <class Order>
  bool is_ordered_everywhere(const Ways<Order>& ways, model::Lid lid) const {
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      const SwitchIndex sw{s};
      if (ways.has_way(sw) && !ways.is_ordered(sw, tables_.port(sw, lid))) return false;
    }
    return true;
  }

  void add(const Group& group) {
    const auto number = static_cast<std::uint32_t>(sets_.set_of_.size() / graph_.switch_count());
    for (const model::Lid lid : group.lids) sets_.group_of_lid_[lid.value()] = number;
    for (const PortMask& mask : group.sets) sets_.set_of_.push_back(set_number(mask));
  }

  std::uint32_t set_number(const PortMask& mask) {
    const auto [found, is_new] =
        numbers_.try_emplace(mask, static_cast<std::uint32_t>(numbers_.size()));
    if (!is_new) return found->second;
    for (std::size_t word = 0; word < mask.size(); ++word) {
      for (std::uint64_t left = mask[word]; left != 0; left &= left - 1) {
        sets_.ports_.push_back(static_cast<std::uint8_t>(
            word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
    sets_.first_port_.push_back(static_cast<std::uint32_t>(sets_.ports_.size()));
    return found->second;
  }

  const Graph& graph_;
  const Availability& availability_;
  const ForwardingTables& tables_;
  Workers& workers_;
  std::map<PortMask, std::uint32_t> numbers_;
  PortSets sets_;
};

PortSets minimal_port_sets(const model::Fabric& fabric, const Graph& graph,
                           const Structure& structure, const Availability& availability,
                           const Routes& routes, Workers& workers) {
  PortSetsMaker maker(graph, availability, routes, workers);
  switch (routes.engine) {
    case Engine::kFatTree:
    case Engine::kDragonflyPlus:
    case Engine::kHybrid: {
      const FatTreePlan plan = FatTreePlan::make(fabric, graph, structure);
      FixedOrder order{.ascending = plan.order().ascending,
                       .directions = {plan.directions().begin(), plan.directions().end()},
                       .goes_across = structure.shape == Shape::kDragonflyPlus,
                       .sideways = plan.order().sideways,
                       .uses_sideways = {}};
      if (!order.sideways.empty()) {
        Reach reach;
        find_reach(plan.order(), graph, availability, workers, reach);
        order.uses_sideways = std::move(reach.sideways);
      }
      return std::move(maker).make(order, structure.shape == Shape::kDragonflyPlus);
    }
    case Engine::kUpDown: {
      const Orientation orientation(graph, availability, choose_roots(graph, availability));
      FixedOrder order;
      for (std::size_t i = orientation.order().size(); i-- > 0;) {
        order.ascending.emplace_back(orientation.order()[i]);
      }
      for (const Arc& arc : graph.arcs()) {
        order.directions.push_back(orientation.up(arc) ? Direction::kUp : Direction::kDown);
      }
      return std::move(maker).make(order, false);
    }
    case Engine::kDragonfly: {
      GroupOrder order{.ascending = {}, .structure = structure};
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) order.ascending.emplace_back(s);
      return std::move(maker).make(order, true);
    }
    case Engine::kLayered:
      break;
  }
  return std::move(maker).make();
}

}  // namespace heddle::routing
