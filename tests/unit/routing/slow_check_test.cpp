#include "support/slow_check.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "simulation/fabric_maker.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using support::slow_check;
using support::SlowVerdict;

Graph graph_of(const model::Fabric& fabric) {
  model::Result<Graph> graph = Graph::from(fabric);
  if (!graph) throw std::runtime_error(graph.error().message());
  return std::move(*graph);
}

/// Switch i: a host on port 1, the next switch on port 2, the one before on port 3.
Graph ring(std::uint64_t switches) {
  simulation::FabricMaker maker({.fabric_name = "ring"});
  for (std::uint64_t i = 0; i < switches; ++i) {
    maker.add_switch(maker.switch_guid(0, i), 3, "ring");
    maker.add_host(i, 1);
    maker.cable(maker.host_guid(i), 1, maker.switch_guid(0, i), 1);
  }
  for (std::uint64_t i = 0; i < switches; ++i) {
    maker.cable(maker.switch_guid(0, i), 2, maker.switch_guid(0, (i + 1) % switches), 3);
  }
  return graph_of(support::assign_lids(std::move(maker).build()));
}

/// Everything clockwise.
ForwardingTables clockwise(const Graph& graph) {
  ForwardingTables tables(graph.switch_count(), graph.top_lid());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const Destination& destination : graph.destinations()) {
      std::uint8_t& entry = tables.row(SwitchIndex{s})[destination.lid.value()];
      if (destination.at.value() != s) {
        entry = 2;
      } else {
        entry = destination.terminal ? 1 : 0;
      }
    }
  }
  return tables;
}

TEST(SlowCheckTest, ARingThatTurnsOneWayIsDeliveredAndCyclic) {
  const Graph graph = ring(4);
  const SlowVerdict verdict = slow_check(graph, Availability(graph), clockwise(graph), Lanes{});
  EXPECT_EQ(verdict.pairs, 4U * 3 + 4 * 4);
  EXPECT_EQ(verdict.unreachable + verdict.looping + verdict.unconnected, 0U);
  EXPECT_EQ(verdict.longest_hops, 5U);
  EXPECT_EQ(verdict.longer_than_shortest, 4U * 2);  // three steps on where one back would do
  EXPECT_EQ(verdict.extra_hops, 4U * 2 * 2);
  EXPECT_EQ(verdict.lanes_used, 1U);
  EXPECT_TRUE(verdict.cyclic);
  EXPECT_FALSE(verdict.good());
}

TEST(SlowCheckTest, ALaneThatChangesWithTheWayInBreaksAShortRing) {
  const Graph graph = ring(3);
  // No path takes more than two cables of the ring: the second goes in lane 1.
  Lanes lanes{.levels = {}, .maps = LaneMaps(graph)};
  model::SlToVl one{};
  one.fill(1);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    lanes.maps.set(SwitchIndex{s}, PortNum{std::uint8_t{3}}, PortNum{std::uint8_t{2}}, one);
  }
  EXPECT_TRUE(slow_check(graph, Availability(graph), clockwise(graph), Lanes{}).cyclic);
  const SlowVerdict verdict = slow_check(graph, Availability(graph), clockwise(graph), lanes);
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.lanes_used, 3U);
}

TEST(SlowCheckTest, PathsOfOneServiceLevelEachAreKeptApart) {
  const Graph graph = ring(3);
  Lanes lanes{.levels = PathLevels(graph.switch_count(), graph.top_lid()), .maps = {}};
  for (const Destination& destination : graph.destinations()) {
    lanes.levels.set(SwitchIndex{2U}, destination.lid, Sl{std::uint8_t{1}});
  }
  const SlowVerdict verdict = slow_check(graph, Availability(graph), clockwise(graph), lanes);
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.lanes_used, 3U);
}

TEST(SlowCheckTest, WhatIsLostLoopsOrIsCutOffIsCountedApart) {
  const Graph graph = ring(4);
  ForwardingTables tables = clockwise(graph);
  const Terminal& first = graph.terminals().front();
  tables.row(SwitchIndex{3U})[first.lid->value()] = ForwardingTables::kNoPort;
  EXPECT_EQ(slow_check(graph, Availability(graph), tables, Lanes{}).unreachable, 3U);
  tables.row(SwitchIndex{3U})[first.lid->value()] = 3;  // back to where it came from
  EXPECT_EQ(slow_check(graph, Availability(graph), tables, Lanes{}).looping, 3U);
  Availability apart(graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    if (graph.arc(ArcIndex{a}).from == SwitchIndex{0U}) apart.take_down(graph, ArcIndex{a});
  }
  const SlowVerdict verdict = slow_check(graph, apart, clockwise(graph), Lanes{});
  EXPECT_EQ(verdict.unconnected, 6U + 6);  // to and from host and switch 0
  // Round switch 0 no clockwise path leads any more.
  EXPECT_EQ(verdict.unreachable, 2U + 2 + 2);
}

}  // namespace
}  // namespace heddle::routing
