#include "routing/up_down.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Lid;
using model::PortNum;
using model::SwitchIndex;
using support::damaged;
using support::graph_of;
using support::slow_check;
using support::SlowSources;
using support::SlowVerdict;

struct Case {
  std::string name;
  std::function<model::Fabric()> fabric;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

Routes routed(const Graph& graph, const Availability& availability,
              const std::vector<SwitchIndex>& roots = {}, std::size_t threads = 2) {
  Workers workers(threads);
  model::Result<Routes> routes = route_up_down(graph, availability, {.roots = roots}, workers);
  if (!routes) throw std::runtime_error(routes.error().message());
  return *std::move(routes);
}

class UpDownTest : public testing::TestWithParam<Case> {};

TEST_P(UpDownTest, DeliversEveryPairInOneLaneWhateverIsGone) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  for (const std::uint32_t per_mille : {0U, 50U, 200U, 500U}) {
    const Availability availability = damaged(graph, per_mille, per_mille + 1);
    const Routes routes = routed(graph, availability);
    const SlowVerdict verdict = slow_check(graph, availability, routes.tables, routes.lanes,
                                           SlowSources::kTerminalsAndSwitches);
    EXPECT_TRUE(verdict.good()) << per_mille;
    EXPECT_EQ(verdict.lanes_used & ~1U, 0U);
    EXPECT_TRUE(routes.undelivered.empty());
    EXPECT_TRUE(routes.lanes.levels.all_zero());
  }
}

TEST_P(UpDownTest, DrainedCablesNeverDisconnectAndAreNotUsedWhereOthersLeadOn) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability whole(graph);
  // Drains a third; without these the fabric may fall apart, with them it may not.
  const Availability without = damaged(graph, 333, 9);
  Availability drained(graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    if (!without.usable(graph, ArcIndex{a})) {
      drained.set_capacity(graph, ArcIndex{a}, {.value = 0});
    }
  }
  const Routes routes = routed(graph, drained);
  EXPECT_TRUE(
      slow_check(graph, drained, routes.tables, routes.lanes, SlowSources::kTerminalsAndSwitches)
          .good());
  // Pairs that the rest connects keep to the rest: there they are all delivered.
  const SlowVerdict rest =
      slow_check(graph, without, routes.tables, routes.lanes, SlowSources::kTerminalsAndSwitches);
  EXPECT_EQ(rest.unreachable, 0U);
}

