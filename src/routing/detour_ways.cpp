#include "routing/detour_ways.hpp"

#include <algorithm>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// A drained cable is worse than any load.
constexpr std::uint32_t kDrainedCost = 1U << 24U;
constexpr std::size_t kSlacks = kMaxDetourSlack + std::size_t{1};

}  // namespace

DetourWays::DetourWays(const Graph& graph, const Availability& availability, DetourColumn& column,
                       std::span<const std::uint32_t> load)
    : graph_(graph),
      availability_(availability),
      column_(column),
      load_(load),
      rest_(graph.switch_count()) {}

void DetourWays::begin(const AcyclicChannels& lane) noexcept {
  lane_ = &lane;
  lane_changes_ = lane.changes();
  ++epoch_;
  ++version_;
}

std::span<const DetourWay> DetourWays::find(const Query& query) {
  query_ = query;
  if (query.hard && marks_.empty()) marks_.resize(graph_.arcs().size() * kSlacks);
  if (lane_changes_ != lane_->changes()) {
    lane_changes_ = lane_->changes();
    ++version_;
  }
  ways_.clear();
  way_.count = 0;
  extend(query.from, query.length);
  std::ranges::stable_sort(ways_, {}, &DetourWay::cost);
  return ways_;
}

/// Adds to ways_ those of exactly `left` more cables that begin with way_, which has come to `sw`.
void DetourWays::extend(std::uint32_t sw, std::uint16_t left) {
  const std::uint32_t begin = graph_.first_arc(SwitchIndex{sw}).value();
  const auto count = static_cast<std::uint32_t>(graph_.arcs_of(SwitchIndex{sw}).size());
  for (std::uint32_t arc = begin; arc < begin + count && ways_.size() < query_.most; ++arc) {
    if (!fits(arc, left)) continue;
    if (way_.count > 0 && lane_->refused(ArcIndex{way_.last()}, ArcIndex{arc})) continue;
    if (query_.hard && !may_lead_on(arc, left)) continue;
    const std::uint32_t to = graph_.arc(ArcIndex{arc}).to.value();
    way_.arcs[way_.count] = arc;
    ++way_.count;
    if (column_.hops(to) != DetourColumn::kFar) {
      keep();
    } else if (way_.count < DetourWay::kMaxFree) {
      const bool passed =
          std::any_of(way_.arcs.begin(), way_.arcs.begin() + way_.count,
                      [&](std::uint32_t a) { return graph_.arc(ArcIndex{a}).from.value() == to; });
      if (!passed) extend(to, static_cast<std::uint16_t>(left - 1));
    }
    --way_.count;
  }
}

/// Whether a way may take the arc with `left` cables to go, as far as lengths say: least() of what
/// is delivered is hops(), and a lower bound for the others.
bool DetourWays::fits(std::uint32_t arc, std::uint16_t left) {
  const std::uint32_t to = graph_.arc(ArcIndex{arc}).to.value();
  if (column_.hops(to) != DetourColumn::kFar) {
    if (column_.hops(to) + 1 != left) return false;
  } else if (column_.least(to) == DetourColumn::kFar || column_.least(to) + 1 > left) {
    return false;
  }
  return column_.passable(ArcIndex{arc}, query_.drained);
}

/// Whether some way of `left` cables that begins with the arc, which fits, is not known to be
/// refused. False is certain, but of ways that pass a switch twice only those are left out that
/// turn back at once; of no more slack than there is no others are short enough.
bool DetourWays::may_lead_on(std::uint32_t arc, std::uint16_t left) {
  const Arc& taken = graph_.arc(ArcIndex{arc});
  if (column_.hops(taken.to.value()) != DetourColumn::kFar) return !refused_beyond(arc);
  const std::size_t slack = left - std::size_t{1} - column_.least(taken.to.value());
  Mark& mark = marks_[arc * kSlacks + slack];
  if (mark.dead == epoch_) return false;
  if (mark.alive == version_) return true;
  const auto rest = static_cast<std::uint16_t>(left - 1);
  const std::uint32_t begin = graph_.first_arc(taken.to).value();
  const auto count = static_cast<std::uint32_t>(graph_.arcs_of(taken.to).size());
  for (std::uint32_t next = begin; next < begin + count; ++next) {
    if (graph_.arc(ArcIndex{next}).to == taken.from || !fits(next, rest)) continue;
    if (lane_->refused(ArcIndex{arc}, ArcIndex{next}) || !may_lead_on(next, rest)) continue;
    mark.alive = version_;
    return true;
  }
  mark.dead = epoch_;
  return false;
}

/// Whether the lane is known to refuse what follows the arc, which ends at a switch that leads on.
bool DetourWays::refused_beyond(std::uint32_t arc) {
  const std::uint32_t end = graph_.arc(ArcIndex{arc}).to.value();
  const std::uint32_t next = column_.next(end);
  if (next == DetourColumn::kArrived) return false;
  return rest(end).refused || lane_->refused(ArcIndex{arc}, ArcIndex{next});
}

/// Of a switch that leads on.
const DetourWays::Rest& DetourWays::rest(std::uint32_t sw) {
  if (rest_[sw].version == version_) return rest_[sw];
  Rest found{.version = version_};
  if (const std::uint32_t arc = column_.next(sw); arc != DetourColumn::kArrived) {
    const std::uint32_t to = graph_.arc(ArcIndex{arc}).to.value();
    found = rest(to);
    found.load = std::max(found.load, load_[arc]);
    if (const std::uint32_t next = column_.next(to); next != DetourColumn::kArrived) {
      found.refused |= lane_->refused(ArcIndex{arc}, ArcIndex{next});
      found.added += lane_->contains(ArcIndex{arc}, ArcIndex{next}) ? 0U : 1U;
    }
  }
  return rest_[sw] = found;
}

/// Rates way_, which has come to a switch that leads on, and adds it to ways_ if the lane may take
/// it.
void DetourWays::keep() {
  if (refused_beyond(way_.last())) return;
  DetourWay& way = ways_.emplace_back(way_);
  const std::uint32_t end = graph_.arc(ArcIndex{way.last()}).to.value();
  const Rest& beyond = rest(end);
  if (query_.cost == Cost::kLoad) {
    way.cost = beyond.load;
    for (std::uint8_t i = 0; i < way.count; ++i) {
      way.cost = std::max(way.cost, load_[way.arcs[i]]);
    }
  } else {
    way.cost = beyond.added;
    const auto adds = [&](std::uint32_t held, std::uint32_t wanted) {
      return lane_->contains(ArcIndex{held}, ArcIndex{wanted}) ? 0U : 1U;
    };
    for (std::uint8_t i = 1; i < way.count; ++i) {
      way.cost += adds(way.arcs[i - std::size_t{1}], way.arcs[i]);
    }
    if (const std::uint32_t next = column_.next(end); next != DetourColumn::kArrived) {
      way.cost += adds(way.last(), next);
    }
  }
  for (std::uint8_t i = 0; query_.drained && i < way.count; ++i) {
    if (availability_.capacity(ArcIndex{way.arcs[i]}).value == 0) way.cost += kDrainedCost;
  }
  // Nothing rates better than a way that asks nothing new of the lane.
  if (query_.cost == Cost::kNew && way.cost == 0) query_.most = 0;
}

}  // namespace heddle::routing
