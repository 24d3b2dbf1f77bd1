#include "routing/detour_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "routing/dependency_graph.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

/// Cables of a detour before it meets entries that lead on. A switch that is farther from any waits
/// until its neighbours have theirs.
constexpr std::size_t kMaxFree = 6;
/// Ways of one length that are looked at: a few, and if none of them fits many, and of these how
/// many are tried in a lane.
constexpr std::array<std::size_t, 2> kMaxWays{48, 384};
constexpr std::size_t kMaxTries = 32;
/// How much longer than the shortest a detour may be for the sake of a lower lane.
constexpr std::uint16_t kMaxSlack = 2;
/// A drained cable is worse than any load.
constexpr std::uint32_t kDrainedCost = 1U << 24U;

/// Arcs over switches without entries, up to a switch that has one.
struct Way {
  std::array<std::uint32_t, kMaxFree> arcs{};
  std::uint8_t count = 0;
  std::uint32_t cost = 0;
};

class Planner {
 public:
  Planner(const Graph& graph, const Availability& availability, const ForwardingTables& tables,
          const DetourOptions& options, DetourTaste taste, std::span<const std::uint32_t> first,
          DetourSpace& space, DetourPlan& plan)
      : graph_(graph),
        availability_(availability),
        tables_(tables),
        options_(options),
        taste_(taste),
        first_(first),
        plan_(plan),
        space_(space),
        column_(space.column(availability)),
        hole_of_(graph.switch_count(), nullptr),
        by_switch_(graph.switch_count(), nullptr),
        load_(graph.arcs().size(), 0),
        last_way_(graph.switch_count()) {
    for (std::uint32_t a = 0; a < graph.arcs().size() && !any_drained_; ++a) {
      any_drained_ = availability.capacity(ArcIndex{a}).value == 0;
    }
    for (const HoledLid& lid : plan.lids) {
      const Destination& destination = graph.destinations()[lid.destination];
      if (!destination.terminal) by_switch_[destination.at.value()] = &lid;
    }
  }

  void fill_all();

 private:
  void open_lane();
  bool fill(HoledLid& lid);
  [[nodiscard]] std::span<const std::uint32_t> all_holes(const HoledLid& lid);
  template <class Open>
  [[nodiscard]] std::span<const std::uint32_t> near_holes(const HoledLid& lid, Open open);
  std::size_t fill_over(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained);
  std::size_t fill_once(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained);
  bool place(const DetourHole& hole, bool drained);
  bool place_as_before(const DetourHole& hole, bool drained);
  bool try_way(const Way& way);
  void find_ways(std::uint32_t sw, std::uint16_t left, bool drained);
  void keep_way(bool drained);
  [[nodiscard]] std::uint32_t greatest_load(const Way& way);
  [[nodiscard]] std::uint8_t lane_of_request(const HoledLid& lid, const DetourHole& reply) const;
  /// Whether the hole is to be filled now. Answers go out on the service level on which they were
  /// asked, so they need the lane of the way there.
  [[nodiscard]] bool waits(const HoledLid& lid, const DetourHole& hole) const {
    if (hole.kind != kind_ || hole.lane != 0) return false;
    if (kind_ != DetourPairs::kFromOrToThem) return true;
    const std::uint8_t lane = lane_of_request(lid, hole);
    return lane == 0 || lane == lane_ + 1;
  }
  /// Load matters between terminals alone: what management ports answer is little.
  [[nodiscard]] bool spreads() const noexcept {
    return taste_ == DetourTaste::kSpread && kind_ == DetourPairs::kFromTerminals;
  }
  [[nodiscard]] std::span<const std::pair<ArcIndex, ArcIndex>> dependencies(const Way& way);
  void take(const Way& way);
  void even_out();
  void add_path(const HoledLid& lid, std::uint32_t sw);

