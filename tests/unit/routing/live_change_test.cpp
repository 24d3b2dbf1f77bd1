#include "routing/live_change.hpp"

#include <gmock/gmock.h>

#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/simple_routers.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A generated fabric that is routed whole, then with something away.
struct Running {
  explicit Running(const std::string& shape)
      : fabric(
            support::assign_lids(*simulation::make_pgft(*simulation::parse_pgft_shape(shape), {}))),
        graph(support::graph_of(fabric)),
        structure(*recognise(fabric, graph)) {}

  [[nodiscard]] Routes routes(const Availability& availability) {
    return compute_routes(fabric, graph, structure, availability, {}, workers)->routes;
  }
  LiveChange change(const Routes& before, const Availability& now, Routes& after) {
    const LevelSets levels(before.lanes.levels);
    return make_live(graph, now, {before.tables, levels, before.lanes.maps},
                     RiskOfDeadlock::kRefuse, after, workers);
  }

  model::Fabric fabric;
  Graph graph;
  Structure structure;
  Workers workers{2};
};

/// The tables with what is cleared first gone.
ForwardingTables cleared(const ForwardingTables& tables, const LiveChange& change) {
  for (const ChangedEntry& entry : change.clear_first) {
    EXPECT_EQ(tables.row(entry.sw)[entry.lid.value()], entry.before);
  }
  return without(tables, change.clear_first);
}

/// What make_live() promises, found out by the two proofs that it rests on.
void expect_safe(Running& running, const Availability& now, const Routes& before,
                 const Routes& after, const LiveChange& change) {
  const LevelSets old(before.lanes.levels);
  const LevelSets levels(after.lanes.levels);
  const LevelSets both =
      levels_in_use(running.graph, {before.tables, old, before.lanes.maps}, levels);
  EXPECT_THAT(
      check_routes(running.graph, now, after.tables, both, after.lanes.maps, {}, running.workers)
          .cycle,
      IsEmpty())
      << "open connections on the new entries";
  const ForwardingTables first = cleared(before.tables, change);
  const TransitionVerdict verdict =
      check_transition(running.graph, now, {first, old, before.lanes.maps},
                       {after.tables, levels, after.lanes.maps}, {}, running.workers);
  EXPECT_TRUE(verdict.good()) << "entries in transit";
}

TEST(LiveChangeTest, NothingIsToBeDoneWhereNothingChanges) {
  Running running("2,2,4:1,2,2:1,1,1");
  const Availability all(running.graph);
  const Routes before = running.routes(all);
  Routes after = before;
  const LiveChange change = running.change(before, all, after);
  EXPECT_THAT(change.levels, IsEmpty());
  EXPECT_THAT(change.withheld, IsEmpty());
  EXPECT_THAT(change.clear_first, IsEmpty());
  EXPECT_TRUE(change.transition.good());
  EXPECT_EQ(after.tables, before.tables);
}

TEST(LiveChangeTest, DetoursThatWouldLoopWithOldEntriesInTransitAreWrittenInASecondRound) {
  // A cable between leaf and spine goes: the spine answers the leaf's hosts by another leaf, whose
  // old entries for them lead back to the spine.
  Running running("4,4,8:1,4,4:1,1,1");
  const Routes before = running.routes(Availability(running.graph));
  Availability cut(running.graph);
  const SwitchIndex leaf = running.structure.leaf_order.front();
  cut.take_down(running.graph, running.graph.first_arc(leaf));
  Routes after = running.routes(cut);
  const LevelSets old(before.lanes.levels);
  const LevelSets levels(after.lanes.levels);
  const TransitionVerdict at_once =
      check_transition(running.graph, cut, {before.tables, old, before.lanes.maps},
                       {after.tables, levels, after.lanes.maps}, {}, running.workers);
  ASSERT_THAT(at_once.looping, Not(IsEmpty())) << "else this fabric shows nothing";
  const LiveChange change = running.change(before, cut, after);
  EXPECT_THAT(change.clear_first, Not(IsEmpty()));
  EXPECT_TRUE(change.transition.good());
  expect_safe(running, cut, before, after, change);
  for (const ChangedEntry& entry : change.clear_first) {
    EXPECT_EQ(entry.after, ForwardingTables::kNoPort);
    EXPECT_TRUE(std::ranges::binary_search(at_once.looping, entry.lid)) << "nothing but these";
  }
}

TEST(LiveChangeTest, PairsThatNeedANewLevelAreMarked) {
  Running running("4,4,8:1,4,4:1,1,1");
  const Routes before = running.routes(Availability(running.graph));
  Availability cut(running.graph);
  const SwitchIndex leaf = running.structure.leaf_order.front();
  const Arc& cable = running.graph.arc(running.graph.first_arc(leaf));
  cut.take_down(running.graph, running.graph.first_arc(leaf));
  Routes after = running.routes(cut);
  const LiveChange change = running.change(before, cut, after);
  const auto marked = [&](SwitchIndex source, Lid to) {
    return std::ranges::any_of(change.levels, [&](const LevelChange& pair) {
      return pair.source == source && pair.destination == to && pair.before == 1 && pair.after == 2;
    });
  };
  EXPECT_TRUE(marked(leaf, *running.graph.lid(cable.to))) << "the spine that it lost";
  for (const LevelChange& pair : change.levels) {
    EXPECT_FALSE(running.graph.find(pair.destination)->terminal)
        << "hosts keep their lane after one cut";
  }
}

