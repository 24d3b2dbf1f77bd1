#include "routing/rated_capacity.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/fabric_summary.hpp"
#include "routing/compute.hpp"
#include "routing/flows.hpp"
#include "routing/max_min.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::BitsPerSecond;
using model::Fabric;
using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;
using support::graph_of;
using support::with_rate;

/// Two levels, 18 hosts and 18 uplinks on each of 36 leaves, at 4xHDR.
Fabric wide_tree() {
  return support::assign_lids(
      *simulation::make_pgft(*simulation::parse_pgft_shape("18,36:1,18:1,1"), {}));
}

SwitchIndex leaf_of(const Graph& graph) { return graph.terminals().front().leaf; }

/// The switch's end of its cable `number`, from 0, to other switches.
model::PortKey cable_at(const Graph& graph, SwitchIndex sw, std::size_t number) {
  return {graph.guid(sw), graph.arcs_of(sw)[number].exit};
}

ForwardingTables routed(const Fabric& fabric, const Graph& graph,
                        const Availability& availability) {
  Workers workers(1);
  const auto computed =
      compute_routes(fabric, graph, *recognise(fabric, graph), availability, {}, workers);
  if (!computed) throw std::runtime_error(computed.error().message());
  EXPECT_TRUE(computed->verdict.good());
  return computed->routes.tables;
}

ForwardingTables routed(const Fabric& fabric) {
  const Graph graph = graph_of(fabric);
  return routed(fabric, graph, with_rates(fabric, graph, Availability(graph)));
}

/// Of the destinations elsewhere, how many a switch sends by each port.
std::vector<std::size_t> by_port(const Graph& graph, const ForwardingTables& tables,
                                 SwitchIndex sw) {
  std::vector<std::size_t> count(graph.port_count(sw) + std::size_t{1});
  for (const Destination& to : graph.destinations()) {
    if (to.terminal && to.at != sw) ++count[tables.row(sw)[to.lid.value()]];
  }
  return count;
}

std::vector<unsigned> capacities(const Graph& graph, const Availability& availability,
                                 SwitchIndex sw) {
  std::vector<unsigned> percent;
  for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
    percent.push_back(availability.capacity(ArcIndex{graph.first_arc(sw).value() + i}).value);
  }
  return percent;
}

TEST(RatedCapacityTest, AFabricOfOneRateIsAsBefore) {
  for (const Fabric& plain : {support::ft3_k8(), support::df_a4h2p2(), support::dfp_g3(),
                              support::hybrid_two_homed(), support::torus({4, 4}, 1)}) {
    const Graph graph = graph_of(support::assign_lids(plain));
    EXPECT_TRUE(sibling_rates(plain, graph).empty());
    EXPECT_EQ(with_rates(plain, graph, Availability(graph)), Availability(graph));
  }
}

TEST(RatedCapacityTest, LevelsMayDifferInRateAsLongAsSiblingsDoNot) {
  Fabric fabric = support::assign_lids(support::ft3_k4());
  const auto levels = model::switch_levels(fabric);
  const Graph graph = graph_of(fabric);
  for (const Arc& arc : graph.arcs()) {
    if (levels[arc.from.value()] == 1 && levels[arc.to.value()] == 2) {
      fabric = with_rate(fabric, {graph.guid(arc.from), arc.exit}, "4xEDR");
    }
  }
  EXPECT_TRUE(sibling_rates(fabric, graph).empty());
}

TEST(RatedCapacityTest, ACableAtHalfRateTakesAboutHalfOfTheDestinationsOfItsSiblings) {
  const Fabric whole = wide_tree();
  const Graph graph = graph_of(whole);
  const SwitchIndex leaf = leaf_of(graph);
  const model::PortKey slow = cable_at(graph, leaf, 4);
  const Fabric fabric = with_rate(whole, slow, "2xHDR");
  const std::vector<std::size_t> before = by_port(graph, routed(whole), leaf);
  const std::vector<std::size_t> after = by_port(graph, routed(fabric), leaf);
  ASSERT_EQ(before[slow.port.value()], 35U);
  EXPECT_GE(after[slow.port.value()], 12U);
  EXPECT_LE(after[slow.port.value()], 23U);
  for (const Arc& arc : graph.arcs_of(leaf)) {
    if (arc.exit == slow.port) continue;
    EXPECT_GE(after[arc.exit.value()], before[arc.exit.value()]);
    EXPECT_LE(after[arc.exit.value()], before[arc.exit.value()] + 6U) << "what is left is spread";
  }
}

TEST(RatedCapacityTest, ACableAtHalfRateMovesNothingOnOtherLeaves) {
  const Fabric whole = wide_tree();
  const Graph graph = graph_of(whole);
  const SwitchIndex leaf = leaf_of(graph);
  const ForwardingTables before = routed(whole);
  const ForwardingTables after = routed(with_rate(whole, cable_at(graph, leaf, 4), "2xHDR"));
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const bool same = std::ranges::equal(before.row(SwitchIndex{s}), after.row(SwitchIndex{s}));
    EXPECT_EQ(same, SwitchIndex{s} != leaf) << graph.guid(SwitchIndex{s}).value();
  }
}

TEST(RatedCapacityTest, UplinksThatAreAllSlowMoveNoDestinationOffItsSlot) {
  const Fabric whole = wide_tree();
  const Graph graph = graph_of(whole);
  const SwitchIndex leaf = leaf_of(graph);
  Fabric fabric = whole;
  for (std::size_t i = 0; i < graph.arcs_of(leaf).size(); ++i) {
    fabric = with_rate(fabric, cable_at(graph, leaf, i), "4xEDR");
  }
  EXPECT_TRUE(sibling_rates(fabric, graph).empty());
  EXPECT_EQ(routed(fabric), routed(whole));
}

