// Pairs that the order of a dragonfly+ leaves out: spines and groups that they have no cable to,
// and what faults leave without a way.
#include "routing/turn_detours.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "routing/compute.hpp"
#include "routing/detours.hpp"
#include "routing/live_change.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/group_traffic.hpp"
#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::SwitchIndex;
using support::cut_share;
using support::slow_check;
using support::SlowSources;
using support::SlowVerdict;

constexpr std::uint16_t kTwoLanes = 0b11;

struct Shape {
  const char* name;
  simulation::DragonflyPlusShape shape;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

/// With everything that routing it takes.
struct Plus {
  explicit Plus(const simulation::DragonflyPlusShape& shape)
      : fabric(support::assign_lids(*simulation::make_dragonfly_plus(shape, {}))),
        graph(support::graph_of(fabric)),
        structure(*recognise(fabric, graph)),
        whole(graph) {}

  [[nodiscard]] FatTree tree(const Availability& availability) const {
    Workers workers(1);
    FatTree tree(graph, FatTreePlan::make(fabric, graph, structure));
    tree.compute(availability, workers);
    return tree;
  }
  [[nodiscard]] Routes route(const Availability& availability, std::uint8_t max_lanes = 8,
                             std::size_t threads = 1) const {
    Workers workers(threads);
    model::Result<Computed> computed =
        compute_routes(fabric, graph, structure, availability,
                       {.engine = Engine::kDragonflyPlus, .max_lanes = max_lanes}, workers);
    if (!computed) throw std::runtime_error(computed.error().text);
    return std::move(computed->routes);
  }
  /// The tree's tables with a search for all that they lack.
  [[nodiscard]] Routes search(const Availability& availability) const {
    Workers workers(1);
    Routes routes{.engine = Engine::kDragonflyPlus,
                  .tables = tree(availability).tables(),
                  .lanes = {PathLevels(graph.switch_count(), graph.top_lid()), LaneMaps(graph)},
                  .undelivered = {}};
    add_detours(graph, availability, {}, routes, workers);
    return routes;
  }
  [[nodiscard]] SwitchIndex a_spine() const {
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (graph.terminals_of(SwitchIndex{s}).empty()) return SwitchIndex{s};
    }
    throw std::runtime_error("no spine");
  }
  /// A cable of the spine to a leaf.
  [[nodiscard]] ArcIndex cable_down(SwitchIndex spine) const {
    std::uint32_t arc = graph.first_arc(spine).value();
    while (graph.terminals_of(graph.arc(ArcIndex{arc}).to).empty()) ++arc;
    return ArcIndex{arc};
  }

  model::Fabric fabric;
  Graph graph;
  Structure structure;
  Availability whole;
};

/// Of all paths, those of switches' answers included.
int highest_level(const Plus& plus, const Routes& routes) {
  int highest = 0;
  for (std::uint32_t s = 0; s < plus.graph.switch_count(); ++s) {
    for (const std::uint8_t level : routes.lanes.levels.row(SwitchIndex{s})) {
      highest = std::max<int>(highest, level);
    }
  }
  return highest;
}

std::size_t differing(const Plus& plus, const ForwardingTables& a, const ForwardingTables& b) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < plus.graph.switch_count(); ++s) {
    const auto row = a.row(SwitchIndex{s});
    const auto other = b.row(SwitchIndex{s});
    for (std::size_t lid = 0; lid < row.size(); ++lid) count += row[lid] != other[lid] ? 1U : 0U;
  }
  return count;
}

