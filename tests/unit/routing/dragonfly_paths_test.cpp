// Minimal and non-minimal paths of dragonflies and dragonfly+, whole and with faults.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "routing/compute.hpp"
#include "routing/level_sets.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "simulation/generators.hpp"
#include "support/group_traffic.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::SwitchIndex;

Fabric dragonfly() {
  return *simulation::make_dragonfly(
      {.routers_per_group = 4, .hosts_per_router = 2, .global_links = 2, .groups = 9}, {});
}
/// Every spine has a cable to each other group.
Fabric plus_turning() {
  return *simulation::make_dragonfly_plus(
      {.groups = 7, .leaves = 6, .spines = 6, .hosts_per_leaf = 6, .global_links = 6}, {});
}
/// Two groups have one cable between them.
Fabric plus_diving() {
  return *simulation::make_dragonfly_plus(
      {.groups = 10, .leaves = 4, .spines = 4, .hosts_per_leaf = 4, .global_links = 3}, {});
}

/// A fabric with everything that routing it takes.
struct Routed {
  Routed(const Fabric& plain, std::uint8_t lmc)
      : fabric(support::assign_lids(plain, lmc)),
        graph(support::graph_of(fabric)),
        structure(*recognise(fabric, graph)),
        whole(graph) {}
  [[nodiscard]] Computed compute(const Availability& availability, std::uint8_t max_lanes = 8,
                                 std::size_t threads = 1) const {
    Workers workers(threads);
    model::Result<Computed> result =
        compute_routes(fabric, graph, structure, availability,
                       {.engine = std::nullopt, .max_lanes = max_lanes}, workers);
    if (!result) throw std::runtime_error(result.error().text);
    return std::move(*result);
  }
  [[nodiscard]] double bisection(const Availability& availability, const Routes& routes) const {
    Workers workers(1);
    return score_routes(graph, availability, routes.tables, {.permutations = 100}, workers)
        .bisection_bandwidth_ratio;
  }
  /// Lanes between hosts alone.
  [[nodiscard]] int host_lanes(const Availability& availability, const Routes& routes) const {
    Workers workers(1);
    return std::popcount(check_routes(graph, availability, routes.tables, routes.lanes,
                                      {.switch_lids = false}, workers)
                             .lanes_used);
  }

  Fabric fabric;
  Graph graph;
  Structure structure;
  Availability whole;
};

/// The groups that a path enters, the source's first; nothing if it does not arrive.
std::optional<std::vector<std::uint32_t>> groups_passed(const Routed& routed, const Routes& routes,
                                                        SwitchIndex from, const Destination& to) {
  std::vector<std::uint32_t> passed{*routed.structure.pod[from.value()]};
  for (int hops = 0; from != to.at; ++hops) {
    const auto exit = routes.tables.port(from, to.lid);
    if (hops == 64 || !exit) return std::nullopt;
    const PortTarget target = routed.graph.target(from, *exit);
    if (target.kind != PortTarget::Kind::kSwitch) return std::nullopt;
    from = routed.graph.arc(ArcIndex{target.index}).to;
    const std::uint32_t group = *routed.structure.pod[from.value()];
    if (group != passed.back()) passed.push_back(group);
  }
  return passed;
}