  const Graph& graph_;
  const Availability& availability_;
  const ForwardingTables& tables_;
  const DetourOptions& options_;
  DetourTaste taste_;
  std::span<const std::uint32_t> first_;
  DetourPlan& plan_;
  DetourSpace& space_;
  bool any_drained_ = false;
  DetourColumn& column_;
  std::vector<DetourHole*> hole_of_;        ///< by switch, of the LID in hand
  std::vector<const HoledLid*> by_switch_;  ///< holes of switches' own LIDs; null without any
  std::vector<std::uint32_t> load_;         ///< detours on each arc
  std::vector<AcyclicChannels*> lanes_;     ///< opened so far
  std::size_t lane_ = 0;                    ///< that is being filled
  DetourPairs kind_ = DetourPairs::kFromTerminals;  ///< that are being placed
  std::vector<Way> last_way_;                       ///< by switch, of whatever LID
  // Room for one search.
  std::vector<Way> ways_;
  std::size_t max_ways_ = 0;
  Way way_;
  std::vector<DetourHole*> waiting_;
  std::vector<std::uint32_t> passed_;  ///< switches without entries that detours may pass
  std::vector<std::pair<ArcIndex, ArcIndex>> edges_;
};

void Planner::open_lane() {
  lanes_.push_back(&space_.fresh_lane(lanes_.size()));
  const std::size_t vl = options_.first_lane + lanes_.size() - 1;
  for (const Dependency& standing : options_.standing) {
    if (standing.held.vl.value() != vl || standing.wanted.vl.value() != vl) continue;
    const std::array edge{std::pair{standing.held.arc, standing.wanted.arc}};
    static_cast<void>(lanes_.back()->add(edge));  // a cycle among these is not ours to mend
  }
}

void Planner::fill_all() {
  const std::size_t lanes =
      std::min<std::size_t>({options_.max_lanes > options_.first_lane
                                 ? std::size_t{options_.max_lanes} - options_.first_lane
                                 : 0U,
                             15U - std::min<std::size_t>(options_.first_lane, 15),
                             16U - std::min<std::size_t>(options_.first_sl.value(), 16)});
  // LIDs of terminals first, each kind in order of LID.
  std::vector<HoledLid*> order;
  for (const bool terminals : {true, false}) {
    for (HoledLid& lid : plan_.lids) {
      if (graph_.destinations()[lid.destination].terminal.has_value() == terminals) {
        order.push_back(&lid);
      }
    }
  }
  // Not std::ranges::stable_partition: clang 14 does not take libstdc++'s subrange.
  std::stable_partition(order.begin(), order.end(), [this](const HoledLid* lid) {
    return std::ranges::binary_search(first_, lid->destination);
  });
  for (const DetourPairs kind :
       {DetourPairs::kFromTerminals, DetourPairs::kFromOrToThem, DetourPairs::kAllSwitches}) {
    kind_ = kind;
    std::vector<HoledLid*> open = order;
    for (lane_ = 0; lane_ < lanes && !open.empty(); ++lane_) {
      if (lanes_.size() == lane_) open_lane();
      std::erase_if(open, [&](HoledLid* lid) { return !fill(*lid); });
    }
  }
  for (const HoledLid& lid : plan_.lids) {
    const bool hard = std::ranges::any_of(lid.holes, [](const DetourHole& hole) {
      return hole.lane > 1 || (hole.kind && hole.lane == 0);
    });
    if (hard) plan_.hard.push_back(lid.destination);
  }
  even_out();
  for (const HoledLid& lid : plan_.lids) {
    for (const DetourHole& hole : lid.holes) {
      plan_.lanes = std::max(plan_.lanes, hole.lane);
      plan_.without += hole.kind && hole.lane == 0 ? 1U : 0U;
    }
  }
}

/// The lane in which the LID's own switch reaches the one that answers; 0 where no detour does.
std::uint8_t Planner::lane_of_request(const HoledLid& lid, const DetourHole& reply) const {
  const HoledLid* const there = by_switch_[reply.sw];
  if (there == nullptr) return 0;
  const std::uint32_t asking = graph_.destinations()[lid.destination].at.value();
  const auto found = std::ranges::lower_bound(there->holes, asking, {}, &DetourHole::sw);
  return found == there->holes.end() || found->sw != asking ? std::uint8_t{0} : found->lane;
}