class TurnDetoursTest : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, TurnDetoursTest,
    testing::Values(
        Shape{"one_cable_between_groups",
              {.groups = 10, .leaves = 3, .spines = 3, .hosts_per_leaf = 2, .global_links = 3}},
        Shape{"spines_meet_half_of_the_groups",
              {.groups = 9, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4}},
        Shape{"spines_meet_most_of_the_groups",
              {.groups = 7, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 5}},
        Shape{"one_global_cable_a_spine",
              {.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 1}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(TurnDetoursTest, EverySwitchLidIsDeliveredInTwoLanesOnTheLevelOfHosts) {
  const Plus plus(GetParam().shape);
  const Routes routes = plus.route(plus.whole);
  const SlowVerdict verdict = slow_check(plus.graph, plus.whole, routes.tables, routes.lanes);
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.lanes_used, kTwoLanes);
  EXPECT_TRUE(routes.lanes.levels.all_zero());
  EXPECT_TRUE(routes.undelivered.empty());
}

/// Packets that switches send enter by port 0.
TEST_P(TurnDetoursTest, SwitchesAnswerEveryTerminalWithoutADependencyCycle) {
  const Plus plus(GetParam().shape);
  const Routes routes = plus.route(plus.whole);
  const SlowVerdict verdict = slow_check(plus.graph, plus.whole, routes.tables, routes.lanes,
                                         SlowSources::kTerminalsAndSwitches);
  EXPECT_FALSE(verdict.cyclic);
  EXPECT_EQ(verdict.looping, 0U);
  EXPECT_EQ(verdict.lanes_used, kTwoLanes);
  for (std::uint32_t s = 0; s < plus.graph.switch_count(); ++s) {
    for (const Terminal& terminal : plus.graph.terminals()) {
      ASSERT_TRUE(routes.tables.port(SwitchIndex{s}, *terminal.lid).has_value());
    }
  }
}

/// A search over such fabrics grew with the square of the groups and more.
TEST_P(TurnDetoursTest, NothingIsLeftToASearch) {
  const Plus plus(GetParam().shape);
  Workers workers(1);
  const FatTree tree = plus.tree(plus.whole);
  const TurnDetours turns(plus.graph, plus.structure, tree, plus.whole, workers);
  EXPECT_GT(turns.holes(), 0U);
  EXPECT_TRUE(turns.complete());
}

TEST_P(TurnDetoursTest, HostsKeepToTheFirstLane) {
  const Plus plus(GetParam().shape);
  const Routes routes = plus.route(plus.whole);
  Workers workers(1);
  EXPECT_EQ(check_routes(plus.graph, plus.whole, routes.tables, routes.lanes,
                         {.switch_lids = false}, workers)
                .lanes_used,
            1U);
}

TEST_P(TurnDetoursTest, GiveTheSameBytesWithAnyNumberOfThreads) {
  const Plus plus(GetParam().shape);
  const Routes first = plus.route(plus.whole);
  for (const std::size_t threads : {2U, 5U}) {
    const Routes routes = plus.route(plus.whole, 8, threads);
    EXPECT_EQ(routes.tables, first.tables);
    EXPECT_TRUE(std::ranges::equal(routes.lanes.maps.mappings(), first.lanes.maps.mappings()));
  }
}

TEST_P(TurnDetoursTest, WithOneLaneNothingTurnsAndWhatIsLeftOutIsNamed) {
  const Plus plus(GetParam().shape);
  const Routes routes = plus.route(plus.whole, 1);
  EXPECT_TRUE(routes.lanes.maps.identity());
  EXPECT_EQ(routes.tables, plus.tree(plus.whole).tables());
  EXPECT_FALSE(routes.undelivered.empty());
}

TEST_P(TurnDetoursTest, WithCablesCutNoMoreLanesAreTakenThanASearchTakes) {
  const Plus plus(GetParam().shape);
  const std::uint64_t seed = support::seed_or(5);
  for (const std::uint32_t permille : {20U, 100U}) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const Availability cut = cut_share(plus.graph, permille, seed + i);
      const Routes routes = plus.route(cut);
      const Routes searched = plus.search(cut);
      const SlowVerdict verdict = slow_check(plus.graph, cut, routes.tables, routes.lanes,
                                             SlowSources::kTerminalsAndSwitches);
      EXPECT_FALSE(verdict.cyclic) << permille << ' ' << seed + i;
      EXPECT_EQ(verdict.looping, 0U);
      EXPECT_EQ(slow_check(plus.graph, cut, routes.tables, routes.lanes).unreachable, 0U);
      EXPECT_LE(routes.undelivered.size(), searched.undelivered.size());
      EXPECT_LE(highest_level(plus, routes), highest_level(plus, searched));
    }
  }
}

/// Every spine meets every other group, so the order leads everywhere until a cable is cut.
Plus complete_classes() {
  return Plus({.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4});
}