struct Kind {
  const char* name;
  Fabric (*make)();
  int lanes;            ///< with LMC 2, between hosts
  double hashed_ratio;  ///< of the group shift to minimal paths, at least
  double striped_ratio;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class ViaPathsTest : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, ViaPathsTest,
                         testing::Values(Kind{"dragonfly", dragonfly, 3, 2.5, 3.5},
                                         Kind{"plus_turning", plus_turning, 2, 2.0, 3.0},
                                         Kind{"plus_diving", plus_diving, 3, 2.0, 2.8}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(ViaPathsTest, TheFirstLidIsMinimalAndTheOthersPassOneGroupMoreEachItsOwn) {
  const Routed routed(GetParam().make(), 2);
  const Computed computed = routed.compute(routed.whole);
  std::size_t over_another = 0;
  std::size_t further = 0;
  for (const Destination& to : routed.graph.destinations()) {
    if (!to.terminal) continue;
    std::optional<std::uint32_t> via;
    for (const Terminal& source : routed.graph.terminals()) {
      const auto passed = groups_passed(routed, computed.routes, source.leaf, to);
      ASSERT_TRUE(passed.has_value());
      ASSERT_LE(passed->size(), to.path == 0 ? 2U : 3U);
      if (to.path != 0 && passed->size() > 1) ++further;
      if (passed->size() != 3) continue;
      ++over_another;
      const std::uint32_t middle = (*passed)[1];
      EXPECT_EQ(via.value_or(middle), middle) << "a LID leads over one group, whoever sends";
      via = middle;
    }
  }
  EXPECT_GT(over_another * 4, further * 3) << "nearly all pairs in different groups";
}

TEST_P(ViaPathsTest, EverythingIsDeliveredWithoutACycleInTheLanesPromised) {
  const Routed routed(GetParam().make(), 2);
  const Computed computed = routed.compute(routed.whole);
  EXPECT_TRUE(computed.verdict.good());
  EXPECT_TRUE(computed.refusals.empty());
  EXPECT_EQ(routed.host_lanes(routed.whole, computed.routes), GetParam().lanes);
}

TEST_P(ViaPathsTest, AShiftFromGroupToGroupGetsSeveralTimesWhatMinimalPathsGive) {
  const Routed routed(GetParam().make(), 2);
  const Computed computed = routed.compute(routed.whole);
  const auto flows = support::group_shift(routed.graph, routed.structure);
  const auto mean = [&](support::LidChoice choice) {
    return support::fair_share(routed.fabric, routed.graph, routed.whole, computed.routes.tables,
                               flows, choice)
        .mean;
  };
  const double minimal = mean(support::LidChoice::kFirst);
  EXPECT_GE(mean(support::LidChoice::kHashed), GetParam().hashed_ratio * minimal);
  EXPECT_GE(mean(support::LidChoice::kStriped), GetParam().striped_ratio * minimal);
}

TEST_P(ViaPathsTest, AnAnswerOnTheLevelOfItsRequestOverTheFirstLidMeetsNoCycleEither) {
  const Routed routed(GetParam().make(), 1);
  const Computed computed = routed.compute(routed.whole);
  Workers workers(1);
  // All pairs by name: one that is not named has level 0.
  std::vector<PairLevel> pairs;
  std::size_t raised = 0;
  for (const Destination& to : routed.graph.destinations()) {
    if (!to.terminal) continue;
    const model::Lid asked = *routed.graph.terminal(*to.terminal).lid;
    for (const Terminal& source : routed.graph.terminals()) {
      const model::Sl sl = computed.routes.lanes.levels.sl(source.leaf, to.lid);
      pairs.push_back({*source.lid, to.lid, sl});
      pairs.push_back({asked, *source.lid, sl});
      raised += sl != model::Sl{} ? 1U : 0U;
    }
  }
  ASSERT_GT(raised, 0U);
  const LevelSets levels(routed.graph, pairs);
  const Verdict verdict = check_routes(routed.graph, routed.whole, computed.routes.tables, levels,
                                       computed.routes.lanes.maps, {.switch_lids = false}, workers);
  EXPECT_TRUE(verdict.cycle.empty());
}

TEST_P(ViaPathsTest, WithFaultsEveryLidOfARangeIsStillDeliveredAndProved) {
  const Routed routed(GetParam().make(), 1);
  const std::uint64_t seed = support::seed_or(3);
  for (const std::uint32_t permille : {1U, 40U, 100U}) {
    const Availability cut = support::cut_share(routed.graph, permille, seed + permille);
    const Computed computed = routed.compute(cut);
    EXPECT_EQ(computed.verdict.unreachable, 0U) << permille;
    EXPECT_EQ(computed.verdict.looping, 0U) << permille;
    EXPECT_TRUE(computed.verdict.cycle.empty()) << permille;
    EXPECT_TRUE(computed.refusals.empty()) << permille;
  }
}

TEST_P(ViaPathsTest, ADrainedCableCarriesNoNonMinimalPath) {
  const Routed routed(GetParam().make(), 2);
  Availability drained(routed.graph);
  std::optional<ArcIndex> cable;  // between groups
  for (std::uint32_t a = 0; a < routed.graph.arcs().size() && !cable; ++a) {
    const Arc& arc = routed.graph.arc(ArcIndex{a});
    if (routed.structure.pod[arc.from.value()] != routed.structure.pod[arc.to.value()]) {
      cable = ArcIndex{a};
    }
  }
  ASSERT_TRUE(cable.has_value());
  drained.set_capacity(routed.graph, *cable, {0});
  const Computed computed = routed.compute(drained);
  EXPECT_TRUE(computed.verdict.cycle.empty());
  EXPECT_EQ(computed.verdict.unreachable, 0U);
  const Arc& arc = routed.graph.arc(*cable);
  for (const Destination& to : routed.graph.destinations()) {
    if (!to.terminal || to.path == 0 ||
        routed.structure.pod[to.at.value()] == routed.structure.pod[arc.to.value()]) {
      continue;
    }
    for (const Terminal& source : routed.graph.terminals()) {
      SwitchIndex at = source.leaf;
      for (int hops = 0; at != to.at && hops < 64; ++hops) {
        const auto exit = computed.routes.tables.port(at, to.lid);
        ASSERT_TRUE(exit.has_value());
        EXPECT_FALSE(at == arc.from && exit == arc.exit) << to.lid.value();
        at = routed.graph.arc(ArcIndex{routed.graph.target(at, *exit).index}).to;
      }
    }
  }
}

TEST_P(ViaPathsTest, WhatComesBackIsAsItWasAndThreadsMakeNoDifference) {
  const Routed routed(GetParam().make(), 1);
  Availability availability = support::cut_share(routed.graph, 50, support::seed_or(5));
  const Computed one = routed.compute(availability);
  const Computed three = routed.compute(availability, 8, 3);
  EXPECT_EQ(one.routes.tables, three.routes.tables);
  for (std::uint32_t a = 0; a < routed.graph.arcs().size(); ++a) {
    availability.bring_back(routed.graph, ArcIndex{a});
  }
  EXPECT_EQ(routed.compute(availability).routes.tables, routed.compute(routed.whole).routes.tables);
}

TEST_P(ViaPathsTest, WithoutLanesForThemFurtherLidsKeepToMinimalPaths) {
  const Routed routed(GetParam().make(), 1);
  const auto lanes = static_cast<std::uint8_t>(GetParam().lanes - 1);
  const Computed computed = routed.compute(routed.whole, lanes);
  EXPECT_TRUE(computed.verdict.cycle.empty());
  EXPECT_TRUE(computed.refusals.empty());
  for (const Destination& to : routed.graph.destinations()) {
    if (!to.terminal) continue;
    for (const Terminal& source : routed.graph.terminals()) {
      const auto passed = groups_passed(routed, computed.routes, source.leaf, to);
      ASSERT_TRUE(passed.has_value());
      EXPECT_LE(passed->size(), 2U);
    }
  }
}

TEST(DragonflyPathsTest, EveryPairGoesLocalGlobalLocalInTwoLanesAndAfterAnySingleFaultStillInTwo) {
  const Routed routed(dragonfly(), 0);
  const Computed whole = routed.compute(routed.whole);
  EXPECT_EQ(whole.verdict.longest_hops, 5U);  // three between routers
  EXPECT_EQ(std::popcount(whole.verdict.lanes_used), 2);
  for (std::uint32_t a = 0; a < routed.graph.arcs().size(); ++a) {
    if (routed.graph.arc(ArcIndex{a}).reverse < ArcIndex{a}) continue;
    Availability cut(routed.graph);
    cut.take_down(routed.graph, ArcIndex{a});
    const Computed computed = routed.compute(cut);
    EXPECT_TRUE(computed.verdict.good()) << "cable " << a;
    EXPECT_EQ(std::popcount(computed.verdict.lanes_used), 2) << "cable " << a;
  }
  for (std::uint32_t s = 0; s < routed.graph.switch_count(); s += 5) {
    Availability cut(routed.graph);
    cut.take_down(SwitchIndex{s});
    const Computed computed = routed.compute(cut);
    EXPECT_TRUE(computed.verdict.good()) << "router " << s;
    EXPECT_EQ(std::popcount(computed.verdict.lanes_used), 2) << "router " << s;
  }
}

TEST(DragonflyPathsTest, LossesByChanceCostAtMostTwoFurtherLanes) {
  const Routed routed(dragonfly(), 0);
  const std::uint64_t seed = support::seed_or(7);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto some = support::cut_share(routed.graph, 20, seed + i);
    const Computed few = routed.compute(some);
    EXPECT_TRUE(few.verdict.good()) << i;
    EXPECT_LE(std::popcount(few.verdict.lanes_used), 3) << i;
    const auto many = support::cut_share(routed.graph, 100, seed + i);
    const Computed worn = routed.compute(many);
    EXPECT_TRUE(worn.verdict.good()) << i;
    EXPECT_LE(std::popcount(worn.verdict.lanes_used), 4) << i;
  }
}

TEST(DragonflyPlusPathsTest, HostsKeepToOneLaneWholeAfterASingleFaultAndWithATenthOfTheCablesLost) {
  // With eight classes of spines some class always has all that a pair needs.
  const Routed routed(
      *simulation::make_dragonfly_plus(
          {.groups = 9, .leaves = 8, .spines = 8, .hosts_per_leaf = 1, .global_links = 8}, {}),
      0);
  EXPECT_EQ(routed.host_lanes(routed.whole, routed.compute(routed.whole).routes), 1);
  const auto expect_one = [&](const Availability& cut) {
    const Computed computed = routed.compute(cut);
    EXPECT_TRUE(computed.verdict.good());
    EXPECT_EQ(routed.host_lanes(cut, computed.routes), 1);
    EXPECT_LE(std::popcount(computed.verdict.lanes_used), 2);
  };
  for (std::uint32_t a = 0; a < routed.graph.arcs().size(); a += 211) {
    Availability cut(routed.graph);
    cut.take_down(routed.graph, ArcIndex{a});
    expect_one(cut);
  }
  for (std::uint32_t s = 0; s < routed.graph.switch_count(); s += 29) {
    Availability cut(routed.graph);
    cut.take_down(SwitchIndex{s});
    expect_one(cut);
  }
  const std::uint64_t seed = support::seed_or(2);
  for (std::uint64_t i = 0; i < 3; ++i) {
    expect_one(support::cut_share(routed.graph, 100, seed + i));
  }
}

TEST(DragonflyPlusPathsTest, GuidsThatDoNotFollowTheCablingCostNoBisectionBandwidth) {
  const Routed orderly(plus_turning(), 0);
  const double best = orderly.bisection(orderly.whole, orderly.compute(orderly.whole).routes);
  const std::uint64_t seed = support::seed_or(1);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Routed dealt(support::with_dealt_guids(plus_turning(), seed + i), 0);
    EXPECT_GE(dealt.bisection(dealt.whole, dealt.compute(dealt.whole).routes), 0.99 * best);
  }
}

