#include "routing/layered.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::SwitchIndex;
using support::damaged;
using support::graph_of;
using support::slow_check;
using support::SlowSources;
using support::SlowVerdict;

struct Case {
  std::string name;
  std::function<model::Fabric()> fabric;
  /// What dfsssp of OpenSM 3.3.23 needs on the same fabric, "Virtual Lanes needed" of its log under
  /// ibsim with `qos TRUE` (scripts/harness/opensm_tables.py); 9 where it gave up with the 8 that
  /// there were.
  int dfsssp_lanes;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

Routes routed(const Graph& graph, const Availability& availability, std::uint8_t max_lanes = 8,
              std::size_t threads = 2) {
  Workers workers(threads);
  model::Result<Routes> routes =
      route_layered(graph, availability, {.max_lanes = max_lanes}, workers);
  if (!routes) throw std::runtime_error(routes.error().message());
  return *std::move(routes);
}

class LayeredTest : public testing::TestWithParam<Case> {};

TEST_P(LayeredTest, DeliversEveryPairOverShortestPathsInNoMoreLanesThanDfsssp) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability whole(graph);
  const Routes routes = routed(graph, whole);
  const SlowVerdict verdict = slow_check(graph, whole, routes.tables, routes.lanes);
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.longer_than_shortest, 0U);
  EXPECT_LE(std::popcount(verdict.lanes_used), GetParam().dfsssp_lanes);
  EXPECT_TRUE(routes.undelivered.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, LayeredTest,
    testing::Values(Case{"two_stars", [] { return support::two_stars(16, 4); }, 1},
                    Case{"torus_8x8",
                         [] {
                           return support::torus({8, 8}, 2);
                         },
                         9},
                    Case{"torus_4x4x4",
                         [] {
                           return support::torus({4, 4, 4}, 2);
                         },
                         9},
                    Case{"hypercube_6", [] { return support::hypercube(6, 2); }, 9},
                    Case{"regular_64_6", [] { return support::random_regular(64, 6, 4, 1); }, 6},
                    Case{"regular_128_4", [] { return support::random_regular(128, 4, 2, 7); }, 9},
                    Case{"df_a4h2p2", support::df_a4h2p2, 3}, Case{"ft3_k8", support::ft3_k8, 1}),
    [](const testing::TestParamInfo<Case>& instance) { return instance.param.name; });

struct Small {
  std::string name;
  std::function<model::Fabric()> fabric;
};

std::ostream& operator<<(std::ostream& out, const Small& c) { return out << c.name; }

class LayeredLanesTest : public testing::TestWithParam<Small> {};

TEST_P(LayeredLanesTest, AnyNumberOfLanesIsEnoughForAnyConnectedGraph) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  for (const std::uint32_t per_mille : {0U, 100U, 300U}) {
    const Availability availability = damaged(graph, per_mille, per_mille + 2);
    for (const std::uint8_t lanes : std::initializer_list<std::uint8_t>{1, 2, 3, 15}) {
      const Routes routes = routed(graph, availability, lanes);
      const SlowVerdict verdict = slow_check(graph, availability, routes.tables, routes.lanes);
      EXPECT_TRUE(verdict.good()) << per_mille << ' ' << int{lanes};
      EXPECT_LT(verdict.lanes_used, 1U << lanes);
    }
  }
}

TEST_P(LayeredLanesTest, WhatManagementPortsOfSwitchesAnswerIsProvedToo) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability availability = damaged(graph, 50, 4);
  const Routes routes = routed(graph, availability);
  EXPECT_TRUE(slow_check(graph, availability, routes.tables, routes.lanes,
                         SlowSources::kTerminalsAndSwitches)
                  .good());
  EXPECT_TRUE(routes.undelivered.empty());
}

TEST_P(LayeredLanesTest, DrainedCablesNeverDisconnectAndAreNotUsedWhereOthersLeadOn) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability without = damaged(graph, 333, 9);
  Availability drained(graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    if (!without.usable(graph, ArcIndex{a})) {
      drained.set_capacity(graph, ArcIndex{a}, {.value = 0});
    }
  }
  for (const std::uint8_t lanes : std::initializer_list<std::uint8_t>{1, 8}) {
    const Routes routes = routed(graph, drained, lanes);
    EXPECT_TRUE(slow_check(graph, drained, routes.tables, routes.lanes).good());
    EXPECT_EQ(slow_check(graph, without, routes.tables, routes.lanes).unreachable, 0U);
  }
}

