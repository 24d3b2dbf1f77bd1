#include "routing/transition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "routing/dependency_set.hpp"
#include "routing/hop_table.hpp"
#include "routing/lane_range.hpp"
#include "routing/per_thread.hpp"
#include "routing/sources.hpp"

namespace heddle::routing {

using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using model::Vl;

namespace {

constexpr std::size_t kBlock = 64;   // destinations whose entries lie beside each other
constexpr std::size_t kChoices = 2;  // the new entry and the old one

struct Plan {
  const Graph& graph;
  const RoutingState& before;
  const RoutingState& after;
  const LevelSets& levels;  ///< of all connections
  HopTable hops;
  Sources sources;
  std::uint16_t lanes;
  bool plain;  ///< VL = SL before and after
};

/// One thread's part.
class MixtureWalk {
 public:
  explicit MixtureWalk(const Plan& plan)
      : plan_(plan), dependencies_(plan.graph, plan.lanes), places_(plan.graph.switch_count()) {}

  void walk(const Destination& destination);
  [[nodiscard]] DependencySet& dependencies() noexcept { return dependencies_; }
  [[nodiscard]] const std::vector<model::Lid>& looping() const noexcept { return looping_; }
  [[nodiscard]] const std::optional<TransitionVerdict::Loop>& first_loop() const noexcept {
    return first_loop_;
  }

 private:
  enum class Colour : std::uint8_t { kOnPath, kDone };
  /// A way on from a switch: over a channel to another switch.
  struct Choice {
    ArcIndex arc;
    PortNum port;
    std::uint32_t seen_epoch = 0;
    std::uint32_t seen_lanes = 0;  ///< VLs in which it was followed, of that epoch
  };
  struct Place {
    std::uint32_t epoch = 0;
    std::uint8_t choices = 0;
    Colour colour = Colour::kOnPath;
    std::array<Choice, kChoices> choice;
  };
  struct Step {
    std::uint32_t sw;
    std::uint8_t next;  ///< choice to try next
  };
  struct Waiting {
    std::uint32_t sw;
    std::uint8_t choice;
    Vl vl;
  };

  [[nodiscard]] bool sends(TerminalIndex terminal) const;
  [[nodiscard]] bool any_sends(std::uint32_t source) const;
  void enter(std::uint32_t sw);
  void explore(std::uint32_t from);
  void note_loop(std::uint32_t closes_at);
  void add_lanes();
  /// Calls `visit(choice, vl)` for each channel and lane that a packet may leave a switch by.
  template <class Visit>
  void leave(std::uint32_t sw, PortNum entry, Sl sl, Visit visit);
  void take(std::uint32_t sw, std::uint8_t choice, Vl vl);

