#include "routing/check.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>

#include "routing/dependency_set.hpp"
#include "routing/distances.hpp"
#include "routing/hop_table.hpp"
#include "routing/lane_range.hpp"
#include "routing/per_thread.hpp"
#include "routing/sources.hpp"
#include "routing/tree_walk.hpp"

namespace heddle::routing {

using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using model::Vl;

namespace {

/// Destinations whose entries lie beside each other in memory, taken by one thread.
constexpr std::size_t kBlock = 64;

/// What all threads read.
struct Plan {
  Plan(const Graph& of, const Availability& availability, const model::ForwardingTables& judged,
       const LevelSets& level_sets, const LaneMaps& lane_maps, const CheckOptions& chosen,
       Workers& workers)
      : graph(of),
        tables(judged),
        levels(level_sets),
        maps(lane_maps),
        options(chosen),
        hops(graph, availability),
        sources(graph, availability),
        destinations(judged_destinations(graph, availability, chosen)),
        distance_row(graph.switch_count()) {
    std::vector<SwitchIndex> ends;
    for (const Destination* const destination : destinations) ends.push_back(destination->at);
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (std::uint32_t i = 0; i < ends.size(); ++i) distance_row[ends[i].value()] = i;
    distances.emplace(graph, availability, sources.switches(), ends, workers);
    lanes = lane_range(levels, maps);
    one_lane = maps.identity() && lanes == 1;
    for (std::uint32_t s = 0; s < sources.switches().size(); ++s) {
      const bool alike = std::ranges::none_of(sources.terminals(s), [&](TerminalIndex terminal) {
        const Terminal& t = graph.terminal(terminal);
        return maps.maps_from(t.leaf, t.leaf_port);
      });
      enter_alike.push_back(alike ? 1 : 0);
    }
  }

  const Graph& graph;
  const model::ForwardingTables& tables;
  const LevelSets& levels;
  const LaneMaps& maps;
  const CheckOptions options;
  const HopTable hops;
  const Sources sources;
  const std::vector<const Destination*> destinations;  ///< by LID
  std::vector<std::uint32_t> distance_row;             ///< by SwitchIndex
  std::optional<Distances> distances;
  std::uint16_t lanes = 1;
  bool one_lane = true;
  std::vector<std::uint8_t> enter_alike;  ///< by source: its terminals' ports make no difference
};

bool earlier(const Verdict::Pair& a, const Verdict::Pair& b) noexcept {
  return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
}

void add_counts(Verdict& sum, const Verdict& part) {
  sum.pairs += part.pairs;
  sum.unconnected += part.unconnected;
  sum.unreachable += part.unreachable;
  sum.looping += part.looping;
  sum.longer_than_shortest += part.longer_than_shortest;
  sum.extra_hops += part.extra_hops;
  sum.longest_hops = std::max(sum.longest_hops, part.longest_hops);
  sum.own_lids_sent_away += part.own_lids_sent_away;
  sum.lanes_used = static_cast<std::uint16_t>(sum.lanes_used | part.lanes_used);
  if (part.first_bad && (!sum.first_bad || earlier(*part.first_bad, *sum.first_bad))) {
    sum.first_bad = part.first_bad;
  }
}

/// One thread's part: judges destination after destination.
class Judge {
 public:
  explicit Judge(const Plan& plan)
      : plan_(plan),
        walk_(plan.graph, plan.hops, plan.tables),
        dependencies_(plan.graph, plan.lanes),
        seen_(plan.graph.switch_count()) {
    for (const Sources::Group& group : plan.sources.groups()) senders_.push_back(group.count);
  }