/// Fills what holes of the kind it can in the lane; whether some stay open.
bool Planner::fill(HoledLid& lid) {
  const auto open = [this](const DetourHole& hole) { return hole.kind == kind_ && hole.lane == 0; };
  if (std::ranges::none_of(lid.holes, open)) return false;
  column_.load(tables_, graph_.destinations()[lid.destination], lid.holes);
  for (DetourHole& hole : lid.holes) hole_of_[hole.sw] = &hole;
  std::size_t left = 0;
  for (const bool drained : {false, true}) {
    // First over switches that lead on, or are next to one: of a spine's LID nearly all other
    // spines are holes that nobody wants filled.
    left = fill_over(near_holes(lid, open), lid, drained);
    if (left != 0) left = fill_over(all_holes(lid), lid, drained);
    if (left == 0 || !any_drained_) break;
  }
  return std::ranges::any_of(lid.holes, open);
}

std::span<const std::uint32_t> Planner::all_holes(const HoledLid& lid) {
  passed_.clear();
  for (const DetourHole& hole : lid.holes) passed_.push_back(hole.sw);
  return passed_;
}

/// The holes that are to be filled, and those next to them.
template <class Open>
std::span<const std::uint32_t> Planner::near_holes(const HoledLid& lid, Open open) {
  passed_.clear();
  for (const DetourHole& hole : lid.holes) {
    if (!open(hole)) continue;
    passed_.push_back(hole.sw);
    for (const Arc& arc : graph_.arcs_of(SwitchIndex{hole.sw})) {
      if (column_.hops(arc.to.value()) == DetourColumn::kFar) passed_.push_back(arc.to.value());
    }
  }
  std::ranges::sort(passed_);
  passed_.erase(std::unique(passed_.begin(), passed_.end()), passed_.end());
  return passed_;
}

/// Until no more can be: a detour that was found may give another switch a way that its own search
/// did not offer. The number of holes that should have been filled and were not.
std::size_t Planner::fill_over(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained) {
  std::size_t left = 0;
  std::size_t before = 0;
  do {
    before = left;
    left = fill_once(passed, lid, drained);
  } while (left != 0 && left != before);
  return left;
}

std::size_t Planner::fill_once(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained) {
  column_.measure(passed, drained);
  waiting_.clear();
  std::size_t left = 0;
  for (DetourHole& hole : lid.holes) {
    if (!waits(lid, hole)) continue;
    if (column_.least(hole.sw) == DetourColumn::kFar) {
      ++left;
    } else {
      waiting_.push_back(&hole);
    }
  }
  std::ranges::stable_sort(waiting_, {},
                           [this](const DetourHole* hole) { return column_.least(hole->sw); });
  for (const DetourHole* hole : waiting_) {
    if (hole->lane == 0 && !place(*hole, drained)) ++left;
  }
  return left;
}

bool Planner::place(const DetourHole& hole, bool drained) {
  if (!spreads() && place_as_before(hole, drained)) return true;
  for (std::uint16_t slack = 0; slack <= kMaxSlack; ++slack) {
    for (const std::size_t most : kMaxWays) {
      if (spreads() && most != kMaxWays.back()) continue;
      max_ways_ = most;
      ways_.clear();
      way_.count = 0;
      find_ways(hole.sw, static_cast<std::uint16_t>(column_.least(hole.sw) + slack), drained);
      std::ranges::stable_sort(ways_, {}, &Way::cost);
      for (std::size_t i = 0; i < std::min(ways_.size(), kMaxTries); ++i) {
        if (try_way(ways_[i])) return true;
      }
      if (ways_.size() < most) break;
    }
  }
  return false;
}