TEST(LiveChangeTest, RandomFaultsOneAfterAnotherAreSafeInTransitAndGiveNoHostPairUp) {
  support::SplitMix64 random(support::seed_or(1));
  for (const char* const shape : {"2,2,4:1,2,2:1,1,1", "4,4:1,2:1,2", "4,4,4:1,4,2:1,1,2"}) {
    Running running(shape);
    Availability now(running.graph);
    Routes before = running.routes(now);
    for (int fault = 0; fault < 8; ++fault) {
      const ArcIndex arc{random.below(static_cast<std::uint32_t>(running.graph.arcs().size()))};
      if (random.below(3) == 0) {
        now.bring_back(running.graph, arc);
      } else {
        now.take_down(running.graph, arc);
      }
      Routes after = running.routes(now);
      const LiveChange change = running.change(before, now, after);
      SCOPED_TRACE(testing::Message() << shape << " fault " << fault);
      expect_safe(running, now, before, after, change);
      for (const Undelivered& pair : change.withheld) {
        EXPECT_EQ(after.tables.row(pair.source)[pair.destination.value()],
                  ForwardingTables::kNoPort);
        EXPECT_THAT(after.undelivered,
                    testing::Contains(testing::AllOf(
                        testing::Field(&Undelivered::source, pair.source),
                        testing::Field(&Undelivered::destination, pair.destination))));
      }
      before = std::move(after);
    }
  }
}

/// A ring of three switches on which everything goes one way, acyclic on level 1 alone.
struct OneWayRing {
  OneWayRing() : graph(support::graph_of(support::torus({3}, 1))) {
    const Availability all(graph);
    before = support::shortest_tables(graph, all);
    after.tables = before;
    after.lanes = {PathLevels(graph.switch_count(), graph.top_lid()), LaneMaps(graph)};
    model::SlToVl raised{};
    raised[1] = 1;
    for (std::uint32_t s = 0; s < 3; ++s) {
      const SwitchIndex sw{s};
      for (const Destination& destination : graph.destinations()) {
        if (destination.at == sw) continue;
        for (const Arc& arc : graph.arcs_of(sw)) {
          if (arc.to.value() != (s + 1) % 3) continue;
          after.tables.row(sw)[destination.lid.value()] = arc.exit.value();
        }
        after.lanes.levels.set(sw, destination.lid, Sl{std::uint8_t{1}});
      }
      for (const Arc& out : graph.arcs_of(sw)) {
        after.lanes.maps.set(sw, PortNum{std::uint8_t{1}}, out.exit, model::SlToVl{});
        for (const Arc& in : graph.arcs()) {
          if (in.to == sw) after.lanes.maps.set(sw, in.entry, out.exit, raised);
        }
      }
    }
  }

  LiveChange change(RiskOfDeadlock risk) {
    const LevelSets zero;
    return make_live(graph, Availability(graph), {before, zero, after.lanes.maps}, risk, after,
                     workers);
  }

  Graph graph;
  ForwardingTables before;
  Routes after;
  Workers workers{1};
};

TEST(LiveChangeTest, WhatOpenConnectionsCouldDeadlockOnIsWithheldAndCounted) {
  OneWayRing ring;
  const LiveChange change = ring.change(RiskOfDeadlock::kRefuse);
  EXPECT_THAT(change.withheld, Not(IsEmpty()));
  EXPECT_THAT(ring.after.undelivered, SizeIs(change.withheld.size()));
  EXPECT_TRUE(change.transition.good());
  for (const Undelivered& pair : change.withheld) {
    EXPECT_EQ(ring.after.tables.row(pair.source)[pair.destination.value()],
              ForwardingTables::kNoPort);
    EXPECT_EQ(ring.after.lanes.levels.sl(pair.source, pair.destination), Sl{});
  }
}

TEST(LiveChangeTest, WhoAcceptsTheRiskGetsAllEntriesAndIsTold) {
  OneWayRing ring;
  const ForwardingTables computed = ring.after.tables;
  const LiveChange change = ring.change(RiskOfDeadlock::kAccept);
  EXPECT_THAT(change.withheld, IsEmpty());
  EXPECT_EQ(ring.after.tables, computed);
  EXPECT_FALSE(change.transition.good());
  EXPECT_THAT(change.transition.settled_cycle, Not(IsEmpty()));
}

}  // namespace
}  // namespace heddle::routing