TEST_P(LayeredLanesTest, GivesTheSameBytesWithAnyNumberOfThreads) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability availability = damaged(graph, 50, 3);
  const Routes one = routed(graph, availability, 2, 1);
  for (const std::size_t threads : {2U, 5U, 8U}) {
    const Routes routes = routed(graph, availability, 2, threads);
    EXPECT_EQ(routes.tables, one.tables);
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      EXPECT_TRUE(std::ranges::equal(routes.lanes.levels.row(SwitchIndex{s}),
                                     one.lanes.levels.row(SwitchIndex{s})));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, LayeredLanesTest,
    testing::Values(Small{"two_switches", support::two_switches},
                    Small{"ft2_k8_parallel2", support::ft2_k8_parallel2},
                    Small{"ft3_k4", support::ft3_k4}, Small{"dfp_g3", support::dfp_g3},
                    Small{"hybrid_two_homed", support::hybrid_two_homed},
                    Small{"torus_5x5",
                          [] {
                            return support::torus({5, 5}, 1);
                          }},
                    Small{"regular_24_4", [] { return support::random_regular(24, 4, 1, 5); }}),
    [](const testing::TestParamInfo<Small>& instance) { return instance.param.name; });

/// A connection answers on the level on which it was opened.
TEST_P(LayeredLanesTest, OneLevelAPairIsTheSameBothWaysAndProved) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability availability = damaged(graph, 50, 6);
  Workers workers(2);
  const auto routes =
      route_layered(graph, availability, {.max_lanes = 15, .levels = LevelsPer::kPair}, workers);
  ASSERT_TRUE(routes.has_value());
  EXPECT_TRUE(slow_check(graph, availability, routes->tables, routes->lanes,
                         SlowSources::kTerminalsAndSwitches)
                  .good());
  for (const Destination& a : graph.destinations()) {
    for (const Destination& b : graph.destinations()) {
      ASSERT_EQ(routes->lanes.levels.sl(a.at, b.lid), routes->lanes.levels.sl(b.at, a.lid));
    }
  }
}

TEST(LayeredOptionsTest, TooFewLanesForOneLevelAPairAreNamed) {
  const Graph graph = graph_of(support::torus({5, 5}, 1));
  Workers workers(1);
  const auto routes = route_layered(graph, Availability(graph),
                                    {.max_lanes = 2, .levels = LevelsPer::kPair}, workers);
  ASSERT_FALSE(routes.has_value());
  EXPECT_EQ(routes.error().code, model::Errc::kUnsupported);
}

TEST(LayeredOptionsTest, NoLaneOrThatOfManagementIsRefused) {
  const Graph graph = graph_of(support::torus({4}, 1));
  Workers workers(1);
  for (const std::uint8_t lanes : std::initializer_list<std::uint8_t>{0, 16}) {
    const auto routes = route_layered(graph, Availability(graph), {.max_lanes = lanes}, workers);
    ASSERT_FALSE(routes.has_value());
    EXPECT_EQ(routes.error().code, model::Errc::kInvalidInput);
  }
}

TEST(LayeredLoadTest, ParallelCablesShareTheRoutesByWhatTheyCarry) {
  const Graph graph = graph_of(support::from_cables(2, 20, {{0, 1}, {0, 1}}));
  Availability availability(graph);
  availability.set_capacity(graph, ArcIndex{0U}, {.value = 25});
  const Routes routes = routed(graph, availability);
  std::size_t over_reduced = 0;
  for (const Terminal& terminal : graph.terminals_of(SwitchIndex{1U})) {
    const PortTarget target =
        graph.target(SwitchIndex{0U}, *routes.tables.port(SwitchIndex{0U}, *terminal.lid));
    over_reduced += target.index == 0 ? 1U : 0U;
  }
  EXPECT_EQ(over_reduced, 4U);
}

}  // namespace
}  // namespace heddle::routing
