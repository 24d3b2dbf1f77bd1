#include "routing/dependency_set.hpp"

#include <gmock/gmock.h>

#include <set>

#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"

namespace heddle::routing {
namespace {

using model::SwitchIndex;
using model::Vl;
using support::graph_of;
using support::SplitMix64;

constexpr std::uint16_t kLanes = 0b1001;  // VLs 0 and 3

ChannelLane in_lane(std::uint32_t arc, std::uint8_t vl) { return {ArcIndex{arc}, Vl{vl}}; }

/// The channel from one switch to another, the first of several.
ArcIndex channel(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    if (arc.from.value() == from && arc.to.value() == to) return ArcIndex{a};
  }
  throw std::logic_error("no such channel");
}

TEST(DependencySetTest, AChainIsNoCycleAndItsEndsClosedAreOne) {
  const Graph graph = graph_of(support::torus({4}, 1));
  DependencySet set(graph, kLanes);
  const auto lane = [&](std::uint32_t s, std::uint8_t vl) {
    return ChannelLane{channel(graph, s, (s + 1) % 4), Vl{vl}};
  };
  const auto add = [&](ChannelLane held, ChannelLane wanted) {
    set.add(held, graph.arc(held.arc).to, wanted);
  };
  for (std::uint32_t s = 0; s < 3; ++s) add(lane(s, 0), lane(s + 1, 0));
  add(lane(3, 0), lane(0, 3));  // round the ring, but in another lane
  EXPECT_TRUE(set.find_cycle().empty());
  add(lane(3, 0), lane(0, 0));
  EXPECT_THAT(set.find_cycle(),
              testing::ElementsAre(lane(0, 0), lane(1, 0), lane(2, 0), lane(3, 0)));
}

TEST(DependencySetTest, TheWitnessIsTheShortestThroughTheLowestChannelOnAnyCycle) {
  // Every switch cabled to every other: cycles of all lengths.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (std::uint32_t a = 0; a < 5; ++a) {
    for (std::uint32_t b = a + 1; b < 5; ++b) cables.emplace_back(a, b);
  }
  const Graph graph = graph_of(support::from_cables(5, 1, cables));
  DependencySet set(graph, 1);
  const auto turn = [&](std::vector<std::uint32_t> switches) {
    for (std::size_t i = 0; i + 2 < switches.size(); ++i) {
      set.add({channel(graph, switches[i], switches[i + 1]), Vl{}}, SwitchIndex{switches[i + 1]},
              {channel(graph, switches[i + 1], switches[i + 2]), Vl{}});
    }
  };
  turn({0, 1, 2, 3, 4, 0, 1});  // five round, through the lowest channel 0 -> 1
  turn({2, 3, 4, 2, 3});        // three round, but above it
  EXPECT_EQ(set.find_cycle().size(), 5U);
  turn({0, 1, 2, 0, 1});
  const std::vector<ChannelLane> cycle = set.find_cycle();
  ASSERT_EQ(cycle.size(), 3U);
  EXPECT_EQ(cycle.front().arc, channel(graph, 0, 1));
}

TEST(DependencySetTest, AgreesWithTheObviousSearchOnDependenciesByChance) {
  const std::uint64_t seed = support::seed_or(1);
  const Graph graph = graph_of(support::torus({3, 3}, 1));
  std::size_t cyclic = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    SplitMix64 random(seed * 1000 + round);
    DependencySet whole(graph, kLanes);
    DependencySet part(graph, kLanes);
    std::set<std::pair<ChannelLane, ChannelLane>> edges;
    for (std::uint32_t i = 0; i < 40 + round; ++i) {
      const std::uint32_t held = random.below(static_cast<std::uint32_t>(graph.arcs().size()));
      const SwitchIndex at = graph.arc(ArcIndex{held}).to;
      const std::uint32_t wanted =
          graph.first_arc(at).value() +
          random.below(static_cast<std::uint32_t>(graph.arcs_of(at).size()));
      const auto a = in_lane(held, random.below(2) == 0 ? 0 : 3);
      const auto b = in_lane(wanted, random.below(2) == 0 ? 0 : 3);
      (i % 2 == 0 ? whole : part).add(a, at, b);
      edges.emplace(a, b);
    }
    whole.merge(part);
    const std::vector<ChannelLane> cycle = whole.find_cycle();
    EXPECT_EQ(!cycle.empty(), support::slow_has_cycle(edges));
    if (!cycle.empty()) ++cyclic;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      EXPECT_TRUE(edges.contains({cycle[i], cycle[(i + 1) % cycle.size()]}));
    }
  }
  EXPECT_GT(cyclic, 10U);
  EXPECT_LT(cyclic, 200U);
}

}  // namespace
}  // namespace heddle::routing