TEST(DragonflyPlusPathsTest, ClassesOfSpinesAreFoundWithATenthOfTheCablesMissingToo) {
  const Fabric whole = support::assign_lids(support::with_dealt_guids(plus_turning(), 4));
  const Graph graph = support::graph_of(whole);
  const Availability cut = support::cut_share(graph, 100, support::seed_or(6));
  const Routed remembered(whole, 0);
  const Routed forgotten(support::forgetting(whole, graph, cut), 0);
  const double with = remembered.bisection(cut, remembered.compute(cut).routes);
  const double without =
      forgotten.bisection(forgotten.whole, forgotten.compute(forgotten.whole).routes);
  EXPECT_GE(without, 0.98 * with);
}

TEST(DragonflyPathsTest, AReducedCableCarriesAboutItsShareOfWhatItCarriedWhole) {
  // Two routers a group and two cables between the groups: a choice for every destination.
  const Routed routed(
      *simulation::make_dragonfly(
          {.routers_per_group = 4, .hosts_per_router = 8, .global_links = 4, .groups = 3}, {}),
      0);
  std::optional<ArcIndex> cable;
  for (std::uint32_t a = 0; a < routed.graph.arcs().size() && !cable; ++a) {
    const Arc& arc = routed.graph.arc(ArcIndex{a});
    if (routed.structure.pod[arc.from.value()] != routed.structure.pod[arc.to.value()]) {
      cable = ArcIndex{a};
    }
  }
  ASSERT_TRUE(cable.has_value());
  const Arc& arc = routed.graph.arc(*cable);
  const auto carried = [&](const Availability& availability) {
    const Computed computed = routed.compute(availability);
    return std::ranges::count_if(routed.graph.destinations(), [&](const Destination& to) {
      return computed.routes.tables.port(arc.from, to.lid) == arc.exit;
    });
  };
  Availability reduced(routed.graph);
  reduced.set_capacity(routed.graph, *cable, {30});
  const auto before = carried(routed.whole);
  const auto now = carried(reduced);
  ASSERT_GT(before, 8);
  EXPECT_LT(now, before * 3 / 4);
  EXPECT_GT(now, 0);
}

}  // namespace
}  // namespace heddle::routing
