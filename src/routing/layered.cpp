#include "routing/layered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/orientation.hpp"
#include "routing/pair_levels.hpp"
#include "routing/path_cost.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::Sl;
using model::SwitchIndex;

namespace {

/// VL 15 is for management.
constexpr std::uint8_t kDataLanes = 15;
/// What a route adds to the load of a cable of full capacity; a reduced one gets more by as much.
constexpr std::uint64_t kRoute = 100;

/// Switches by distance from one destination switch.
struct Distances {
  std::vector<PathCost> cost;
  std::vector<std::uint32_t> order;  ///< nearest first, the destination left out
};

class Layered {
 public:
  Layered(const Graph& graph, const Availability& availability, Workers& workers);

  /// Shortest paths alone, in as many lanes as they need: how many those of terminals take, or
  /// nothing if there are not so many.
  [[nodiscard]] std::optional<std::size_t> route_shortest();
  /// Shortest paths in all lanes but the last, and whole LIDs up*/down* in the last one.
  void route_with_last_resort(std::uint8_t lanes);
  /// Settles the levels of all paths and hands the result out.
  [[nodiscard]] Routes finish(std::uint8_t lanes);

 private:
  struct Choice {
    ArcIndex arc;
    std::uint64_t load;  ///< of all cables from here on
  };

  void place_answers(std::uint8_t lanes);
  void clear();
  void spread();
  [[nodiscard]] bool route(const Destination& destination, std::size_t lanes);
  void route_up_down(const Destination& destination, const Orientation& orientation,
                     std::size_t lane);
  void begin(const Destination& destination);
  void find_choices(std::uint32_t sw, const Distances& distances);
  [[nodiscard]] bool choose(std::uint32_t sw, std::size_t lanes);
  [[nodiscard]] bool fits(std::size_t lane, ArcIndex arc);
  void take(std::uint32_t sw, const Choice& choice);
  void count_routes(std::span<const std::uint32_t> order, const Destination& destination);
  void uncount_routes(const Destination& destination);
  void write(const Destination& destination);
  void read(const Destination& destination);
  [[nodiscard]] std::uint64_t weight(std::uint32_t arc, std::uint64_t routes) const noexcept {
    const unsigned capacity = availability_.capacity(ArcIndex{arc}).value;
    return routes * kRoute * 100 / std::max(capacity, 1U);
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint8_t kNoLane = 0xFF;

  const Graph& graph_;
  const Availability& availability_;
  std::vector<std::uint32_t> sources_;     ///< usable terminals, by switch
  std::vector<Distances> distances_;       ///< by destination switch
  std::vector<const Destination*> order_;  ///< in which LIDs are routed
  std::vector<std::uint64_t> load_;        ///< by arc
  std::vector<AcyclicChannels> lanes_;
  Routes routes_;
  // Of the LID in hand, by switch.
  std::vector<std::uint32_t> next_;   ///< arc
  std::vector<std::uint64_t> ahead_;  ///< load of the way on
  std::vector<std::uint8_t> lane_;
  std::vector<std::uint64_t> passing_;
  std::vector<Choice> choices_;
  std::vector<std::pair<ArcIndex, ArcIndex>> edges_;
};

Layered::Layered(const Graph& graph, const Availability& availability, Workers& workers)
    : graph_(graph),
      availability_(availability),
      sources_(graph.switch_count(), 0),
      distances_(graph.switch_count()),
      load_(graph.arcs().size(), 0),
      next_(graph.switch_count()),
      ahead_(graph.switch_count()),
      lane_(graph.switch_count()),
      passing_(graph.switch_count()) {
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    ++sources_[graph.terminal(TerminalIndex{t}).leaf.value()];
  }
  workers.run_ranges(graph.switch_count(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) {
      const SwitchIndex destination{static_cast<std::uint32_t>(d)};
      Distances& to = distances_[d];
      to.cost = costs_to(graph, availability, std::span(&destination, 1));
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        if (s != d && !to.cost[s].is_far()) to.order.push_back(s);
      }
      std::ranges::stable_sort(to.order, {}, [&](std::uint32_t sw) { return to.cost[sw]; });
    }
  });
  // One LID of each switch after another, then the second of each, so that none has all the free
  // cables; switches' own LIDs last.
  std::vector<std::pair<std::uint32_t, const Destination*>> ranked;
  std::vector<std::uint32_t> of_switch(graph.switch_count(), 0);
  for (const Destination& destination : graph.destinations()) {
    if (!availability.usable(graph, destination)) continue;
    const std::uint32_t rank = destination.terminal ? of_switch[destination.at.value()]++ : kNone;
    ranked.emplace_back(rank, &destination);
  }
  std::ranges::stable_sort(
      ranked, {}, [](const auto& entry) { return std::pair(entry.first, entry.second->at); });
  for (const auto& [rank, destination] : ranked) order_.push_back(destination);
}