  void judge(const Destination& destination);
  [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
  [[nodiscard]] DependencySet& dependencies() noexcept { return dependencies_; }

 private:
  /// VLs in which the channel that a switch sends a destination's packets to was followed.
  struct Seen {
    std::uint32_t epoch = 0;
    std::uint32_t lanes = 0;
  };

  /// A node sends nothing to itself, over whichever of its ports.
  void silence(const Destination& destination, bool silent);
  void find_shortest(const Destination& destination);
  void count(const Destination& destination, std::uint32_t group);
  void note_bad(const Destination& destination, std::uint32_t group);
  [[nodiscard]] bool sends(TerminalIndex terminal, const Destination& destination) const;
  void add_lanes(const Destination& destination);
  void follow(SwitchIndex from, PortNum entry, Sl sl, const Destination& destination);

  const Plan& plan_;
  TreeWalk walk_;
  DependencySet dependencies_;
  Verdict verdict_;
  std::vector<std::uint32_t> senders_;       ///< by group of sources
  std::vector<std::uint8_t> nearest_;        ///< of nodes on several switches: by source
  std::span<const std::uint8_t> connected_;  ///< distances to the destination's own switch
  std::span<const std::uint8_t> shortest_;   ///< distances to the nearest switch of its node
  std::vector<Seen> seen_;                   ///< by SwitchIndex
  std::uint32_t seen_epoch_ = 0;
  bool over_limit_ = false;  ///< some way of this destination is longer than allowed, or endless
};

void Judge::silence(const Destination& destination, bool silent) {
  if (!destination.terminal) return;
  for (const TerminalIndex own : plan_.sources.siblings(*destination.terminal)) {
    std::uint32_t& senders = senders_[plan_.sources.group_of(own)];
    senders = silent ? senders - 1 : senders + 1;
  }
}

void Judge::find_shortest(const Destination& destination) {
  connected_ = plan_.distances->row(plan_.distance_row[destination.at.value()]);
  shortest_ = connected_;
  if (!destination.terminal) return;
  const auto siblings = plan_.sources.siblings(*destination.terminal);
  if (siblings.size() == 1) return;
  nearest_.assign(connected_.begin(), connected_.end());
  for (const TerminalIndex sibling : siblings) {
    const SwitchIndex leaf = plan_.graph.terminal(sibling).leaf;
    const auto row = plan_.distances->row(plan_.distance_row[leaf.value()]);
    for (std::size_t i = 0; i < row.size(); ++i) nearest_[i] = std::min(nearest_[i], row[i]);
  }
  shortest_ = nearest_;
}

void Judge::judge(const Destination& destination) {
  silence(destination, true);
  find_shortest(destination);
  walk_.begin(destination);
  over_limit_ = false;
  for (std::uint32_t group = 0; group < senders_.size(); ++group) {
    if (senders_[group] != 0) count(destination, group);
  }
  if (!plan_.one_lane || over_limit_) add_lanes(destination);
  if (!destination.terminal &&
      TableColumn(plan_.tables, destination.lid)[destination.at.value()] != 0) {
    ++verdict_.own_lids_sent_away;
  }
  silence(destination, false);
}

void Judge::count(const Destination& destination, std::uint32_t index) {
  const Sources::Group& group = plan_.sources.groups()[index];
  const SwitchIndex from = plan_.sources.switches()[group.source];
  const std::uint64_t pairs = senders_[index];
  verdict_.pairs += pairs;
  const std::uint32_t limit = plan_.options.max_hops - 1U;  // the first cable is the sender's
  const TreeWalk::Place& place =
      plan_.one_lane ? walk_.resolve(from, limit, dependencies_) : walk_.resolve(from);
  if (plan_.one_lane) verdict_.lanes_used |= 1;
  if (place.outcome == TreeWalk::Outcome::kLoops || place.steps > limit) {
    over_limit_ = true;
    verdict_.looping += pairs;
    note_bad(destination, index);
  } else if (place.outcome == TreeWalk::Outcome::kDelivered) {
    std::uint32_t cables = Distances::kUnconnected;
    for (const std::uint32_t at : plan_.sources.ats(group)) {
      cables = std::min<std::uint32_t>(cables, shortest_[at]);
    }
    const std::uint32_t least = cables + (destination.terminal ? 2U : 1U);
    const std::uint32_t hops = 1U + place.steps;
    verdict_.longest_hops = std::max(verdict_.longest_hops, hops);
    if (hops > least) {
      verdict_.longer_than_shortest += pairs;
      verdict_.extra_hops += pairs * (hops - least);
    }
  } else if (connected_[group.source] == Distances::kUnconnected) {
    verdict_.unconnected += pairs;
  } else {
    verdict_.unreachable += pairs;
    note_bad(destination, index);
  }
}

bool Judge::sends(TerminalIndex terminal, const Destination& destination) const {
  return !destination.terminal ||
         plan_.graph.terminal(terminal).node != plan_.graph.terminal(*destination.terminal).node;
}

void Judge::note_bad(const Destination& destination, std::uint32_t group) {
  for (const TerminalIndex terminal :
       plan_.sources.terminals(plan_.sources.groups()[group].source)) {
    if (plan_.sources.group_of(terminal) != group || !sends(terminal, destination)) continue;
    const Verdict::Pair pair{terminal, destination.lid};
    if (!verdict_.first_bad || earlier(pair, *verdict_.first_bad)) verdict_.first_bad = pair;
    return;
  }
}

/// Level by level, as the lane at each switch depends on it and on the way in.
void Judge::add_lanes(const Destination& destination) {
  const auto sources = plan_.sources.switches();
  unsigned levels = 0;
  for (const SwitchIndex from : sources) levels |= plan_.levels.levels(from, destination.lid);
  for (; levels != 0; levels &= levels - 1) {
    const auto level = static_cast<std::uint8_t>(std::countr_zero(levels));
    ++seen_epoch_;
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
      const unsigned here = plan_.levels.levels(sources[source], destination.lid);
      if (((here >> level) & 1U) == 0) continue;
      for (const TerminalIndex terminal : plan_.sources.terminals(source)) {
        const unsigned own = plan_.levels.levels(terminal, sources[source], destination.lid);
        if (((own >> level) & 1U) == 0 || !sends(terminal, destination)) continue;
        follow(sources[source], plan_.graph.terminal(terminal).leaf_port, Sl{level}, destination);
        if (plan_.enter_alike[source] != 0) break;
      }
    }
  }
}

/// Adds what the packets of one terminal wait for, up to where others of this destination and level
/// were before in the same lane; up to the longest way allowed where some ways are longer.
void Judge::follow(SwitchIndex from, PortNum entry, Sl sl, const Destination& destination) {
  const auto use = [this](Vl vl) {
    verdict_.lanes_used = static_cast<std::uint16_t>(verdict_.lanes_used | (1U << vl.value()));
  };
  use(Vl{sl.value()});  // adapters send in the lane of the level
  std::optional<ChannelLane> held;
  for (std::uint32_t hops = 2; hops <= plan_.options.max_hops; ++hops) {
    if (!destination.terminal && from == destination.at) return;
    const TreeWalk::Place& place = walk_.at(from);
    if (place.exit == TreeWalk::Exit::kNone) return;
    const Vl vl = plan_.maps.vl(from, entry, PortNum{place.port}, sl);
    use(vl);
    if (place.exit == TreeWalk::Exit::kTerminal) return;
    const ChannelLane wanted{ArcIndex{place.arc}, vl};
    if (held) dependencies_.add(*held, from, wanted);
    if (!over_limit_) {
      Seen& seen = seen_[from.value()];
      if (seen.epoch != seen_epoch_) seen = {seen_epoch_, 0};
      if (((seen.lanes >> vl.value()) & 1U) != 0) return;
      seen.lanes |= 1U << vl.value();
    }
    held = wanted;
    const Arc& arc = plan_.graph.arc(wanted.arc);
    from = arc.to;
    entry = arc.entry;
  }
}

}  // namespace

std::vector<const Destination*> judged_destinations(const Graph& graph,
                                                    const Availability& availability,
                                                    const CheckOptions& options) {
  std::vector<const Destination*> judged;
  for (const Destination& destination : graph.destinations()) {
    if (!availability.usable(graph, destination)) continue;
    if (destination.terminal || options.switch_lids) judged.push_back(&destination);
  }
  return judged;
}

Verdict check_routes(const Graph& graph, const Availability& availability,
                     const model::ForwardingTables& tables, const LevelSets& levels,
                     const LaneMaps& maps, const CheckOptions& options, Workers& workers) {
  const Plan plan(graph, availability, tables, levels, maps, options, workers);
  const auto judges = share_ranges<Judge>(
      plan.destinations.size(), kBlock, workers, [&] { return std::make_unique<Judge>(plan); },
      [&](Judge& judge, std::size_t i) { judge.judge(*plan.destinations[i]); });
  // Sums and unions: the same whichever thread judged what.
  Verdict verdict = judges.front()->verdict();
  DependencySet& dependencies = judges.front()->dependencies();
  for (std::size_t i = 1; i < judges.size(); ++i) {
    add_counts(verdict, judges[i]->verdict());
    dependencies.merge(judges[i]->dependencies());
  }
  verdict.cycle = dependencies.find_cycle();
  return verdict;
}

Verdict check_routes(const Graph& graph, const Availability& availability,
                     const model::ForwardingTables& tables, const Lanes& lanes,
                     const CheckOptions& options, Workers& workers) {
  return check_routes(graph, availability, tables, LevelSets(lanes.levels), lanes.maps, options,
                      workers);
}

}  // namespace heddle::routing
