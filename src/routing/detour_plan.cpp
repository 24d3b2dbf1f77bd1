#include "routing/detour_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "routing/dependency_graph.hpp"
#include "routing/detour_ways.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

/// Ways of one length that are looked at: a few, and if none of them fits many, and of these how
/// many are tried in a lane.
constexpr std::array<std::size_t, 2> kMaxWays{48, 384};
constexpr std::size_t kMaxTries = 32;

class Planner {
 public:
  Planner(const Graph& graph, const Availability& availability, const ForwardingTables& tables,
          const DetourOptions& options, const DetourAttempt& attempt, DetourSpace& space,
          DetourPlan& plan)
      : graph_(graph),
        availability_(availability),
        tables_(tables),
        options_(options),
        attempt_(attempt),
        plan_(plan),
        space_(space),
        column_(space.column(availability)),
        hole_of_(graph.switch_count(), nullptr),
        near_of_(graph.switch_count(), 0),
        by_switch_(graph.switch_count(), nullptr),
        load_(graph.arcs().size(), 0),
        last_way_(graph.switch_count()),
        ways_(graph, availability, column_, load_) {
    for (const HoledLid& lid : plan.lids) {
      const Destination& destination = graph.destinations()[lid.destination];
      if (!destination.terminal) by_switch_[destination.at.value()] = &lid;
    }
  }

  void fill_all();

 private:
  void open_lane();
  bool fill(HoledLid& lid);
  void add_passed(HoledLid& lid);
  [[nodiscard]] bool any_drained();
  [[nodiscard]] bool all_asked_in_first_lane() const;
  [[nodiscard]] std::span<const std::uint32_t> all_holes();
  template <class Open>
  [[nodiscard]] std::span<const std::uint32_t> near_holes(const HoledLid& lid, Open open);
  std::size_t fill_over(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained);
  std::size_t fill_once(std::span<const std::uint32_t> passed, HoledLid& lid, bool drained);
  bool place(const DetourHole& hole, bool drained);
  bool place_as_before(const DetourHole& hole, bool drained);
  bool try_way(const DetourWay& way);
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
    return attempt_.taste == DetourTaste::kSpread && kind_ == DetourPairs::kFromTerminals;
  }
  [[nodiscard]] std::span<const std::pair<ArcIndex, ArcIndex>> dependencies(const DetourWay& way);
  void take(const DetourWay& way);
  void even_out();
  void add_path(const HoledLid& lid, std::uint32_t sw);

  const Graph& graph_;
  const Availability& availability_;
  const ForwardingTables& tables_;
  const DetourOptions& options_;
  const DetourAttempt& attempt_;
  DetourPlan& plan_;
  DetourSpace& space_;
  std::optional<bool> any_drained_;  ///< not looked for yet
  DetourColumn& column_;
  std::vector<DetourHole*> hole_of_;        ///< by switch, of the LID in hand
  std::vector<DetourHole> added_;           ///< to these: what was passed, though nobody wanted it
  std::vector<std::uint32_t> near_of_;      ///< by switch: the near_holes() that has it last
  std::uint32_t nears_ = 0;                 ///< counts near_holes()
  std::vector<const HoledLid*> by_switch_;  ///< holes of switches' own LIDs; null without any
  std::vector<std::uint32_t> load_;         ///< detours on each arc
  std::vector<AcyclicChannels*> lanes_;     ///< opened so far
  std::size_t lane_ = 0;                    ///< that is being filled
  bool only_first_lane_ = false;            ///< takes holes of the kind in hand
  DetourPairs kind_ = DetourPairs::kFromTerminals;  ///< that are being placed
  std::vector<DetourWay> last_way_;                 ///< by switch, of whatever LID
  DetourWays ways_;
  bool hard_ = false;  ///< some search for the LID in hand was in vain
  // Room for one search.
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
    return std::ranges::binary_search(attempt_.first, lid->destination);
  });
  for (const DetourPairs kind :
       {DetourPairs::kFromTerminals, DetourPairs::kFromOrToThem, DetourPairs::kAllSwitches}) {
    kind_ = kind;
    std::vector<HoledLid*> open = order;
    only_first_lane_ = kind == DetourPairs::kFromOrToThem && all_asked_in_first_lane();
    for (lane_ = 0; lane_ < lanes && !open.empty(); ++lane_) {
      if (lanes_.size() == lane_) open_lane();
      std::erase_if(open, [&](HoledLid* lid) { return plan_.gave_up || !fill(*lid); });
      if (plan_.gave_up) return;
    }
  }
  plan_.unanswered = 0;
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
      if (!hole.kind || hole.lane != 0) continue;
      ++(hole.kind == DetourPairs::kFromTerminals ? plan_.unsent : plan_.unanswered);
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

/// Whether the first lane is the only one that takes any answer, as everything was asked there:
/// then what finds no room in it finds none.
bool Planner::all_asked_in_first_lane() const {
  if (options_.pairs == DetourPairs::kAllSwitches)
    return false;  // whose ways may pass what is left
  return std::ranges::all_of(plan_.lids, [this](const HoledLid& lid) {
    return std::ranges::all_of(lid.holes, [&](const DetourHole& hole) {
      return hole.kind != DetourPairs::kFromOrToThem || hole.lane != 0 ||
             lane_of_request(lid, hole) == 1;
    });
  });
}

