#include "routing/dependency_graph.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"

namespace heddle::routing {
namespace {

using model::SwitchIndex;
using support::graph_of;
using support::SplitMix64;
using Edge = std::pair<ArcIndex, ArcIndex>;

ArcIndex arc_between(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    if (arc.from == SwitchIndex{from} && arc.to == SwitchIndex{to}) return ArcIndex{a};
  }
  throw std::logic_error("no such arc");
}

/// Dependencies of the path over these switches.
std::vector<Edge> along(const Graph& graph, const std::vector<std::uint32_t>& switches) {
  std::vector<Edge> edges;
  for (std::size_t i = 2; i < switches.size(); ++i) {
    edges.emplace_back(arc_between(graph, switches[i - 2], switches[i - 1]),
                       arc_between(graph, switches[i - 1], switches[i]));
  }
  return edges;
}

TEST(AcyclicChannelsTest, TheGroupThatWouldCloseTheRingIsTakenBackWhole) {
  const Graph graph = graph_of(support::torus({4}, 1));
  AcyclicChannels channels(graph);
  EXPECT_TRUE(channels.add(along(graph, {0, 1, 2})));
  EXPECT_TRUE(channels.add(along(graph, {1, 2, 3})));
  EXPECT_EQ(channels.edges(), 2U);
  EXPECT_FALSE(channels.add(along(graph, {2, 3, 0, 1})));
  EXPECT_EQ(channels.edges(), 2U);
  const Edge half = along(graph, {2, 3, 0}).front();
  EXPECT_FALSE(channels.contains(half.first, half.second));
  EXPECT_TRUE(channels.add(std::vector{half}));
  EXPECT_TRUE(channels.contains(half.first, half.second));
  EXPECT_FALSE(channels.add(along(graph, {3, 0, 1})));
  // The other way round is another ring.
  EXPECT_TRUE(channels.add(along(graph, {3, 2, 1, 0})));
}

TEST(AcyclicChannelsTest, AChannelNeverWaitsForItself) {
  const Graph graph = graph_of(support::from_cables(2, 1, {{0, 1}, {0, 1}}));
  AcyclicChannels channels(graph);
  const ArcIndex there = arc_between(graph, 0, 1);
  const ArcIndex back = arc_between(graph, 1, 0);
  EXPECT_TRUE(channels.add(std::vector<Edge>{{there, back}}));
  EXPECT_FALSE(channels.add(std::vector<Edge>{{back, there}}));
}

TEST(AcyclicChannelsTest, AGroupThatRepeatsItselfCountsOnce) {
  const Graph graph = graph_of(support::torus({5}, 1));
  AcyclicChannels channels(graph);
  std::vector<Edge> twice = along(graph, {0, 1, 2});
  twice.push_back(twice.front());
  EXPECT_TRUE(channels.add(twice));
  EXPECT_TRUE(channels.add(twice));
  EXPECT_EQ(channels.edges(), 1U);
  EXPECT_TRUE(channels.add({}));
}

TEST(AcyclicChannelsTest, SwitchesOfManyPortsKeepTheirEdgesApart) {
  // A hub with 100 cables: its edges need more than one machine word.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (std::uint32_t i = 1; i <= 100; ++i) cables.emplace_back(0, i);
  const Graph graph = graph_of(support::from_cables(101, 1, cables));
  AcyclicChannels channels(graph);
  for (std::uint32_t i = 1; i < 100; ++i) EXPECT_TRUE(channels.add(along(graph, {i, 0, i + 1})));
  EXPECT_EQ(channels.edges(), 99U);
  for (std::uint32_t i = 1; i <= 100; ++i) {
    for (std::uint32_t k = 1; k <= 100; ++k) {
      EXPECT_EQ(channels.contains(arc_between(graph, i, 0), arc_between(graph, 0, k)), k == i + 1);
    }
  }
}

/// Random walks are added to random graphs until next to nothing fits; a set of edges and a search
/// from scratch say each time whether the group fits.
TEST(AcyclicChannelsTest, AgreesWithASearchFromScratchOnRandomGraphs) {
  const std::uint64_t seed = support::seed_or(20260801);
  for (std::uint64_t round = 0; round < 12; ++round) {
    SplitMix64 random(seed + round);
    const std::uint32_t switches = 4 + random.below(8);
    const Graph graph =
        graph_of(support::random_regular(switches, switches % 2 == 0 ? 3 : 4, 1, seed + round));
    AcyclicChannels channels(graph);
    std::set<Edge> reference;
    std::size_t refused = 0;
    for (int group = 0; group < 250; ++group) {
      std::vector<Edge> edges;
      ArcIndex at{random.below(static_cast<std::uint32_t>(graph.arcs().size()))};
      for (std::uint32_t step = 1 + random.below(4); step > 0; --step) {
        const SwitchIndex sw = graph.arc(at).to;
        const ArcIndex next{graph.first_arc(sw).value() +
                            random.below(static_cast<std::uint32_t>(graph.arcs_of(sw).size()))};
        edges.emplace_back(at, next);
        at = next;
      }
      std::set<Edge> with = reference;
      with.insert(edges.begin(), edges.end());
      const bool fits = !support::slow_has_cycle(with);
      ASSERT_EQ(channels.add(edges), fits) << "round " << round << " group " << group;
      if (fits) reference = std::move(with);
      refused += fits ? 0U : 1U;
      ASSERT_EQ(channels.edges(), reference.size());
    }
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      const ArcIndex next = graph.first_arc(graph.arc(ArcIndex{a}).to);
      EXPECT_EQ(channels.contains(ArcIndex{a}, next), reference.contains({ArcIndex{a}, next}));
    }
    EXPECT_GT(refused, 20U);
  }
}

}  // namespace
}  // namespace heddle::routing
