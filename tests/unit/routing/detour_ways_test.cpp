#include "routing/detour_ways.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "routing/detour_plan.hpp"
#include "support/plain_graphs.hpp"
#include "support/simple_routers.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::SwitchIndex;
using Edge = std::pair<ArcIndex, ArcIndex>;

/// A tree some of whose cables are gone or drained, and what up*/down* leaves out.
struct Broken {
  explicit Broken(std::uint64_t seed)
      : graph(support::graph_of(support::assign_lids(support::ft3_k8()))),
        availability(support::damaged(graph, 150, seed)) {
    support::SplitMix64 random(seed);
    for (int i = 0; i < 12; ++i) {
      availability.set_capacity(
          graph, ArcIndex{random.below(static_cast<std::uint32_t>(graph.arcs().size()))}, {0});
    }
    tables = support::route_by_levels(graph, availability, support::tree_levels(graph));
    Workers workers(1);
    holes = find_holes(graph, availability, tables,
                       holed_destinations(graph, availability, tables, workers),
                       DetourPairs::kFromOrToThem, workers);
  }
  Graph graph;
  Availability availability;
  model::ForwardingTables tables;
  Holes holes;
};

/// What DetourWays finds, by walking every way to its end.
class Plain {
 public:
  Plain(const Broken& broken, DetourColumn& column, const std::vector<std::uint32_t>& load,
        const AcyclicChannels& lane)
      : broken_(broken), column_(column), load_(load), lane_(lane) {}

  std::vector<DetourWay> find(const DetourWays::Query& query) {
    query_ = query;
    found_.clear();
    DetourWay way;
    extend(way, query.from, query.length);
    std::ranges::stable_sort(found_, {}, &DetourWay::cost);
    return found_;
  }

  /// All arcs from the first on.
  std::vector<std::uint32_t> path(const DetourWay& way) {
    std::vector<std::uint32_t> arcs(way.arcs.begin(), way.arcs.begin() + way.count);
    while (column_.next(end(arcs.back())) != DetourColumn::kArrived) {
      arcs.push_back(column_.next(end(arcs.back())));
    }
    return arcs;
  }
  std::vector<Edge> edges(const DetourWay& way) {
    const std::vector<std::uint32_t> arcs = path(way);
    std::vector<Edge> all;
    for (std::size_t i = 1; i < arcs.size(); ++i) {
      all.emplace_back(ArcIndex{arcs[i - 1]}, ArcIndex{arcs[i]});
    }
    return all;
  }

 private:
  [[nodiscard]] std::uint32_t end(std::uint32_t arc) const {
    return broken_.graph.arc(ArcIndex{arc}).to.value();
  }

  void extend(DetourWay& way, std::uint32_t sw, std::uint16_t left) {
    const std::uint32_t begin = broken_.graph.first_arc(SwitchIndex{sw}).value();
    for (std::uint32_t i = 0; i < broken_.graph.arcs_of(SwitchIndex{sw}).size(); ++i) {
      const std::uint32_t arc = begin + i;
      if (!column_.passable(ArcIndex{arc}, query_.drained) || way.count == DetourWay::kMaxFree) {
        continue;
      }
      way.arcs[way.count++] = arc;
      const std::uint32_t to = end(arc);
      const bool passed = std::any_of(
          way.arcs.begin(), way.arcs.begin() + way.count,
          [&](std::uint32_t a) { return broken_.graph.arc(ArcIndex{a}).from.value() == to; });
      if (column_.hops(to) != DetourColumn::kFar) {
        if (column_.hops(to) + 1 == left) judge(way);
      } else if (!passed && left > 1) {
        extend(way, to, static_cast<std::uint16_t>(left - 1));
      }
      --way.count;
    }
  }

  void judge(DetourWay way) {
    if (stopped_at_nothing_new() || found_.size() == query_.most) return;
    std::uint32_t added = 0;
    for (const auto& [held, wanted] : edges(way)) {
      if (lane_.refused(held, wanted)) return;
      added += lane_.contains(held, wanted) ? 0U : 1U;
    }
    std::uint32_t most_loaded = 0;
    for (const std::uint32_t arc : path(way)) most_loaded = std::max(most_loaded, load_[arc]);
    way.cost = query_.cost == DetourWays::Cost::kNew ? added : most_loaded;
    for (std::uint8_t i = 0; i < way.count; ++i) {
      if (broken_.availability.capacity(ArcIndex{way.arcs[i]}).value == 0) way.cost += 1U << 24U;
    }
    found_.push_back(way);
  }
  [[nodiscard]] bool stopped_at_nothing_new() const {
    return query_.cost == DetourWays::Cost::kNew && !found_.empty() && found_.back().cost == 0;
  }

  const Broken& broken_;
  DetourColumn& column_;
  const std::vector<std::uint32_t>& load_;
  const AcyclicChannels& lane_;
  DetourWays::Query query_;
  std::vector<DetourWay> found_;
};

