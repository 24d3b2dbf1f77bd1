#include "routing/transition.hpp"

#include <gmock/gmock.h>

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
using support::graph_of;

TransitionVerdict change(const Graph& graph, const RoutingState& before, const RoutingState& after,
                         std::size_t threads = 2) {
  Workers workers(threads);
  return check_transition(graph, Availability(graph), before, after, {}, workers);
}

TransitionVerdict change(const Graph& graph, const ForwardingTables& before,
                         const ForwardingTables& after) {
  const LevelSets levels;
  const LaneMaps maps;
  return change(graph, {before, levels, maps}, {after, levels, maps});
}

/// Switch i of a ring of `n` has a host on port 1, switches i + 1 and i - 1 on the two others:
/// everything the shorter way round, half the ring away by `forward`.
ForwardingTables around(const Graph& graph, bool forward) {
  ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  const auto n = static_cast<std::uint32_t>(graph.switch_count());
  for (std::uint32_t s = 0; s < n; ++s) {
    for (const Destination& destination : graph.destinations()) {
      const std::uint32_t ahead = (destination.at.value() + n - s) % n;
      if (ahead == 0) continue;
      for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
        const bool onward = arc.to.value() == (s + 1) % n;
        if (onward == forward)
          tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
      }
    }
  }
  return tables;
}

TEST(TransitionTest, TablesThatStayAsTheyAreAreSafeIfTheyAreGood) {
  for (const model::Fabric& fabric : {support::ft3_k4(), support::hybrid_two_homed()}) {
    const Graph graph = graph_of(support::assign_lids(fabric));
    const ForwardingTables tables =
        support::route_by_levels(graph, Availability(graph), support::tree_levels(graph));
    EXPECT_TRUE(change(graph, tables, tables).good());
  }
}

TEST(TransitionTest, EntriesThatPointAtEachOtherInTransitAreALoop) {
  // leaf 0 and leaf 1 of a ring of 3: before, forward; after, back.
  const Graph graph = graph_of(support::torus({3}, 1));
  const TransitionVerdict verdict = change(graph, around(graph, true), around(graph, false));
  EXPECT_EQ(verdict.looping.size(), graph.destinations().size());
  ASSERT_TRUE(verdict.first_loop);
  EXPECT_EQ(verdict.first_loop->destination, graph.destinations().front().lid);
  const std::vector<ArcIndex>& arcs = verdict.first_loop->arcs;
  ASSERT_GE(arcs.size(), 2U);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    EXPECT_EQ(graph.arc(arcs[i]).to, graph.arc(arcs[(i + 1) % arcs.size()]).from);
  }
  EXPECT_FALSE(verdict.cycle.empty());
  EXPECT_FALSE(verdict.good());
}

TEST(TransitionTest, OldAndNewPathsThatAreEachSafeMayDeadlockTogether) {
  // A ring of 4 where LIDs two switches on turn one way before and the other after: each half of
  // the ring's dependencies is there in one table, all of them in the mixture.
  const Graph graph = graph_of(support::torus({4}, 1));
  const ForwardingTables plain = support::shortest_tables(graph, Availability(graph));
  const auto with_turns = [&](std::vector<std::uint32_t> onward) {
    ForwardingTables tables = plain;
    for (const Destination& destination : graph.destinations()) {
      for (std::uint32_t s = 0; s < 4; ++s) {
        if ((destination.at.value() + 4 - s) % 4 != 2) continue;
        const bool forward = std::ranges::find(onward, s) != onward.end();
        for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
          if ((arc.to.value() == (s + 1) % 4) == forward) {
            tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
          }
        }
      }
    }
    return tables;
  };
  const ForwardingTables before = with_turns({0, 1});
  const ForwardingTables after = with_turns({2, 3});
  Workers workers(1);
  for (const ForwardingTables* const tables : {&before, &after}) {
    EXPECT_TRUE(check_routes(graph, Availability(graph), *tables, Lanes{}, {}, workers).good());
  }
  const TransitionVerdict verdict = change(graph, before, after);
  EXPECT_THAT(verdict.looping, testing::IsEmpty());
  EXPECT_EQ(verdict.cycle.size(), 4U);
  EXPECT_TRUE(verdict.settled_cycle.empty());
  EXPECT_FALSE(verdict.good());
}

TEST(TransitionTest, OpenConnectionsKeepTheirOldLevelOnTheNewEntries) {
  // A ring of 3 that turns one way needs the lane that its second step changes to. New connections
  // have SL 1, which the new mapping keeps apart; the open ones have SL 0, which it does not.
  const Graph graph = graph_of(support::torus({3}, 1));
  const ForwardingTables after = around(graph, true);
  const ForwardingTables before = support::shortest_tables(graph, Availability(graph));
  LaneMaps maps(graph);
  model::SlToVl mapping{};
  mapping[1] = 1;
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (const Arc& in : graph.arcs()) {
      for (const Arc& out : graph.arcs_of(SwitchIndex{s})) {
        if (in.to.value() == s) maps.set(SwitchIndex{s}, in.entry, out.exit, mapping);
      }
    }
    // The first step of level 1 is in lane 0.
    for (const Arc& out : graph.arcs_of(SwitchIndex{s})) {
      maps.set(SwitchIndex{s}, PortNum{std::uint8_t{1}}, out.exit, model::SlToVl{});
    }
  }
  PathLevels ones(graph.switch_count(), graph.top_lid());
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (const Destination& destination : graph.destinations()) {
      ones.set(SwitchIndex{s}, destination.lid, Sl{std::uint8_t{1}});
    }
  }
  const LevelSets new_levels(ones);
  const LevelSets old_levels;
  Workers workers(2);
  EXPECT_TRUE(
      check_routes(graph, Availability(graph), after, new_levels, maps, {}, workers).good());
  const TransitionVerdict verdict =
      change(graph, {before, old_levels, maps}, {after, new_levels, maps});
  EXPECT_FALSE(verdict.cycle.empty());
  EXPECT_FALSE(verdict.settled_cycle.empty());
  EXPECT_TRUE(change(graph, {after, new_levels, maps}, {after, new_levels, maps}).good());
}

TEST(TransitionTest, IsTheSameWhateverTheNumberOfThreads) {
  const Graph graph = graph_of(support::torus({4, 4}, 2));
  const ForwardingTables before = support::shortest_tables(graph, Availability(graph));
  ForwardingTables after = before;
  support::SplitMix64 random(3);
  for (std::uint32_t i = 0; i < 60; ++i) {
    const SwitchIndex sw{random.below(16)};
    after.row(sw)[1 + random.below(40)] = static_cast<std::uint8_t>(random.below(7));
  }
  const LevelSets levels;
  const LaneMaps maps;
  const auto run = [&](std::size_t threads) {
    return change(graph, {before, levels, maps}, {after, levels, maps}, threads);
  };
  const TransitionVerdict one = run(1);
  EXPECT_FALSE(one.looping.empty());
  for (const std::size_t threads : {2U, 7U}) {
    const TransitionVerdict several = run(threads);
    EXPECT_EQ(several.looping, one.looping);
    EXPECT_EQ(several.first_loop->destination, one.first_loop->destination);
    EXPECT_EQ(several.first_loop->arcs, one.first_loop->arcs);
    EXPECT_EQ(several.cycle, one.cycle);
  }
}

}  // namespace
}  // namespace heddle::routing
