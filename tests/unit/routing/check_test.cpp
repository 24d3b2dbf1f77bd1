#include "routing/check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/simple_routers.hpp"
#include "support/slow_check.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using support::graph_of;
using support::SplitMix64;

Verdict judge(const Graph& graph, const Availability& availability, const ForwardingTables& tables,
              const Lanes& lanes = {}, std::size_t threads = 2) {
  Workers workers(threads);
  return check_routes(graph, availability, tables, lanes, {}, workers);
}

/// Everything about a verdict, for comparison.
std::string text_of(const Verdict& verdict) {
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {}", verdict.pairs, verdict.unconnected,
                                 verdict.unreachable, verdict.looping, verdict.longer_than_shortest,
                                 verdict.extra_hops, verdict.longest_hops,
                                 verdict.own_lids_sent_away, verdict.lanes_used);
  if (verdict.first_bad) {
    text += fmt::format(" bad {}>{}", verdict.first_bad->source, verdict.first_bad->destination);
  }
  for (const ChannelLane& held : verdict.cycle) text += fmt::format(" {}.{}", held.arc, held.vl);
  return text;
}

/// Whether each channel ends where the next begins and the last leads back to the first.
bool closes(const Graph& graph, const std::vector<ChannelLane>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Arc& next = graph.arc(cycle[(i + 1) % cycle.size()].arc);
    if (graph.arc(cycle[i].arc).to != next.from) return false;
  }
  return true;
}

std::vector<model::Fabric> small_fabrics() {
  return {support::assign_lids(support::ft2_k4()),
          support::assign_lids(support::ft3_k4(), 1),
          support::assign_lids(support::df_a4h2p2()),
          support::assign_lids(support::dfp_g3()),
          support::assign_lids(support::hybrid_two_homed()),
          support::torus({3, 4}, 2),
          support::two_stars(3, 2)};
}

Lanes random_lanes(const Graph& graph, SplitMix64& random) {
  Lanes lanes{.levels = PathLevels(graph.switch_count(), graph.top_lid()), .maps = LaneMaps(graph)};
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (const Destination& destination : graph.destinations()) {
      lanes.levels.set(sw, destination.lid, Sl{static_cast<std::uint8_t>(random.below(3))});
    }
    for (std::uint8_t in = 1; in <= graph.port_count(sw); ++in) {
      model::SlToVl mapping{};
      for (std::uint8_t& vl : mapping) vl = static_cast<std::uint8_t>(random.below(4));
      const auto out = static_cast<std::uint8_t>(1 + random.below(graph.port_count(sw)));
      lanes.maps.set(sw, PortNum{in}, PortNum{out}, mapping);
    }
  }
  return lanes;
}

TEST(CheckTest, AgreesWithTheObviousCheckOnTablesSpoiltByChance) {
  const std::uint64_t seed = support::seed_or(1);
  for (std::uint32_t round = 0; round < 70; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", seed, round));
    SplitMix64 random(seed * 1000 + round);
    const std::vector<model::Fabric> fabrics = small_fabrics();
    const Graph graph = graph_of(fabrics[round % fabrics.size()]);
    Availability availability(graph);
    if (round % 3 == 1) {
      availability.take_down(SwitchIndex{random.below(4)});
      availability.take_down(
          graph, ArcIndex{random.below(static_cast<std::uint32_t>(graph.arcs().size()))});
      availability.take_down(TerminalIndex{random.below(4)});
    }
    ForwardingTables tables = support::shortest_tables(graph, availability);
    for (std::uint32_t spoilt = random.below(12); spoilt > 0; --spoilt) {
      const SwitchIndex sw{random.below(static_cast<std::uint32_t>(graph.switch_count()))};
      const Destination& destination = graph.destinations()[random.below(
          static_cast<std::uint32_t>(graph.destinations().size()))];
      tables.row(sw)[destination.lid.value()] =
          static_cast<std::uint8_t>(random.below(graph.port_count(sw) + 2U));
    }
    const Lanes lanes = round % 2 == 0 ? Lanes{} : random_lanes(graph, random);
    const Verdict fast = judge(graph, availability, tables, lanes);
    const support::SlowVerdict slow = support::slow_check(graph, availability, tables, lanes);
    EXPECT_EQ(fast.pairs, slow.pairs);
    EXPECT_TRUE(closes(graph, fast.cycle));
    // The slow check counts what cannot be connected before it walks, and wants LIDs kept by their
    // own switch.
    if (fast.own_lids_sent_away == 0) {
      EXPECT_EQ(fast.cycle.empty(), !slow.cyclic);
      EXPECT_EQ(fast.unconnected + fast.unreachable + fast.looping,
                slow.unconnected + slow.unreachable + slow.looping);
      EXPECT_LE(fast.unconnected, slow.unconnected);
    }
    // First and last cables are in a lane as well.
    EXPECT_EQ(slow.lanes_used & ~fast.lanes_used, 0);
  }
}