/// Fills what holes of the kind it can in the lane; whether some stay open.
bool Planner::fill(HoledLid& lid) {
  const auto open = [this](const DetourHole& hole) { return hole.kind == kind_ && hole.lane == 0; };
  if (std::ranges::none_of(lid.holes, open)) return false;
  column_.load(tables_, graph_.destinations()[lid.destination], lid.holes);
  hard_ = false;
  for (DetourHole& hole : lid.holes) hole_of_[hole.sw] = &hole;
  added_.clear();
  std::size_t left = 0;
  for (const bool drained : {false, true}) {
    // First over switches that lead on, or are next to one: there may be many others.
    left = fill_over(near_holes(lid, open), lid, drained);
    if (left != 0) left = fill_over(all_holes(), lid, drained);
    if (left == 0 || !any_drained()) break;
  }
  for (const DetourHole& hole : lid.holes) hole_of_[hole.sw] = nullptr;
  add_passed(lid);
  const auto still_open = static_cast<std::uint64_t>(std::ranges::count_if(lid.holes, open));
  if (only_first_lane_) {
    plan_.unanswered += lane_ == 0 ? still_open : 0U;
    plan_.gave_up = plan_.unanswered > attempt_.most_unanswered;
  }
  return still_open != 0;
}

void Planner::add_passed(HoledLid& lid) {
  if (added_.empty()) return;
  std::ranges::sort(added_, {}, &DetourHole::sw);
  const auto wanted = static_cast<std::ptrdiff_t>(lid.holes.size());
  lid.holes.insert(lid.holes.end(), added_.begin(), added_.end());
  std::ranges::inplace_merge(lid.holes, lid.holes.begin() + wanted, {}, &DetourHole::sw);
}

bool Planner::any_drained() {
  if (!any_drained_) {
    any_drained_ = false;
    for (std::uint32_t a = 0; a < graph_.arcs().size() && !*any_drained_; ++a) {
      any_drained_ = availability_.capacity(ArcIndex{a}).value == 0;
    }
  }
  return *any_drained_;
}

std::span<const std::uint32_t> Planner::all_holes() {
  passed_.clear();
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    if (column_.hops(s) == DetourColumn::kFar) passed_.push_back(s);
  }
  return passed_;
}

/// The holes that are to be filled, and those next to them.
template <class Open>
std::span<const std::uint32_t> Planner::near_holes(const HoledLid& lid, Open open) {
  passed_.clear();
  ++nears_;
  const auto pass = [this](std::uint32_t sw) {
    if (near_of_[sw] == nears_) return;
    near_of_[sw] = nears_;
    if (column_.hops(sw) == DetourColumn::kFar) passed_.push_back(sw);
  };
  for (const DetourHole& hole : lid.holes) {
    if (!open(hole)) continue;
    pass(hole.sw);
    for (const Arc& arc : graph_.arcs_of(SwitchIndex{hole.sw})) pass(arc.to.value());
  }
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
  ways_.begin(*lanes_[lane_]);
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
  for (std::uint16_t slack = 0; slack <= kMaxDetourSlack; ++slack) {
    for (const std::size_t most : kMaxWays) {
      if (spreads() && most != kMaxWays.back()) continue;
      const auto ways =
          ways_.find({.from = hole.sw,
                      .length = static_cast<std::uint16_t>(column_.least(hole.sw) + slack),
                      .most = most,
                      .cost = spreads() ? DetourWays::Cost::kLoad : DetourWays::Cost::kNew,
                      .drained = drained,
                      .hard = hard_});
      for (const DetourWay& way : ways.first(std::min(ways.size(), kMaxTries))) {
        if (try_way(way)) return true;
      }
      hard_ = true;
      if (ways.size() < most) break;
    }
  }
  return false;
}

/// The switch's way to another LID serves this one too if it is a shortest one here.
bool Planner::place_as_before(const DetourHole& hole, bool drained) {
  const DetourWay& way = last_way_[hole.sw];
  if (way.count == 0) return false;
  for (std::uint8_t i = 0; i < way.count; ++i) {
    const ArcIndex arc{way.arcs[i]};
    if (column_.hops(graph_.arc(arc).from.value()) != DetourColumn::kFar) return false;
    if (!column_.passable(arc, drained)) return false;
  }
  const std::uint32_t end = graph_.arc(ArcIndex{way.last()}).to.value();
  return column_.hops(end) != DetourColumn::kFar &&
         column_.hops(end) + way.count == column_.least(hole.sw) && try_way(DetourWay{way});
}

bool Planner::try_way(const DetourWay& way) {
  if (!lanes_[lane_]->add(dependencies(way))) return false;
  take(way);
  return true;
}

std::span<const std::pair<ArcIndex, ArcIndex>> Planner::dependencies(const DetourWay& way) {
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
void Planner::take(const DetourWay& way) {
  last_way_[graph_.arc(ArcIndex{way.arcs[0]}).from.value()] = way;
  for (std::size_t i = way.count; i-- > 0;) {
    const std::uint32_t sw = graph_.arc(ArcIndex{way.arcs[i]}).from.value();
    column_.set(sw, way.arcs[i]);
    DetourHole* const hole = hole_of_[sw] != nullptr
                                 ? hole_of_[sw]
                                 : &added_.emplace_back(DetourHole{.sw = sw, .kind = std::nullopt});
    hole->arc = way.arcs[i];
    hole->lane = static_cast<std::uint8_t>(lane_ + 1);
  }
  for (std::uint32_t arc = way.arcs[0]; arc != DetourColumn::kArrived;
       arc = column_.next(graph_.arc(ArcIndex{arc}).to.value())) {
    ++load_[arc];
  }
  ways_.begin(*lanes_[lane_]);
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
                        const DetourAttempt& attempt, const Holes& holes, DetourSpace& space) {
  DetourPlan plan;
  plan.lids = holes.lids;
  Planner(graph, availability, tables, options, attempt, space, plan).fill_all();
  return plan;
}

}  // namespace heddle::routing