TEST(TurnDetoursFaultTest, OneCableCutLeavesWaysAloneThatItDoesNotTouch) {
  const Plus plus = complete_classes();
  Availability cut(plus.graph);
  cut.take_down(plus.graph, plus.cable_down(plus.a_spine()));
  const Routes before = plus.route(plus.whole);
  ASSERT_TRUE(before.lanes.maps.identity());
  const Routes turned = plus.route(cut);
  ASSERT_FALSE(turned.lanes.maps.identity());
  // A search sets the ways that are in use, the rule all that might be: as many as there are other
  // spines in a group.
  EXPECT_LT(differing(plus, before.tables, turned.tables),
            2 * differing(plus, before.tables, plus.search(cut).tables));
}

TEST(TurnDetoursFaultTest, ConnectionsThatAreOpenStaySafeAndKeepTheirLevelWhenACableGoes) {
  const Plus plus({.groups = 9, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4});
  const Routes before = plus.route(plus.whole);
  Availability cut(plus.graph);
  cut.take_down(plus.graph, plus.cable_down(plus.a_spine()));
  Routes after = plus.route(cut);
  ASSERT_TRUE(after.lanes.levels.all_zero());
  Workers workers(1);
  const LiveChange change =
      make_live(plus.graph, cut, {before.tables, LevelSets(before.lanes.levels), before.lanes.maps},
                RiskOfDeadlock::kRefuse, after, workers);
  EXPECT_THAT(change.levels, testing::IsEmpty());
  EXPECT_THAT(change.withheld, testing::IsEmpty());
  EXPECT_TRUE(change.transition.good());
}

TEST(TurnDetoursFaultTest, ADrainedCableIsTakenOnlyWhereNothingElseLeadsOn) {
  const Plus plus({.groups = 5, .leaves = 8, .spines = 4, .hosts_per_leaf = 1, .global_links = 4});
  const SwitchIndex spine = plus.a_spine();
  const ArcIndex lost = plus.cable_down(spine);
  const SwitchIndex leaf = plus.graph.arc(lost).to;
  Availability availability(plus.graph);
  availability.take_down(plus.graph, lost);
  const auto first_to = [&](const Routes& routes, const Terminal& terminal) {
    const PortTarget target = plus.graph.target(spine, *routes.tables.port(spine, *terminal.lid));
    return ArcIndex{target.index};
  };
  // The spine turns in some leaf on its way to the one it lost; drain that cable.
  const Terminal& host = plus.graph.terminals_of(leaf).front();
  const ArcIndex taken = first_to(plus.route(availability), host);
  availability.set_capacity(plus.graph, taken, {.value = 0});
  const Routes around = plus.route(availability);
  EXPECT_NE(first_to(around, host), taken);
  EXPECT_TRUE(around.undelivered.empty());
  // All of them drained: better than nothing.
  for (std::uint32_t i = 0; i < plus.graph.arcs_of(spine).size(); ++i) {
    availability.set_capacity(plus.graph, ArcIndex{plus.graph.first_arc(spine).value() + i},
                              {.value = 0});
  }
  const Routes all_drained = plus.route(availability);
  EXPECT_TRUE(all_drained.undelivered.empty());
  EXPECT_TRUE(slow_check(plus.graph, availability, all_drained.tables, all_drained.lanes).good());
}

/// One cable between groups, cut: its hosts go over a third group.
TEST(TurnDetoursFaultTest, ALostLastCableBetweenGroupsLeavesNoHostOut) {
  const Plus plus({.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 1});
  const SwitchIndex spine = plus.a_spine();
  for (std::uint32_t i = 0; i < plus.graph.arcs_of(spine).size(); ++i) {
    const ArcIndex arc{plus.graph.first_arc(spine).value() + i};
    if (!plus.graph.terminals_of(plus.graph.arc(arc).to).empty()) continue;
    Availability cut(plus.graph);
    cut.take_down(plus.graph, arc);
    const Routes routes = plus.route(cut);
    const SlowVerdict verdict = slow_check(plus.graph, cut, routes.tables, routes.lanes);
    EXPECT_TRUE(verdict.good());
    for (const Undelivered& pair : routes.undelivered) {
      EXPECT_TRUE(plus.graph.terminals_of(pair.source).empty());
    }
  }
}

}  // namespace
}  // namespace heddle::routing