  const Plan& plan_;
  DependencySet dependencies_;
  std::vector<Place> places_;  ///< by SwitchIndex
  std::uint32_t epoch_ = 0;
  std::uint32_t seen_epoch_ = 0;
  const Destination* destination_ = nullptr;
  std::vector<Step> path_;
  std::vector<Waiting> waiting_;
  bool loops_ = false;
  std::vector<model::Lid> looping_;
  std::optional<TransitionVerdict::Loop> first_loop_;
};

bool MixtureWalk::sends(TerminalIndex terminal) const {
  return !destination_->terminal ||
         plan_.graph.terminal(terminal).node != plan_.graph.terminal(*destination_->terminal).node;
}

bool MixtureWalk::any_sends(std::uint32_t source) const {
  return std::ranges::any_of(plan_.sources.terminals(source),
                             [this](TerminalIndex terminal) { return sends(terminal); });
}

void MixtureWalk::enter(std::uint32_t sw) {
  Place& place = places_[sw];
  place = Place{};
  place.epoch = epoch_;
  path_.push_back({sw, 0});
  if (!destination_->terminal && destination_->at.value() == sw) return;
  for (const model::ForwardingTables* const tables : {&plan_.after.tables, &plan_.before.tables}) {
    const std::uint8_t port = TableColumn(*tables, destination_->lid)[sw];
    const HopTable::Hop hop = plan_.hops.at(sw, port);
    if (hop.to >= HopTable::Hop::kTerminal) continue;
    if (place.choices == 1 && place.choice[0].port == PortNum{port}) continue;
    place.choice[place.choices++] = {.arc = ArcIndex{hop.index}, .port = PortNum{port}};
  }
}

/// Depth first over the switches that packets may meet, looking for circles.
void MixtureWalk::explore(std::uint32_t from) {
  if (places_[from].epoch == epoch_) return;
  path_.clear();
  enter(from);
  while (!path_.empty()) {
    Step& step = path_.back();
    Place& place = places_[step.sw];
    if (step.next == place.choices) {
      place.colour = Colour::kDone;
      path_.pop_back();
      continue;
    }
    const std::uint32_t to = plan_.graph.arc(place.choice[step.next++].arc).to.value();
    if (places_[to].epoch != epoch_) {
      enter(to);
    } else if (places_[to].colour == Colour::kOnPath && !loops_) {
      note_loop(to);
    }
  }
}

void MixtureWalk::note_loop(std::uint32_t closes_at) {
  loops_ = true;
  looping_.push_back(destination_->lid);
  if (first_loop_ && first_loop_->destination < destination_->lid) return;
  first_loop_.emplace();
  first_loop_->destination = destination_->lid;
  const auto begin = std::ranges::find(path_, closes_at, &Step::sw);
  for (auto step = begin; step != path_.end(); ++step) {
    first_loop_->arcs.push_back(places_[step->sw].choice[step->next - std::size_t{1}].arc);
  }
}

template <class Visit>
void MixtureWalk::leave(std::uint32_t sw, PortNum entry, Sl sl, Visit visit) {
  const Place& place = places_[sw];
  for (std::uint8_t i = 0; i < place.choices; ++i) {
    const PortNum exit = place.choice[i].port;
    const Vl vl = plan_.after.maps.vl(SwitchIndex{sw}, entry, exit, sl);
    const Vl old = plan_.before.maps.vl(SwitchIndex{sw}, entry, exit, sl);
    visit(i, vl);
    if (old != vl) visit(i, old);
  }
}

void MixtureWalk::take(std::uint32_t sw, std::uint8_t choice, Vl vl) {
  Choice& taken = places_[sw].choice[choice];
  if (taken.seen_epoch != seen_epoch_) {
    taken.seen_epoch = seen_epoch_;
    taken.seen_lanes = 0;
  }
  if (((taken.seen_lanes >> vl.value()) & 1U) != 0) return;
  taken.seen_lanes |= 1U << vl.value();
  waiting_.push_back({sw, choice, vl});
}

void MixtureWalk::add_lanes() {
  const auto sources = plan_.sources.switches();
  const model::Lid to = destination_->lid;
  const auto levels_of = [&](SwitchIndex from) -> unsigned {
    return plan_.levels.levels(from, to);
  };
  unsigned levels = 0;
  for (const SwitchIndex from : sources) levels |= levels_of(from);
  for (; levels != 0; levels &= levels - 1) {
    const auto level = static_cast<std::uint8_t>(std::countr_zero(levels));
    ++seen_epoch_;
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
      if (((levels_of(sources[source]) >> level) & 1U) == 0) continue;
      for (const TerminalIndex terminal : plan_.sources.terminals(source)) {
        const SwitchIndex from = sources[source];
        const unsigned own = plan_.levels.levels(terminal, from, to);
        if (((own >> level) & 1U) == 0 || !sends(terminal)) continue;
        const std::uint32_t sw = from.value();
        leave(sw, plan_.graph.terminal(terminal).leaf_port, Sl{level},
              [&](std::uint8_t choice, Vl vl) { take(sw, choice, vl); });
        if (plan_.plain) break;  // the way in makes no difference
      }
    }
    while (!waiting_.empty()) {
      const Waiting held = waiting_.back();
      waiting_.pop_back();
      const ArcIndex index = places_[held.sw].choice[held.choice].arc;
      const Arc& arc = plan_.graph.arc(index);
      const std::uint32_t next = arc.to.value();
      leave(next, arc.entry, Sl{level}, [&](std::uint8_t choice, Vl vl) {
        dependencies_.add({index, held.vl}, arc.to, {places_[next].choice[choice].arc, vl});
        take(next, choice, vl);
      });
    }
  }
}

void MixtureWalk::walk(const Destination& destination) {
  destination_ = &destination;
  ++epoch_;
  loops_ = false;
  for (std::uint32_t source = 0; source < plan_.sources.switches().size(); ++source) {
    if (any_sends(source)) explore(plan_.sources.switches()[source].value());
  }
  add_lanes();
}

struct Mixture {
  const RoutingState& before;
  const RoutingState& after;
  const LevelSets& levels;
  std::uint16_t lanes;
};

struct Found {
  DependencySet dependencies;
  std::vector<model::Lid> looping;
  std::optional<TransitionVerdict::Loop> first_loop;
};

Found walk_mixture(const Graph& graph, const Availability& availability, const Mixture& mixture,
                   const CheckOptions& options, Workers& workers) {
  const Plan plan{graph,
                  mixture.before,
                  mixture.after,
                  mixture.levels,
                  HopTable(graph, availability),
                  Sources(graph, availability),
                  mixture.lanes,
                  mixture.before.maps.identity() && mixture.after.maps.identity()};
  const std::vector<const Destination*> destinations =
      judged_destinations(graph, availability, options);
  const auto walks = share_ranges<MixtureWalk>(
      destinations.size(), kBlock, workers, [&] { return std::make_unique<MixtureWalk>(plan); },
      [&](MixtureWalk& walk, std::size_t i) { walk.walk(*destinations[i]); });
  Found found{std::move(walks.front()->dependencies()), {}, std::nullopt};
  for (std::size_t i = 0; i < walks.size(); ++i) {
    if (i != 0) found.dependencies.merge(walks[i]->dependencies());
    const std::vector<model::Lid>& looping = walks[i]->looping();
    found.looping.insert(found.looping.end(), looping.begin(), looping.end());
    const auto& loop = walks[i]->first_loop();
    if (loop && (!found.first_loop || loop->destination < found.first_loop->destination)) {
      found.first_loop = loop;
    }
  }
  std::ranges::sort(found.looping);
  return found;
}

/// Makes the levels of pairs that cannot have open connections what they are from now on.
void give_closed(const Graph& graph, const RoutingState& before, const LevelSets& now,
                 LevelSets& levels) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex source{s};
    if (graph.terminals_of(source).empty()) continue;
    for (const Destination& destination : graph.destinations()) {
      if (!may_be_open(before, source, destination.lid)) {
        levels.copy(graph, now, source, destination.lid);
      }
    }
  }
}

}  // namespace

