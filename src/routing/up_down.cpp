#include "routing/up_down.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "routing/orientation.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::SwitchIndex;

namespace {

/// Destination switches whose costs are held at a time: bounds the memory, 8 octets for each and
/// each switch.
constexpr std::size_t kBlock = 256;
/// What a path at the destination can carry: no limit.
constexpr std::uint32_t kAnyCapacity = std::numeric_limits<std::uint32_t>::max();

class UpDown {
 public:
  UpDown(const Graph& graph, const Availability& availability, const Orientation& orientation,
         Workers& workers);

  [[nodiscard]] Routes route();

 private:
  /// Toward one destination switch, by switch.
  struct Toward {
    UpDownCosts costs;
    /// What can be carried there over all shortest paths, in percent of a cable.
    std::vector<std::uint32_t> capacity;
  };
  struct Choice {
    ArcIndex arc;
    std::uint32_t capacity;
  };

  void measure(SwitchIndex destination, Toward& toward) const;
  void find_choices(std::uint32_t sw, const Toward& toward, std::vector<Choice>& choices) const;
  void fill(SwitchIndex at, const Toward& toward);
  void fill(std::uint32_t sw, std::span<const Destination* const> lids, const Toward& toward);

  const Graph& graph_;
  const Availability& availability_;
  const Orientation& orientation_;
  Workers& workers_;
  std::vector<std::vector<const Destination*>> lids_;  ///< by switch: its terminals', then its own
  std::vector<Toward> toward_;                         ///< of the block in hand
  std::vector<std::uint32_t> terminal_routes_;         ///< on each arc, to LIDs of terminals
  std::vector<std::uint32_t> switch_routes_;           ///< and to LIDs of switches, kept apart so
                                                       ///< that they do not upset the turn of those
  std::vector<std::uint8_t> has_terminals_;            ///< usable ones
  Routes routes_;
  // Room for one destination switch.
  std::vector<Choice> choices_;
  std::vector<std::uint8_t> passed_;  ///< whether packets to a LID come to a switch, LID by LID
};

UpDown::UpDown(const Graph& graph, const Availability& availability, const Orientation& orientation,
               Workers& workers)
    : graph_(graph),
      availability_(availability),
      orientation_(orientation),
      workers_(workers),
      lids_(graph.switch_count()),
      toward_(std::min(kBlock, graph.switch_count())),
      terminal_routes_(graph.arcs().size(), 0),
      switch_routes_(graph.arcs().size(), 0),
      has_terminals_(graph.switch_count(), 0) {
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    has_terminals_[graph.terminal(TerminalIndex{t}).leaf.value()] = 1;
  }
  for (const Destination& destination : graph.destinations()) {
    if (availability.usable(graph, destination)) {
      lids_[destination.at.value()].push_back(&destination);
    }
  }
  for (std::vector<const Destination*>& lids : lids_) {
    std::ranges::stable_sort(lids, {}, [](const Destination* destination) {
      return std::pair(!destination->terminal, destination->terminal);
    });
  }
}

/// Adds up what the shortest paths carry, from the destination outwards: a switch is as good as the
/// cables out of it, each of which is no better than the switch that it leads to.
void UpDown::measure(SwitchIndex destination, Toward& toward) const {
  measure_up_down(graph_, availability_, orientation_, destination, toward.costs);
  toward.capacity.assign(graph_.switch_count(), 0);
  toward.capacity[destination.value()] = kAnyCapacity;
  std::vector<Choice> choices;
  const auto add_up = [&](std::uint32_t sw) {
    find_choices(sw, toward, choices);
    std::uint32_t sum = 0;
    for (const Choice& choice : choices) sum += choice.capacity;
    toward.capacity[sw] = sum;
  };
  const auto down = [&](std::uint32_t sw) { return !toward.costs.down[sw].is_far(); };
  for (std::size_t i = orientation_.order().size(); i-- > 0;) {
    const std::uint32_t sw = orientation_.order()[i];
    if (down(sw) && sw != destination.value()) add_up(sw);
  }
  for (const std::uint32_t sw : orientation_.order()) {
    if (!down(sw)) add_up(sw);
  }
}

void UpDown::find_choices(std::uint32_t sw, const Toward& toward,
                          std::vector<Choice>& choices) const {
  choices.clear();
  const PathCost least = toward.costs.least[sw];
  if (least.is_far()) return;
  const bool down = !toward.costs.down[sw].is_far();
  const std::vector<PathCost>& known = down ? toward.costs.down : toward.costs.least;
  const std::uint32_t begin = graph_.first_arc(SwitchIndex{sw}).value();
  for (std::uint32_t i = 0; i < graph_.arcs_of(SwitchIndex{sw}).size(); ++i) {
    const ArcIndex arc{begin + i};
    const Arc& a = graph_.arc(arc);
    if (known[a.to.value()].is_far() || !availability_.usable(graph_, arc)) continue;
    if (known[a.to.value()].plus(availability_.capacity(arc)) != least) continue;
    if (orientation_.up(a) == down) continue;
    // A drained cable that has to be passed still carries something.
    const std::uint32_t own = std::max<std::uint32_t>(availability_.capacity(arc).value, 1);
    choices.push_back({arc, std::min(own, toward.capacity[a.to.value()])});
  }
}