void Layered::clear() {
  std::ranges::fill(load_, 0);
  lanes_.clear();
  routes_ = Routes();
  routes_.engine = Engine::kLayered;
  routes_.tables = model::ForwardingTables(graph_.switch_count(), graph_.top_lid());
  routes_.lanes.levels = PathLevels(graph_.switch_count(), graph_.top_lid());
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    routes_.tables.mark_known(SwitchIndex{s});
  }
}

/// Routes everything by load alone, as if there were lanes enough.
void Layered::spread() {
  for (const Destination* destination : order_) {
    begin(*destination);
    const Distances& distances = distances_[destination->at.value()];
    for (const std::uint32_t sw : distances.order) {
      find_choices(sw, distances);
      take(sw, *std::ranges::min_element(choices_, {}, &Choice::load));
    }
    count_routes(distances.order, *destination);
    write(*destination);
  }
}

std::optional<std::size_t> Layered::route_shortest() {
  clear();
  spread();
  // Once more, knowing what all others load, now with lanes.
  for (const Destination* destination : order_) {
    if (!route(*destination, kDataLanes)) return std::nullopt;
  }
  return lanes_.size();
}

void Layered::route_with_last_resort(std::uint8_t lanes) {
  clear();
  spread();
  const Orientation orientation(graph_, availability_, choose_roots(graph_, availability_));
  while (lanes_.size() < lanes) lanes_.emplace_back(graph_);
  for (const Destination* destination : order_) {
    if (!route(*destination, lanes - std::size_t{1})) {
      route_up_down(*destination, orientation, lanes - std::size_t{1});
    }
  }
}

void Layered::begin(const Destination& destination) {
  std::ranges::fill(next_, kNone);
  std::ranges::fill(lane_, kNoLane);
  ahead_[destination.at.value()] = 0;
}

/// False, with nothing changed but lanes' dependencies, if a terminal's path fits none of the
/// lanes.
bool Layered::route(const Destination& destination, std::size_t lanes) {
  uncount_routes(destination);
  begin(destination);
  const Distances& distances = distances_[destination.at.value()];
  for (const std::uint32_t sw : distances.order) {
    find_choices(sw, distances);
    std::ranges::stable_sort(choices_, {}, &Choice::load);
    if (sources_[sw] != 0) {
      if (!choose(sw, lanes)) return false;
      continue;
    }
    // Its own path gets a lane in the end. On the way of others it had better fit the first.
    const auto welcome = std::ranges::find_if(choices_, [&](const Choice& choice) {
      const std::uint32_t next = next_[graph_.arc(choice.arc).to.value()];
      return next == kNone || lanes_.empty() || !lanes_[0].refused(choice.arc, ArcIndex{next});
    });
    take(sw, welcome == choices_.end() ? choices_.front() : *welcome);
  }
  count_routes(distances.order, destination);
  write(destination);
  return true;
}