TEST(RatedCapacityTest, WhatTheOperatorSaysOfACableHolds) {
  const Fabric fabric = support::assign_lids(support::ft3_k8());
  const Graph graph = graph_of(fabric);
  const SwitchIndex leaf = leaf_of(graph);
  const Fabric slow = with_rate(with_rate(fabric, cable_at(graph, leaf, 1), "4xEDR"),
                                cable_at(graph, leaf, 2), "4xQDR");
  Availability said(graph);
  said.set_capacity(graph, graph.first_arc(leaf), {0});
  said.set_capacity(graph, ArcIndex{graph.first_arc(leaf).value() + 1}, {80});
  EXPECT_THAT(capacities(graph, with_rates(slow, graph, said), leaf),
              testing::ElementsAre(0, 80, 16, 100));
}

TEST(RatedCapacityTest, AFaultOfTheFastestDoesNotChangeWhatOthersAreWorth) {
  const Fabric fabric = support::assign_lids(support::ft3_k8());
  const Graph graph = graph_of(fabric);
  const SwitchIndex leaf = leaf_of(graph);
  Fabric slow = fabric;
  for (std::size_t i = 1; i < 4; ++i) slow = with_rate(slow, cable_at(graph, leaf, i), "2xHDR");
  Availability down(graph);
  down.take_down(graph, graph.first_arc(leaf));
  EXPECT_THAT(capacities(graph, with_rates(slow, graph, down), leaf),
              testing::ElementsAre(100, 50, 50, 50));
}

TEST(RatedCapacityTest, GlobalCablesOfADragonflyAreNoSlowSiblingsOfLocalOnes) {
  const Fabric whole = support::assign_lids(support::df_a4h2p2());
  const Graph graph = graph_of(whole);
  const Structure structure = *recognise(whole, graph);
  Fabric fabric = whole;
  for (const Arc& arc : graph.arcs()) {
    if (structure.pod[arc.from.value()] != structure.pod[arc.to.value()]) {
      fabric = with_rate(fabric, {graph.guid(arc.from), arc.exit}, "4xEDR");
    }
  }
  EXPECT_TRUE(sibling_rates(fabric, graph).empty());
  const SwitchIndex router = leaf_of(graph);
  const auto arcs = graph.arcs_of(router);
  const auto local = std::ranges::find_if(arcs, [&](const Arc& arc) {
    return structure.pod[arc.to.value()] == structure.pod[router.value()];
  });
  const ArcIndex cable{graph.first_arc(router).value() +
                       static_cast<std::uint32_t>(local - arcs.begin())};
  const Fabric slow = with_rate(whole, {graph.guid(router), local->exit}, "2xHDR");
  const Availability rated = with_rates(slow, graph, Availability(graph));
  EXPECT_EQ(rated.capacity(cable), CapacityPercent{50});
  EXPECT_EQ(rated.capacity(graph.arc(cable).reverse), CapacityPercent{50});
}

TEST(RatedCapacityTest, ACableOfUnknownRateIsNotJudged) {
  const Fabric fabric = support::assign_lids(support::ft3_k8());
  const Graph graph = graph_of(fabric);
  EXPECT_TRUE(sibling_rates(with_rate(fabric, cable_at(graph, leaf_of(graph), 0), "unknown"), graph)
                  .empty());
}

TEST(RatedCapacityTest, TheScoreSeesTheLowerRate) {
  const Fabric whole = support::assign_lids(support::ft3_k8());
  const Graph graph = graph_of(whole);
  const ForwardingTables tables = support::d_mod_k_tables(graph);
  const Fabric fabric = with_rate(whole, cable_at(graph, leaf_of(graph), 0), "2xHDR");
  Workers workers(1);
  const auto score = [&](const Fabric& of) {
    return score_routes(graph, with_rates(of, graph, Availability(graph)), tables,
                        {.permutations = 50}, workers);
  };
  EXPECT_EQ(score(whole).shift_max, 1U);
  EXPECT_EQ(score(fabric).shift_max, 2U) << "one flow on half a cable";
  EXPECT_LT(score(fabric).bisection_bandwidth_ratio, score(whole).bisection_bandwidth_ratio);
  EXPECT_EQ(score(fabric).routes_per_arc_max, score(whole).routes_per_arc_max);
}

TEST(RatedCapacityTest, AChannelCarriesItsRateWhateverItIsWorthToRoutes) {
  const Fabric whole = support::assign_lids(support::ft3_k8());
  const Graph graph = graph_of(whole);
  const ArcIndex cable = graph.first_arc(leaf_of(graph));
  const Fabric fabric = with_rate(whole, cable_at(graph, leaf_of(graph), 0), "4xFDR");
  const auto capacity = [&](std::optional<CapacityPercent> said) {
    Availability availability(graph);
    if (said) availability.set_capacity(graph, cable, *said);
    return channel_capacities(fabric, graph, with_rates(fabric, graph, std::move(availability)),
                              BitsPerSecond(1))[cable.value()];
  };
  const BitsPerSecond rate = *model::data_rate(model::parse_link_rate("4xFDR"));
  EXPECT_EQ(capacity(std::nullopt), rate);
  EXPECT_EQ(capacity(CapacityPercent{90}), rate) << "no more than the cable has";
  EXPECT_EQ(capacity(CapacityPercent{0}), rate) << "a drain throttles nothing";
  EXPECT_EQ(capacity(CapacityPercent{10}), BitsPerSecond(20'000'000'000)) << "of 200 Gb/s";
}

}  // namespace
}  // namespace heddle::routing
