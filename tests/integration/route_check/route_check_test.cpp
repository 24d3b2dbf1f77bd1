#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "judge.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/simple_routers.hpp"
#include "support/topologies.hpp"

namespace heddle::support {
namespace {

using discovery::PathLevel;
using model::Fabric;
using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::SlToVl;
using model::SlToVlTables;
using model::SwitchIndex;
using routing::Availability;
using routing::Destination;
using routing::Graph;

struct Named {
  const char* name;
  Fabric (*make)();
};
constexpr std::array kFabrics{Named{"two_switches", two_switches},
                              Named{"ft2_k4", ft2_k4},
                              Named{"ft2_k4_missing_uplink", ft2_k4_missing_uplink},
                              Named{"ft2_k8_parallel2", ft2_k8_parallel2},
                              Named{"ft3_k4", ft3_k4},
                              Named{"df_a4h2p2", df_a4h2p2},
                              Named{"df_one_global_down", df_one_global_down},
                              Named{"dfp_g3", dfp_g3},
                              Named{"hybrid_two_homed", hybrid_two_homed}};

/// Both judges count alike; what they counted.
Counts agreed(const Case& tried) {
  const Files files(tried);
  const Counts ours = files.ours().counts;
  EXPECT_EQ(files.outside().counts, ours);
  return ours;
}

ForwardingTables shortest(const Graph& graph) {
  return shortest_tables(graph, Availability(graph));
}

class WholeTables : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, WholeTables, testing::ValuesIn(kFabrics),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(WholeTables, AreJudgedAlikeWithAndWithoutSwitchLids) {
  const Fabric fabric = assign_lids(GetParam().make());
  const ForwardingTables tables = shortest(graph_of(fabric));
  const Counts all = agreed({.fabric = fabric, .tables = tables});
  EXPECT_EQ(all.unreachable + all.looping, 0U);
  EXPECT_GT(all.pairs, agreed({.fabric = fabric, .tables = tables, .switch_lids = false}).pairs);
}

TEST_P(WholeTables, OfSeveralLidsAPortAreJudgedAlike) {
  for (const std::uint8_t lmc : {std::uint8_t{1}, std::uint8_t{3}}) {
    const Fabric fabric = assign_lids(GetParam().make(), lmc);
    const ForwardingTables tables = shortest(graph_of(fabric));
    EXPECT_EQ(agreed({.fabric = fabric, .tables = tables}).unreachable, 0U);
  }
}

/// Spoils an entry: gone, or any port. At its own switch a LID keeps some entry: route_check knows
/// it from there.
void spoil(const Graph& graph, SplitMix64& random, ForwardingTables& tables) {
  const Destination& destination =
      graph.destinations()[random.below(static_cast<std::uint32_t>(graph.destinations().size()))];
  const SwitchIndex sw{random.below(static_cast<std::uint32_t>(graph.switch_count()))};
  std::uint8_t& entry = tables.row(sw)[destination.lid.value()];
  // Half of the ports of these fabrics have no cable, or one to another host.
  entry = random.below(4) == 0 && destination.at != sw
              ? ForwardingTables::kNoPort
              : static_cast<std::uint8_t>(random.below(graph.port_count(sw) + 1U));
}

TEST_P(WholeTables, WithSpoiltEntriesAreJudgedAlike) {
  const std::uint64_t seed = seed_or(1);
  Counts sum;
  for (std::uint32_t round = 0; round < 8; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", seed, round));
    SplitMix64 random(seed * 1000 + round);
    const Fabric fabric =
        assign_lids(GetParam().make(), static_cast<std::uint8_t>(random.below(2)));
    const Graph graph = graph_of(fabric);
    ForwardingTables tables = shortest(graph);
    for (std::uint32_t i = 0; i < 2U << round; ++i) spoil(graph, random, tables);
    const Counts counts =
        agreed({.fabric = fabric, .tables = tables, .switch_lids = random.below(2) == 0});
    sum.unreachable += counts.unreachable;
    sum.looping += counts.looping;
    sum.nonminimal_pairs += counts.nonminimal_pairs;
  }
  EXPECT_GT(sum.unreachable, 0U);
}

/// Levels of about two thirds of the pairs of LIDs.
std::vector<PathLevel> random_levels(const Graph& graph, SplitMix64& random) {
  std::vector<PathLevel> levels;
  for (const Destination& source : graph.destinations()) {
    if (!source.terminal || source.path != 0) continue;
    for (const Destination& destination : graph.destinations()) {
      if (random.below(3) == 0) continue;
      levels.push_back(
          {source.lid, destination.lid, model::Sl{static_cast<std::uint8_t>(random.below(4))}});
    }
  }
  return levels;
}

SlToVlTables random_maps(const Fabric& fabric, const Graph& graph, SplitMix64& random) {
  SlToVlTables maps;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (std::uint8_t in = 1; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t out = 1; out <= graph.port_count(sw); ++out) {
        if (random.below(2) == 0) continue;
        SlToVl mapping{};
        for (std::uint8_t& vl : mapping) vl = static_cast<std::uint8_t>(random.below(5));
        maps.set(fabric.node(fabric.node_of(sw)).guid, PortNum{in}, PortNum{out}, mapping);
      }
    }
  }
  return maps;
}

