#include "routing/compute.hpp"

#include <gmock/gmock.h>

#include <random>

#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::SwitchIndex;

/// A fabric, how `auto` must route it, and the lanes that it may take when whole.
struct Case {
  const char* name;
  Fabric (*make)();
  Engine engine;
  unsigned lanes;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

Fabric dragonfly_plus() {
  return *simulation::make_dragonfly_plus(
      {.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4}, {});
}
Fabric hybrid() {
  return *simulation::make_hybrid({.groups = 3,
                                   .leaves = 4,
                                   .spines = 2,
                                   .super_spines = 4,
                                   .hosts_per_leaf = 2,
                                   .two_homed = true},
                                  {});
}
Fabric torus() { return support::torus({4, 4}, 1); }
Fabric meshed_tree() { return support::meshed_tree(3, 3, 3, 4, 2); }

const Case kCases[] = {
    {"two_switches", support::two_switches, Engine::kLayered, 1},
    {"ft2_k4", support::ft2_k4, Engine::kFatTree, 1},
    {"ft3_k4", support::ft3_k4, Engine::kFatTree, 1},
    {"ft3_k8", support::ft3_k8, Engine::kFatTree, 1},
    {"ft2_k8_parallel2", support::ft2_k8_parallel2, Engine::kFatTree, 1},
    {"meshed_tree", meshed_tree, Engine::kFatTree, 1},
    {"df_a4h2p2", support::df_a4h2p2, Engine::kDragonfly, 2},
    {"dfp_5x4x4", dragonfly_plus, Engine::kDragonflyPlus, 1},
    {"hybrid_two_homed", hybrid, Engine::kHybrid, 1},
    {"torus_4x4", torus, Engine::kLayered, 4},
};

class ComputeTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, ComputeTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

Computed computed(const Fabric& fabric, const Graph& graph, const Availability& availability,
                  const ComputeOptions& options = {}) {
  Workers workers(1);
  const Structure structure = *recognise(fabric, graph);
  model::Result<Computed> result =
      compute_routes(fabric, graph, structure, availability, options, workers);
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}

TEST_P(ComputeTest, AWholeFabricIsRoutedByTheEngineThatSuitsItInItsLanes) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  const Computed result = computed(fabric, graph, Availability(graph));
  EXPECT_EQ(result.routes.engine, GetParam().engine);
  EXPECT_TRUE(result.refusals.empty());
  EXPECT_TRUE(result.verdict.good());
  EXPECT_EQ(result.verdict.unreachable, 0U);
  EXPECT_LE(static_cast<unsigned>(std::popcount(result.verdict.lanes_used)), GetParam().lanes);
}

TEST_P(ComputeTest, WithFaultsEverythingConnectedIsDeliveredOrCountedAndNothingCanDeadlock) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  std::mt19937 random(11);
  for (int round = 0; round < 6; ++round) {
    Availability availability(graph);
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      if (graph.arc(ArcIndex{a}).reverse.value() > a && random() % 12 == 0) {
        availability.take_down(graph, ArcIndex{a});
      }
    }
    if (round % 2 == 1) {
      availability.take_down(
          SwitchIndex{static_cast<std::uint32_t>(random() % graph.switch_count())});
    }
    const Computed result = computed(fabric, graph, availability);
    EXPECT_EQ(result.verdict.looping, 0U) << "round " << round;
    EXPECT_TRUE(result.verdict.cycle.empty()) << "round " << round;
    EXPECT_EQ(result.verdict.unreachable, 0U) << "round " << round;
    // What the order proves, walking every path finds too.
    if (result.routes.proved_by_order) {
      EXPECT_TRUE(result.verdict.good()) << "round " << round;
      EXPECT_EQ(result.verdict.lanes_used, 1U) << "round " << round;
    }
  }
}

TEST(ComputeTest, AnOrderThatProvesTreesWholeSavesTheWalkIfThatIsWished) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  const Graph graph = support::graph_of(fabric);
  const Availability whole(graph);
  const Computed walked = computed(fabric, graph, whole);
  const Computed saved =
      computed(fabric, graph, whole, {.engine = std::nullopt, .walk = Walk::kWithoutOrder});
  EXPECT_TRUE(walked.routes.proved_by_order);
  EXPECT_TRUE(saved.routes.proved_by_order);
  EXPECT_NE(walked.verdict.pairs, 0U);
  EXPECT_EQ(saved.verdict.pairs, 0U);
  EXPECT_EQ(saved.verdict.lanes_used, walked.verdict.lanes_used);
  EXPECT_TRUE(saved.verdict.good());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    EXPECT_TRUE(std::ranges::equal(saved.routes.tables.row(SwitchIndex{s}),
                                   walked.routes.tables.row(SwitchIndex{s})))
        << "switch " << s;
  }
}

TEST(ComputeTest, TreesWithDetoursAreWalkedWhateverIsWished) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  const Graph graph = support::graph_of(fabric);
  std::mt19937 random(5);
  int with_detours = 0;
  for (int round = 0; round < 40; ++round) {
    Availability availability(graph);
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      if (graph.arc(ArcIndex{a}).reverse.value() > a && random() % 3 == 0) {
        availability.take_down(graph, ArcIndex{a});
      }
    }
    const Computed result = computed(fabric, graph, availability,
                                     {.engine = std::nullopt, .walk = Walk::kWithoutOrder});
    if (result.routes.engine != Engine::kFatTree || result.routes.proved_by_order) continue;
    ++with_detours;
    EXPECT_NE(result.verdict.pairs, 0U) << "round " << round;
  }
  EXPECT_GT(with_detours, 0);
}

TEST(ComputeTest, AnEngineThatIsAskedForAndDoesNotSuitIsAnErrorAndNoOtherIsTried) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  const Graph graph = support::graph_of(fabric);
  Workers workers(1);
  const model::Result<Computed> result =
      compute_routes(fabric, graph, *recognise(fabric, graph), Availability(graph),
                     {.engine = Engine::kDragonfly}, workers);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text,
              testing::HasSubstr("dragonfly: the fabric is no dragonfly but fat-tree"));
}

TEST(ComputeTest, ADragonflyWithOneLaneFallsToUpDownAndSaysWhy) {
  const Fabric fabric = support::assign_lids(support::df_a4h2p2());
  const Graph graph = support::graph_of(fabric);
  Workers workers(1);
  const model::Result<Computed> result =
      compute_routes(fabric, graph, *recognise(fabric, graph), Availability(graph),
                     {.engine = std::nullopt, .max_lanes = 1}, workers);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->routes.engine, Engine::kUpDown);
  ASSERT_EQ(result->refusals.size(), 1U);
  EXPECT_THAT(result->refusals[0].reason, testing::HasSubstr("needs two virtual lanes"));
  EXPECT_TRUE(result->verdict.good());
}

TEST(ComputeTest, NamesOfEnginesReadBack) {
  for (const Engine engine : {Engine::kFatTree, Engine::kDragonfly, Engine::kDragonflyPlus,
                              Engine::kHybrid, Engine::kUpDown, Engine::kLayered}) {
    EXPECT_EQ(parse_engine(to_string(engine)), engine);
  }
  EXPECT_FALSE(parse_engine("minhop").has_value());
}

}  // namespace
}  // namespace heddle::routing