bool same(std::span<const DetourWay> a, std::span<const DetourWay> b) {
  return std::ranges::equal(a, b, [](const DetourWay& x, const DetourWay& y) {
    return x.count == y.count && x.cost == y.cost &&
           std::equal(x.arcs.begin(), x.arcs.begin() + x.count, y.arcs.begin());
  });
}

/// While the lane fills, refuses more and more, and entries appear.
TEST(DetourWaysTest, FindsWhatWalkingEveryWayFindsAndDeadEndsRememberedChangeNothing) {
  std::size_t found = 0;
  std::size_t refused = 0;
  const std::uint64_t first = support::seed_or(1);
  for (std::uint64_t seed = first; seed < first + support::seeds_or(2); ++seed) {
    const Broken broken(seed);
    const Graph& graph = broken.graph;
    DetourColumn column(graph, broken.availability);
    AcyclicChannels lane(graph);
    std::vector<std::uint32_t> load(graph.arcs().size(), 0);
    DetourWays ways(graph, broken.availability, column, load);
    Plain plain(broken, column, load, lane);
    support::SplitMix64 random(seed);
    for (std::size_t l = 0; l < broken.holes.lids.size(); ++l) {
      const HoledLid& lid = broken.holes.lids[l];
      std::vector<std::uint32_t> passed = broken.holes.unwanted[l];
      for (const DetourHole& hole : lid.holes) passed.push_back(hole.sw);
      column.load(broken.tables, graph.destinations()[lid.destination], lid.holes);
      const bool drained = random.below(4) == 0;
      column.measure(passed, drained);
      ways.begin(lane);
      for (const DetourHole& hole : lid.holes) {
        if (column.least(hole.sw) == DetourColumn::kFar ||
            column.hops(hole.sw) != DetourColumn::kFar) {
          continue;
        }
        DetourWays::Query query{
            .from = hole.sw,
            .length = static_cast<std::uint16_t>(column.least(hole.sw) +
                                                 random.below(kMaxDetourSlack + 1U)),
            .most = random.below(2) == 0 ? 5U : 200U,
            .cost = random.below(2) == 0 ? DetourWays::Cost::kLoad : DetourWays::Cost::kNew,
            .drained = drained};
        const std::vector<DetourWay> expected = plain.find(query);
        ASSERT_TRUE(same(ways.find(query), expected)) << "seed " << seed;
        query.hard = true;
        ASSERT_TRUE(same(ways.find(query), expected)) << "seed " << seed << ", remembering";
        found += expected.size();
        if (expected.empty()) continue;
        const DetourWay& tried =
            expected[random.below(static_cast<std::uint32_t>(expected.size()))];
        if (!lane.add(plain.edges(tried))) {
          ++refused;
        } else if (random.below(3) == 0) {
          for (const std::uint32_t arc : plain.path(tried)) ++load[arc];
          for (std::size_t i = tried.count; i-- > 0;) {
            column.set(graph.arc(ArcIndex{tried.arcs[i]}).from.value(), tried.arcs[i]);
          }
          ways.begin(lane);
        }
      }
    }
  }
  EXPECT_GT(found, 10000U);
  EXPECT_GT(refused, 100U);
}

/// Whether it is stopped early or not, a plan is the same; and it is stopped only if it is too bad.
TEST(DetourPlanTest, GivesUpOnlyWhereMoreStaysUnansweredThanIsAllowed) {
  std::size_t gave_up = 0;
  std::size_t finished = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Broken broken(seed);
    const auto planned = [&](std::optional<std::uint64_t> most) {
      DetourSpace space(broken.graph, {});
      DetourAttempt attempt;
      if (most) attempt.most_unanswered = *most;
      return plan_detours(broken.graph, broken.availability, broken.tables, {}, attempt,
                          broken.holes, space);
    };
    const DetourPlan whole = planned(std::nullopt);
    EXPECT_FALSE(whole.gave_up);
    for (const std::uint64_t most :
         {std::uint64_t{0}, whole.unanswered / 2, whole.unanswered, whole.unanswered + 1}) {
      const DetourPlan plan = planned(most);
      if (plan.gave_up) {
        ++gave_up;
        EXPECT_LT(most, whole.unanswered) << "seed " << seed;
        continue;
      }
      finished += whole.unanswered == 0 ? 0U : 1U;
      EXPECT_EQ(plan.unanswered, whole.unanswered);
      EXPECT_EQ(plan.unsent, whole.unsent);
      EXPECT_EQ(plan.lanes, whole.lanes);
      EXPECT_EQ(plan.hard, whole.hard);
    }
  }
  EXPECT_GT(gave_up, 0U);
  EXPECT_GT(finished, 0U);
}

}  // namespace
}  // namespace heddle::routing