TEST_P(WholeTables, InLanesByChanceAreJudgedAlike) {
  const std::uint64_t seed = seed_or(1);
  for (std::uint32_t round = 0; round < 6; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", seed, round));
    SplitMix64 random(seed * 1000 + round);
    const Fabric fabric = assign_lids(GetParam().make(), round == 5 ? 1 : 0);
    const Graph graph = graph_of(fabric);
    ForwardingTables tables = shortest(graph);
    if (round > 2) {
      for (std::uint32_t i = 0; i < 10; ++i) spoil(graph, random, tables);
    }
    Case tried{.fabric = fabric, .tables = tables};
    if (round != 1) tried.levels = random_levels(graph, random);
    if (round != 0) tried.maps = random_maps(fabric, graph, random);
    EXPECT_GT(agreed(tried).virtual_lanes, 1U);
  }
}

TEST(OddTables, ALoopOfTwoSwitchesIsCountedAlike) {
  const Fabric fabric = assign_lids(two_switches());
  const Graph graph = graph_of(fabric);
  ForwardingTables tables = shortest(graph);
  const Lid lid = *graph.terminals().front().lid;
  tables.row(graph.terminals().front().leaf)[lid.value()] = 3;  // back over the only cable
  const Counts counts = agreed({.fabric = fabric, .tables = tables});
  EXPECT_EQ(counts.looping, 3U);
  EXPECT_TRUE(counts.dependency_cycle);
}

/// Everything clockwise on a ring: `hosts` hosts a switch on ports 1.., then on, then back.
ForwardingTables clockwise(const Graph& graph) {
  ForwardingTables tables = shortest(graph);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const Destination& destination : graph.destinations()) {
      if (destination.at.value() == s) continue;
      for (const routing::Arc& arc : graph.arcs_of(SwitchIndex{s})) {
        if (arc.to.value() != (s + 1) % graph.switch_count()) continue;
        tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
      }
    }
  }
  return tables;
}

TEST(OddTables, PathsLongerThanTheLimitAreCountedAlike) {
  for (const std::uint32_t switches : {62U, 63U, 64U, 65U, 70U}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
    for (std::uint32_t s = 0; s < switches; ++s) cables.emplace_back(s, (s + 1) % switches);
    const Fabric fabric = from_cables(switches, 1, cables);
    const Graph graph = graph_of(fabric);
    const Counts counts = agreed({.fabric = fabric, .tables = clockwise(graph)});
    EXPECT_EQ(counts.looping != 0, switches > 63) << switches;
    EXPECT_TRUE(counts.dependency_cycle);
  }
}

TEST(OddTables, ACycleBeyondTheLimitOfEveryWalkIsSeenByNeitherJudge) {
  // Packets to one LID run clockwise round a ring of 140 where only switches 0 to 2 send any: no
  // walk of at most 64 cables comes round.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (std::uint32_t s = 0; s < 140; ++s) cables.emplace_back(s, (s + 1) % 140);
  const Fabric fabric = from_cables(140, 1, cables);
  const Graph graph = graph_of(fabric);
  const ForwardingTables whole = clockwise(graph);
  ForwardingTables tables = whole;
  const Destination& lost = graph.destinations().front();
  for (const Destination& destination : graph.destinations()) {
    for (std::uint32_t s = 0; s < 140; ++s) {
      std::uint8_t& entry = tables.row(SwitchIndex{s})[destination.lid.value()];
      if (destination.lid == lost.lid) {
        // Nobody keeps what is for it, and from 3 to 70 nothing goes on.
        if (s > 2 && s < 70) entry = ForwardingTables::kNoPort;
      } else if (destination.at.value() != s) {
        entry = ForwardingTables::kNoPort;
      }
    }
  }
  const Counts counts = agreed({.fabric = fabric, .tables = tables});
  EXPECT_GT(counts.looping, 0U);
  EXPECT_FALSE(counts.dependency_cycle);
}

TEST(OddTables, PartsWithoutACableBetweenThemAreCountedAlike) {
  const Fabric fabric =
      assign_lids(without_cable(two_switches(), port_at(two_switches(), "leaf-0000", 3)));
  const Graph graph = graph_of(fabric);
  const Counts counts = agreed({.fabric = fabric, .tables = shortest(graph)});
  EXPECT_EQ(counts.unreachable, 4U * 2 + 4);  // hosts, and the other switch
}

TEST(Dragonflies, NeedTheLaneThatChangesAfterAGlobalCable) {
  const Fabric fabric = assign_lids(df_a4h2p2());
  const Graph graph = graph_of(fabric);
  const ForwardingTables tables = route_by_groups(graph, Availability(graph), 4);
  const routing::LaneMaps maps = lanes_by_groups(graph, 4);
  SlToVlTables texts;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (std::uint8_t in = 0; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t out = 0; out <= graph.port_count(sw); ++out) {
        const SlToVl* const mapping = maps.find(sw, PortNum{in}, PortNum{out});
        if (mapping != nullptr) texts.set(graph.guid(sw), PortNum{in}, PortNum{out}, *mapping);
      }
    }
  }
  const Counts one = agreed({.fabric = fabric, .tables = tables});
  EXPECT_TRUE(one.dependency_cycle);
  EXPECT_EQ(one.virtual_lanes, 1U);
  const Counts two = agreed({.fabric = fabric, .tables = tables, .maps = texts});
  EXPECT_FALSE(two.dependency_cycle);
  EXPECT_EQ(two.virtual_lanes, 2U);
}

}  // namespace
}  // namespace heddle::support