TEST_P(UpDownTest, GivesTheSameBytesWithAnyNumberOfThreads) {
  const Graph graph = graph_of(support::assign_lids(GetParam().fabric()));
  const Availability availability = damaged(graph, 50, 3);
  const Routes one = routed(graph, availability, {}, 1);
  for (const std::size_t threads : {2U, 5U, 8U}) {
    EXPECT_EQ(routed(graph, availability, {}, threads).tables, one.tables);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, UpDownTest,
    testing::Values(Case{"two_switches", support::two_switches}, Case{"ft2_k4", support::ft2_k4},
                    Case{"ft3_k4", support::ft3_k4}, Case{"df_a4h2p2", support::df_a4h2p2},
                    Case{"dfp_g3", support::dfp_g3},
                    Case{"hybrid_two_homed", support::hybrid_two_homed},
                    Case{"torus_4x4",
                         [] {
                           return support::torus({4, 4}, 1);
                         }},
                    Case{"hypercube_4", [] { return support::hypercube(4, 1); }},
                    Case{"two_stars", [] { return support::two_stars(5, 2); }},
                    Case{"regular_24_4", [] { return support::random_regular(24, 4, 1, 5); }}),
    [](const testing::TestParamInfo<Case>& instance) { return instance.param.name; });

/// Seen from a leaf as root all shortest paths of a tree are legal, and counting routes where they
/// pass gives what D-mod-K gives.
TEST(UpDownTreeTest, AHealthyFatTreeCarriesEveryShiftWithoutContention) {
  const Graph graph = graph_of(support::assign_lids(support::ft3_k8()));
  const Availability whole(graph);
  const Routes routes = routed(graph, whole);
  EXPECT_EQ(slow_check(graph, whole, routes.tables, routes.lanes).longer_than_shortest, 0U);
  const std::size_t hosts = graph.terminals().size();
  for (std::size_t shift = 1; shift < hosts; ++shift) {
    std::vector<std::uint32_t> load(graph.arcs().size(), 0);
    for (std::size_t h = 0; h < hosts; ++h) {
      const Lid lid = *graph.terminals()[(h + shift) % hosts].lid;
      SwitchIndex at = graph.terminals()[h].leaf;
      while (true) {
        const PortTarget target = graph.target(at, *routes.tables.port(at, lid));
        if (target.kind != PortTarget::Kind::kSwitch) break;
        ASSERT_LE(++load[target.index], 1U) << "shift " << shift;
        at = graph.arc(ArcIndex{target.index}).to;
      }
    }
  }
}

/// LIDs of terminals by the arc that they leave `sw` on.
std::map<std::uint32_t, std::size_t> terminals_by_arc(const Graph& graph, const Routes& routes,
                                                      SwitchIndex sw) {
  std::map<std::uint32_t, std::size_t> count;
  for (const Terminal& terminal : graph.terminals()) {
    const PortTarget target = graph.target(sw, *routes.tables.port(sw, *terminal.lid));
    if (target.kind == PortTarget::Kind::kSwitch) ++count[target.index];
  }
  return count;
}

TEST(UpDownCapacityTest, AReducedCableGetsItsShareOfTheRoutes) {
  const Graph graph = graph_of(support::from_cables(2, 20, {{0, 1}, {0, 1}}));
  Availability availability(graph);
  availability.set_capacity(graph, ArcIndex{0U}, {.value = 25});
  const auto count = terminals_by_arc(graph, routed(graph, availability), SwitchIndex{0U});
  EXPECT_EQ(count.at(0), 4U);
  EXPECT_EQ(count.at(1), 16U);
}

TEST(UpDownCapacityTest, AReducedCableFurtherOnCountsToo) {
  // Leaves 0 and 1 over spines 2 and 3, of which the cable from spine 2 to leaf 1 is reduced.
  const Graph graph = graph_of(support::from_cables(4, 10, {{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  Availability availability(graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    if (arc.from == SwitchIndex{2U} && arc.to == SwitchIndex{1U}) {
      availability.set_capacity(graph, ArcIndex{a}, {.value = 25});
    }
  }
  const Routes routes = routed(graph, availability);
  std::size_t over_reduced = 0;
  for (const Terminal& terminal : graph.terminals_of(SwitchIndex{1U})) {
    const PortTarget target =
        graph.target(SwitchIndex{0U}, *routes.tables.port(SwitchIndex{0U}, *terminal.lid));
    if (graph.arc(ArcIndex{target.index}).to == SwitchIndex{2U}) ++over_reduced;
  }
  EXPECT_EQ(over_reduced, 2U);
}

TEST(UpDownRootsTest, GivenRootsAreFollowed) {
  const Graph graph = graph_of(support::torus({6}, 1));
  const Availability whole(graph);
  // From a root in a ring the far side is a valley: the cables there carry nothing across.
  const Routes routes = routed(graph, whole, {SwitchIndex{2U}});
  const Lid far = *graph.lid(SwitchIndex{4U});
  const PortTarget first = graph.target(SwitchIndex{0U}, *routes.tables.port(SwitchIndex{0U}, far));
  // 0 and 4 are two apart over 5, which lies lowest: the way is over 1, 2 and 3.
  EXPECT_EQ(graph.arc(ArcIndex{first.index}).to, SwitchIndex{1U});
}

TEST(UpDownRootsTest, RootsThatCutPairsOffGiveWayToOneOfOurOwn) {
  // Two spines as roots, each with a leaf, and a cable between the leaves: no way turns once.
  const Graph graph = graph_of(support::from_cables(5, 1, {{0, 2}, {1, 3}, {2, 4}, {4, 3}}));
  const Availability whole(graph);
  const Routes routes = routed(graph, whole, {SwitchIndex{0U}, SwitchIndex{1U}});
  EXPECT_TRUE(routes.undelivered.empty());
  EXPECT_TRUE(slow_check(graph, whole, routes.tables, routes.lanes).good());
}

TEST(UpDownRootsTest, ARootThatDoesNotExistIsRefused) {
  const Graph graph = graph_of(support::torus({4}, 1));
  Workers workers(1);
  const auto routes =
      route_up_down(graph, Availability(graph), {.roots = {SwitchIndex{4U}}}, workers);
  ASSERT_FALSE(routes.has_value());
  EXPECT_EQ(routes.error().code, model::Errc::kNotFound);
}

}  // namespace
}  // namespace heddle::routing