void Layered::route_up_down(const Destination& destination, const Orientation& orientation,
                            std::size_t lane) {
  begin(destination);
  UpDownCosts costs;
  measure_up_down(graph_, availability_, orientation, destination.at, costs);
  // Each switch after those that its path may pass: downwards the lower ones, then all upwards.
  std::vector<std::uint32_t> order;
  const auto has_down = [&](std::uint32_t sw) { return !costs.down[sw].is_far(); };
  std::ranges::copy_if(orientation.order(), std::back_inserter(order), has_down);
  std::ranges::reverse(order);
  std::ranges::copy_if(orientation.order(), std::back_inserter(order),
                       [&](std::uint32_t sw) { return !has_down(sw); });
  std::erase_if(order, [&](std::uint32_t sw) {
    return sw == destination.at.value() || costs.least[sw].is_far();
  });
  for (const std::uint32_t sw : order) {
    const bool down = has_down(sw);
    choices_.clear();
    const std::uint32_t first = graph_.first_arc(SwitchIndex{sw}).value();
    for (std::uint32_t i = 0; i < graph_.arcs_of(SwitchIndex{sw}).size(); ++i) {
      const ArcIndex arc{first + i};
      const Arc& a = graph_.arc(arc);
      const PathCost onward = (down ? costs.down : costs.least)[a.to.value()];
      if (onward.is_far() || orientation.up(a) == down || !availability_.usable(graph_, arc) ||
          onward.plus(availability_.capacity(arc)) != costs.least[sw]) {
        continue;
      }
      choices_.push_back({arc, load_[arc.value()] + ahead_[a.to.value()]});
    }
    const Choice best = *std::ranges::min_element(choices_, {}, &Choice::load);
    const bool fit = fits(lane, best.arc);
    HEDDLE_ASSERT(fit);
    lane_[sw] = static_cast<std::uint8_t>(lane);
    static_cast<void>(fit);
    take(sw, best);
  }
  count_routes(order, destination);
  write(destination);
}

void Layered::find_choices(std::uint32_t sw, const Distances& distances) {
  choices_.clear();
  const std::uint32_t first = graph_.first_arc(SwitchIndex{sw}).value();
  for (std::uint32_t i = 0; i < graph_.arcs_of(SwitchIndex{sw}).size(); ++i) {
    const ArcIndex arc{first + i};
    const std::uint32_t to = graph_.arc(arc).to.value();
    if (distances.cost[to] >= distances.cost[sw] || !availability_.usable(graph_, arc)) continue;
    if (distances.cost[to].plus(availability_.capacity(arc)) != distances.cost[sw]) continue;
    choices_.push_back({arc, load_[arc.value()] + ahead_[to]});
  }
}

/// Takes the first of choices_ that fits the lowest lane possible.
bool Layered::choose(std::uint32_t sw, std::size_t lanes) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (lane == lanes_.size()) lanes_.emplace_back(graph_);
    for (const Choice& choice : choices_) {
      if (!fits(lane, choice.arc)) continue;
      lane_[sw] = static_cast<std::uint8_t>(lane);
      take(sw, choice);
      return true;
    }
  }
  return false;
}

/// Adds the dependencies of the path over `arc` to the lane, if it can take them.
bool Layered::fits(std::size_t lane, ArcIndex arc) {
  edges_.clear();
  for (std::uint32_t next = next_[graph_.arc(arc).to.value()]; next != kNone;
       next = next_[graph_.arc(arc).to.value()]) {
    edges_.emplace_back(arc, ArcIndex{next});
    arc = ArcIndex{next};
  }
  return lanes_[lane].add(edges_);
}

void Layered::take(std::uint32_t sw, const Choice& choice) {
  next_[sw] = choice.arc.value();
  ahead_[sw] = choice.load;
}

/// Loads the arcs of the tree with the terminals behind them; what switches' own LIDs carry is next
/// to nothing.
void Layered::count_routes(std::span<const std::uint32_t> order, const Destination& destination) {
  if (!destination.terminal) return;
  for (std::size_t s = 0; s < passing_.size(); ++s) passing_[s] = sources_[s];
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t sw = order[i];
    const std::uint32_t arc = next_[sw];
    load_[arc] += weight(arc, passing_[sw]);
    passing_[graph_.arc(ArcIndex{arc}).to.value()] += passing_[sw];
  }
}