/// The switch's way to another LID serves this one too if it is a shortest one here.
bool Planner::place_as_before(const DetourHole& hole, bool drained) {
  const Way& way = last_way_[hole.sw];
  if (way.count == 0) return false;
  for (std::uint8_t i = 0; i < way.count; ++i) {
    const ArcIndex arc{way.arcs[i]};
    if (column_.hops(graph_.arc(arc).from.value()) != DetourColumn::kFar) return false;
    if (!column_.passable(arc, drained)) return false;
  }
  const std::uint32_t end = graph_.arc(ArcIndex{way.arcs[way.count - std::size_t{1}]}).to.value();
  return column_.hops(end) != DetourColumn::kFar &&
         column_.hops(end) + way.count == column_.least(hole.sw) && try_way(Way{way});
}

bool Planner::try_way(const Way& way) {
  if (!lanes_[lane_]->add(dependencies(way))) return false;
  take(way);
  return true;
}

/// Adds to ways_ those of exactly `left` more cables that begin with way_, which has come to `sw`.
void Planner::find_ways(std::uint32_t sw, std::uint16_t left, bool drained) {
  const std::uint32_t begin = graph_.first_arc(SwitchIndex{sw}).value();
  const auto count = static_cast<std::uint32_t>(graph_.arcs_of(SwitchIndex{sw}).size());
  for (std::uint32_t i = 0; i < count && ways_.size() < max_ways_; ++i) {
    const std::uint32_t arc = begin + i;
    const std::uint32_t to = graph_.arc(ArcIndex{arc}).to.value();
    const bool leads_on = column_.hops(to) != DetourColumn::kFar;
    // least() of what is delivered is hops(), and a lower bound for the others.
    if (leads_on ? column_.hops(to) + 1 != left
                 : column_.least(to) == DetourColumn::kFar || column_.least(to) + 1 > left) {
      continue;
    }
    if (!column_.passable(ArcIndex{arc}, drained)) continue;
    if (way_.count > 0 &&
        lanes_[lane_]->refused(ArcIndex{way_.arcs[way_.count - std::size_t{1}]}, ArcIndex{arc})) {
      continue;
    }
    way_.arcs[way_.count] = arc;
    if (leads_on) {
      keep_way(drained);
      continue;
    }
    bool passed = false;
    for (std::uint8_t k = 0; k <= way_.count && !passed; ++k) {
      passed = graph_.arc(ArcIndex{way_.arcs[k]}).from.value() == to;
    }
    if (passed || way_.count + std::size_t{1} == kMaxFree) continue;
    ++way_.count;
    find_ways(to, static_cast<std::uint16_t>(left - 1), drained);
    --way_.count;
  }
}

/// Rates way_ by what the taste asks for and adds it to ways_, if the lane may take it.
void Planner::keep_way(bool drained) {
  Way way = way_;
  ++way.count;
  std::uint32_t added = 0;
  for (const auto& [held, wanted] : dependencies(way)) {
    if (lanes_[lane_]->refused(held, wanted)) return;
    added += lanes_[lane_]->contains(held, wanted) ? 0U : 1U;
  }
  way.cost = spreads() ? greatest_load(way) : added;
  for (std::uint8_t i = 0; drained && i < way.count; ++i) {
    if (availability_.capacity(ArcIndex{way.arcs[i]}).value == 0) way.cost += kDrainedCost;
  }
  ways_.push_back(way);
  // Nothing rates better than a way that asks nothing new of the lane.
  if (!spreads() && way.cost == 0) max_ways_ = 0;
}

std::uint32_t Planner::greatest_load(const Way& way) {
  std::uint32_t load = 0;
  for (std::uint8_t i = 0; i < way.count; ++i) load = std::max(load, load_[way.arcs[i]]);
  std::uint32_t sw = graph_.arc(ArcIndex{way.arcs[way.count - std::size_t{1}]}).to.value();
  while (column_.next(sw) != DetourColumn::kArrived) {
    load = std::max(load, load_[column_.next(sw)]);
    sw = graph_.arc(ArcIndex{column_.next(sw)}).to.value();
  }
  return load;
}

std::span<const std::pair<ArcIndex, ArcIndex>> Planner::dependencies(const Way& way) {
  edges_.clear();
  ArcIndex held{way.arcs[0]};
  for (std::uint8_t i = 1; i < way.count; ++i) {
    edges_.emplace_back(held, ArcIndex{way.arcs[i]});
    held = edges_.back().second;
  }
  for (std::uint32_t next = column_.next(graph_.arc(held).to.value());
       next != DetourColumn::kArrived; next = column_.next(graph_.arc(held).to.value())) {
    edges_.emplace_back(held, ArcIndex{next});
    held = edges_.back().second;
  }
  return edges_;
}