/// Sets the entries of all switches for the LIDs of one. Switches come in the order in which
/// packets pass them, so that a switch counts the routes of those LIDs alone whose packets come to
/// it: else all that a leaf sends one way, every fourth LID say, would leave the next switch one
/// way too.
void UpDown::fill(SwitchIndex at, const Toward& toward) {
  const std::vector<const Destination*>& lids = lids_[at.value()];
  if (lids.empty()) return;
  for (const Destination* destination : lids) {
    routes_.tables.row(at)[destination->lid.value()] = graph_.last_exit(*destination).value();
  }
  passed_.assign(lids.size() * graph_.switch_count(), 0);
  const auto goes_down = [&](std::uint32_t sw) { return !toward.costs.down[sw].is_far(); };
  for (std::size_t i = orientation_.order().size(); i-- > 0;) {
    if (!goes_down(orientation_.order()[i])) fill(orientation_.order()[i], lids, toward);
  }
  for (const std::uint32_t sw : orientation_.order()) {
    if (goes_down(sw) && sw != at.value()) fill(sw, lids, toward);
  }
}

void UpDown::fill(std::uint32_t sw, std::span<const Destination* const> lids,
                  const Toward& toward) {
  find_choices(sw, toward, choices_);
  for (std::size_t i = 0; i < lids.size(); ++i) {
    const Destination& destination = *lids[i];
    if (choices_.empty()) {
      routes_.undelivered.push_back({.source = SwitchIndex{sw}, .destination = destination.lid});
      continue;
    }
    std::vector<std::uint32_t>& routes = destination.terminal ? terminal_routes_ : switch_routes_;
    const Choice& best = *std::ranges::min_element(choices_, [&](const auto& a, const auto& b) {
      return (routes[a.arc.value()] + std::uint64_t{1}) * b.capacity <
             (routes[b.arc.value()] + std::uint64_t{1}) * a.capacity;
    });
    const Arc& arc = graph_.arc(best.arc);
    routes_.tables.row(SwitchIndex{sw})[destination.lid.value()] = arc.exit.value();
    if (has_terminals_[sw] == 0 && passed_[i * graph_.switch_count() + sw] == 0) continue;
    ++routes[best.arc.value()];
    passed_[i * graph_.switch_count() + arc.to.value()] = 1;
  }
}

Routes UpDown::route() {
  routes_.engine = Engine::kUpDown;
  routes_.tables = model::ForwardingTables(graph_.switch_count(), graph_.top_lid());
  for (std::size_t block = 0; block < graph_.switch_count(); block += toward_.size()) {
    const std::size_t count = std::min(toward_.size(), graph_.switch_count() - block);
    const auto at = [block](std::size_t i) {
      return SwitchIndex{static_cast<std::uint32_t>(block + i)};
    };
    workers_.run_ranges(count, 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!lids_[block + i].empty()) measure(at(i), toward_[i]);
      }
    });
    for (std::size_t i = 0; i < count; ++i) fill(at(i), toward_[i]);
  }
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    routes_.tables.mark_known(SwitchIndex{s});
  }
  std::ranges::sort(routes_.undelivered);
  return std::move(routes_);
}

/// A number for each set of switches that usable cables connect: the lowest SwitchIndex in it.
std::vector<std::uint32_t> components(const Graph& graph, const Availability& availability,
                                      std::span<const SwitchIndex> one_root_each) {
  std::vector<std::uint32_t> component(graph.switch_count(), ~std::uint32_t{0});
  for (const SwitchIndex root : one_root_each) {
    const Orientation reach(graph, availability, std::span(&root, 1));
    for (const std::uint32_t sw : reach.order()) component[sw] = root.value();
  }
  return component;
}

}  // namespace

model::Result<Routes> route_up_down(const Graph& graph, const Availability& availability,
                                    const UpDownOptions& options, Workers& workers) {
  for (const SwitchIndex root : options.roots) {
    if (root.value() >= graph.switch_count()) {
      return fail(Errc::kNotFound, fmt::format("there is no switch {} to be a root", root));
    }
  }
  const std::vector<SwitchIndex> chosen = choose_roots(graph, availability);
  const std::vector<std::uint32_t> component = components(graph, availability, chosen);
  const auto route = [&](std::span<const SwitchIndex> roots) {
    const Orientation orientation(graph, availability, roots);
    Routes routes = UpDown(graph, availability, orientation, workers).route();
    std::erase_if(routes.undelivered, [&](const Undelivered& pair) {
      return component[pair.source.value()] != component[graph.find(pair.destination)->at.value()];
    });
    return routes;
  };
  if (options.roots.empty()) return route(chosen);
  Routes routes = route(options.roots);
  const bool served = std::ranges::all_of(routes.undelivered, [&](const Undelivered& pair) {
    return graph.terminals_of(pair.source).empty() &&
           graph.terminals_of(graph.find(pair.destination)->at).empty();
  });
  if (served) return routes;
  return route(chosen);
}

}  // namespace heddle::routing