void Layered::uncount_routes(const Destination& destination) {
  if (!destination.terminal) return;
  read(destination);
  const std::vector<std::uint32_t>& order = distances_[destination.at.value()].order;
  for (std::size_t s = 0; s < passing_.size(); ++s) passing_[s] = sources_[s];
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t arc = next_[order[i]];
    load_[arc] -= weight(arc, passing_[order[i]]);
    passing_[graph_.arc(ArcIndex{arc}).to.value()] += passing_[order[i]];
  }
}

void Layered::write(const Destination& destination) {
  const std::uint16_t lid = destination.lid.value();
  for (std::uint32_t s = 0; s < next_.size(); ++s) {
    if (next_[s] == kNone) continue;
    routes_.tables.row(SwitchIndex{s})[lid] = graph_.arc(ArcIndex{next_[s]}).exit.value();
    if (lane_[s] != kNoLane) {
      routes_.lanes.levels.set(SwitchIndex{s}, destination.lid, Sl{lane_[s]});
    }
  }
  routes_.tables.row(destination.at)[lid] = graph_.last_exit(destination).value();
}

/// The reverse of write(), but for lanes.
void Layered::read(const Destination& destination) {
  begin(destination);
  for (const std::uint32_t sw : distances_[destination.at.value()].order) {
    const auto port = routes_.tables.port(SwitchIndex{sw}, destination.lid);
    next_[sw] = graph_.target(SwitchIndex{sw}, *port).index;
  }
}

Routes Layered::finish(std::uint8_t lanes) {
  place_answers(lanes);
  return std::move(routes_);
}

/// What management ports of switches without terminals send. No terminal's path passes a switch
/// whose own path finds no lane: it would fit that one's.
void Layered::place_answers(std::uint8_t lanes) {
  for (const Destination* destination : order_) {
    read(*destination);
    for (const std::uint32_t sw : distances_[destination->at.value()].order) {
      if (sources_[sw] != 0) continue;
      const ArcIndex arc{next_[sw]};
      std::size_t lane = 0;
      for (; lane < lanes; ++lane) {
        if (lane == lanes_.size()) lanes_.emplace_back(graph_);
        if (fits(lane, arc)) break;
      }
      if (lane < lanes) {
        routes_.lanes.levels.set(SwitchIndex{sw}, destination->lid,
                                 Sl{static_cast<std::uint8_t>(lane)});
      } else {
        routes_.undelivered.push_back({.source = SwitchIndex{sw}, .destination = destination->lid});
      }
    }
  }
  std::ranges::sort(routes_.undelivered);
  for (const Undelivered& pair : routes_.undelivered) {
    routes_.tables.row(pair.source)[pair.destination.value()] = model::ForwardingTables::kNoPort;
  }
}

}  // namespace

model::Result<Routes> route_layered(const Graph& graph, const Availability& availability,
                                    const LayeredOptions& options, Workers& workers) {
  if (options.max_lanes == 0 || options.max_lanes > kDataLanes) {
    return fail(Errc::kInvalidInput,
                fmt::format("{} lanes are not within 1..{}", options.max_lanes, kDataLanes));
  }
  Layered layered(graph, availability, workers);
  const std::optional<std::size_t> needed = layered.route_shortest();
  if (!needed || *needed > options.max_lanes) layered.route_with_last_resort(options.max_lanes);
  Routes routes = layered.finish(options.max_lanes);
  if (options.levels == LevelsPer::kPath) return routes;
  std::optional<PathLevels> levels =
      pair_levels(graph, availability, routes.tables, options.max_lanes);
  if (!levels) {
    return fail(Errc::kUnsupported,
                fmt::format("{} lanes are too few for the same level both ways between any two "
                            "switches",
                            options.max_lanes));
  }
  routes.lanes.levels = *std::move(levels);
  return routes;
}

}  // namespace heddle::routing