/// Every switch that the way passes gets its entry and the lane: its own path is a part of this.
void Planner::take(const Way& way) {
  last_way_[graph_.arc(ArcIndex{way.arcs[0]}).from.value()] = way;
  for (std::size_t i = way.count; i-- > 0;) {
    const std::uint32_t sw = graph_.arc(ArcIndex{way.arcs[i]}).from.value();
    column_.set(sw, way.arcs[i]);
    hole_of_[sw]->arc = way.arcs[i];
    hole_of_[sw]->lane = static_cast<std::uint8_t>(lane_ + 1);
  }
  for (std::uint32_t arc = way.arcs[0]; arc != DetourColumn::kArrived;
       arc = column_.next(graph_.arc(ArcIndex{arc}).to.value())) {
    ++load_[arc];
  }
}

/// A connection answers on the level on which it was opened, so the detours between two switches
/// should share a lane, both ways and to all LIDs: where some are in a higher one than others,
/// those follow if that or a higher one in use takes them all.
void Planner::even_out() {
  struct Between {
    std::pair<std::uint32_t, std::uint32_t> switches;
    const HoledLid* lid;
    DetourHole* hole;
  };
  std::vector<Between> detours;
  for (HoledLid& lid : plan_.lids) {
    const std::uint32_t at = graph_.destinations()[lid.destination].at.value();
    for (DetourHole& hole : lid.holes) {
      if (hole.lane != 0) detours.push_back({std::minmax(at, hole.sw), &lid, &hole});
    }
  }
  std::ranges::stable_sort(detours, {}, &Between::switches);
  const auto lane_of = [](const Between& detour) { return detour.hole->lane; };
  for (auto begin = detours.begin(); begin != detours.end();) {
    const auto end = std::ranges::find_if(begin, detours.end(), [&](const Between& detour) {
      return detour.switches != begin->switches;
    });
    const std::span group(begin, end);
    begin = end;
    const auto [lowest, highest] = std::ranges::minmax(group, {}, lane_of);
    if (lowest.hole->lane == highest.hole->lane) continue;
    edges_.clear();
    for (const Between& detour : group) add_path(*detour.lid, detour.hole->sw);
    for (std::size_t lane = highest.hole->lane; lane <= lanes_.size(); ++lane) {
      if (!lanes_[lane - 1]->add(edges_)) continue;
      for (const Between& detour : group) detour.hole->lane = static_cast<std::uint8_t>(lane);
      break;
    }
  }
}

/// Adds to edges_ the dependencies of the path from `sw`, which is delivered.
void Planner::add_path(const HoledLid& lid, std::uint32_t sw) {
  const Destination& destination = graph_.destinations()[lid.destination];
  std::optional<ArcIndex> held;
  while (sw != destination.at.value()) {
    const auto hole = std::ranges::lower_bound(lid.holes, sw, {}, &DetourHole::sw);
    const bool is_new = hole != lid.holes.end() && hole->sw == sw;
    const ArcIndex wanted{
        is_new ? hole->arc
               : graph_.target(SwitchIndex{sw}, *tables_.port(SwitchIndex{sw}, destination.lid))
                     .index};
    if (held) edges_.emplace_back(*held, wanted);
    held = wanted;
    sw = graph_.arc(wanted).to.value();
  }
}

}  // namespace

DetourPlan plan_detours(const Graph& graph, const Availability& availability,
                        const ForwardingTables& tables, const DetourOptions& options,
                        DetourTaste taste, std::span<const std::uint32_t> first, const Holes& holes,
                        DetourSpace& space) {
  DetourPlan plan;
  plan.lids = holes.lids;
  Planner(graph, availability, tables, options, taste, first, space, plan).fill_all();
  return plan;
}

}  // namespace heddle::routing