bool may_be_open(const RoutingState& state, SwitchIndex source, model::Lid destination) noexcept {
  return state.tables.known(source) && state.tables.port(source, destination).has_value();
}

LevelSets levels_in_use(const Graph& graph, const RoutingState& before, const LevelSets& now) {
  LevelSets levels = now;
  levels.merge(graph, before.levels);
  give_closed(graph, before, now, levels);
  return levels;
}

LevelSets levels_until_told(const Graph& graph, const RoutingState& before, const LevelSets& now) {
  LevelSets levels = before.levels;
  give_closed(graph, before, now, levels);
  return levels;
}

std::uint16_t lanes_in_transition(const RoutingState& before, const RoutingState& after) noexcept {
  return static_cast<std::uint16_t>(
      lane_range(after.levels, after.maps) | lane_range(after.levels, before.maps) |
      lane_range(before.levels, after.maps) | lane_range(before.levels, before.maps));
}

DependencySet mixture_dependencies(const Graph& graph, const Availability& availability,
                                   const RoutingState& before, const RoutingState& after,
                                   const LevelSets& levels, std::uint16_t lanes, Workers& workers) {
  return walk_mixture(graph, availability, {before, after, levels, lanes}, {}, workers)
      .dependencies;
}

TransitionVerdict check_transition(const Graph& graph, const Availability& availability,
                                   const RoutingState& before, const RoutingState& after,
                                   const CheckOptions& options, Workers& workers) {
  const LevelSets levels = levels_in_use(graph, before, after.levels);
  Found found =
      walk_mixture(graph, availability, {before, after, levels, lanes_in_transition(before, after)},
                   options, workers);
  TransitionVerdict verdict;
  verdict.looping = std::move(found.looping);
  verdict.first_loop = std::move(found.first_loop);
  verdict.cycle = found.dependencies.find_cycle();
  if (!verdict.cycle.empty()) {
    verdict.settled_cycle =
        check_routes(graph, availability, after.tables, levels, after.maps, options, workers).cycle;
  }
  return verdict;
}

}  // namespace heddle::routing