TEST(CheckTest, TheVerdictIsTheSameWhateverTheNumberOfThreads) {
  for (const model::Fabric& fabric : small_fabrics()) {
    const Graph graph = graph_of(fabric);
    const Availability all(graph);
    SplitMix64 random(7);
    ForwardingTables tables = support::shortest_tables(graph, all);
    for (std::uint32_t i = 0; i < 5; ++i) {
      tables.row(SwitchIndex{i % 2})[1 + random.below(8)] = 3;
    }
    const Lanes lanes = random_lanes(graph, random);
    const std::string one = text_of(judge(graph, all, tables, lanes, 1));
    for (const std::size_t threads : {2U, 3U, 8U}) {
      EXPECT_EQ(text_of(judge(graph, all, tables, lanes, threads)), one);
    }
  }
}

TEST(CheckTest, ARingThatTurnsOneWayIsRefusedWithTheRingAsWitness) {
  // Switch i: a host on port 1, the next switch and the one before on 2 and 3.
  const Graph graph = graph_of(support::torus({5}, 1));
  ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  for (std::uint32_t s = 0; s < 5; ++s) {
    for (const Destination& destination : graph.destinations()) {
      for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
        if (arc.to.value() == (s + 1) % 5 && destination.at.value() != s) {
          tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
        }
      }
    }
  }
  const Verdict verdict = judge(graph, Availability(graph), tables);
  EXPECT_EQ(verdict.unreachable + verdict.looping, 0U);
  EXPECT_FALSE(verdict.good());
  EXPECT_EQ(verdict.longest_hops, 6U);
  ASSERT_EQ(verdict.cycle.size(), 5U);
  EXPECT_TRUE(closes(graph, verdict.cycle));
  EXPECT_EQ(graph.arc(verdict.cycle.front().arc).from, SwitchIndex{0U});
}

TEST(CheckTest, NamesTheFirstBadPairByTerminalThenLid) {
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  const Terminal& last = graph.terminals().back();
  const Terminal& other = graph.terminals()[graph.terminals().size() - 2];
  for (const Terminal* lost : {&last, &other}) {
    tables.row(graph.terminals().front().leaf)[lost->lid->value()] = ForwardingTables::kNoPort;
  }
  const Verdict verdict = judge(graph, Availability(graph), tables);
  EXPECT_EQ(verdict.unreachable, 4U);
  ASSERT_TRUE(verdict.first_bad);
  EXPECT_EQ(verdict.first_bad->source, TerminalIndex{0U});
  EXPECT_EQ(verdict.first_bad->destination, std::min(*last.lid, *other.lid));
}

TEST(CheckTest, ASwitchThatSendsItsOwnLidAwayIsNotGood) {
  const Graph graph = graph_of(support::assign_lids(support::two_switches()));
  ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  tables.row(SwitchIndex{1U})[graph.lid(SwitchIndex{1U})->value()] = 3;
  const Verdict verdict = judge(graph, Availability(graph), tables);
  EXPECT_EQ(verdict.unreachable, 0U);
  EXPECT_EQ(verdict.own_lids_sent_away, 1U);
  EXPECT_FALSE(verdict.good());
  Workers workers(1);
  EXPECT_TRUE(
      check_routes(graph, Availability(graph), tables, Lanes{}, {.switch_lids = false}, workers)
          .good());
}

TEST(CheckTest, DataInTheLaneOfManagementIsNotGood) {
  const Graph graph = graph_of(support::assign_lids(support::two_switches()));
  const ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  Lanes lanes{.levels = PathLevels(graph.switch_count(), graph.top_lid()), .maps = {}};
  lanes.levels.set(SwitchIndex{0U}, graph.top_lid(), Sl{std::uint8_t{15}});
  const Verdict verdict = judge(graph, Availability(graph), tables, lanes);
  EXPECT_TRUE(verdict.uses_management_lane());
  EXPECT_FALSE(verdict.good());
}

TEST(CheckTest, EmptyAndShortTablesDeliverNothing) {
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  const Verdict none = judge(graph, Availability(graph), ForwardingTables{});
  EXPECT_EQ(none.unreachable, none.pairs - 8);  // hosts reach their own leaf without an entry
  const ForwardingTables shorter(graph.switch_count(), Lid{std::uint16_t{2}});
  EXPECT_EQ(judge(graph, Availability(graph), shorter).unreachable, none.unreachable);
}

TEST(CheckTest, TablesOfTheTextbookAreGoodOnAThreeLevelTree) {
  const Graph graph = graph_of(support::assign_lids(support::ft3_k8()));
  Workers workers(2);
  const Verdict verdict = check_routes(graph, Availability(graph), support::d_mod_k_tables(graph),
                                       Lanes{}, {.switch_lids = false}, workers);
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.pairs, 128U * 127);
  EXPECT_EQ(verdict.longest_hops, 6U);
  EXPECT_EQ(verdict.longer_than_shortest, 0U);
}

}  // namespace
}  // namespace heddle::routing
