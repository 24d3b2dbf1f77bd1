#include "routing/score.hpp"

#include <gmock/gmock.h>

#include "routing/random.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::SwitchIndex;
using support::graph_of;

Score score(const Graph& graph, const ForwardingTables& tables, std::size_t threads = 2,
            ScoreOptions options = {.permutations = 100}) {
  Workers workers(threads);
  return score_routes(graph, Availability(graph), tables, options, workers);
}

TEST(ScoreTest, DModKPutsOneFlowOnEachChannelInEveryShift) {
  for (const model::Fabric& fabric :
       {support::ft2_k4(), support::ft3_k4(), support::ft2_k8_parallel2(), support::ft3_k8()}) {
    const Graph graph = graph_of(support::assign_lids(fabric));
    const Score got = score(graph, support::d_mod_k_tables(graph));
    EXPECT_EQ(got.shift_max, 1U);
    EXPECT_EQ(got.shift_mean_max, 1.0);
    EXPECT_GE(got.random_max_p99, got.random_max_median);
    EXPECT_LE(got.bisection_bandwidth_ratio, 1.0);
    EXPECT_LE(got.bisection_bandwidth_ratio_min, got.bisection_bandwidth_ratio);
  }
}

TEST(ScoreTest, OneCableBetweenFourHostsIsSharedByTwo) {
  //  host 0, host 1 ─ leaf 0 ─── leaf 1 ─ host 2, host 3
  const Graph graph = graph_of(support::assign_lids(support::two_switches()));
  const Score got = score(graph, support::shortest_tables(graph, Availability(graph)));
  EXPECT_EQ(got.shift_max, 2U);           // shift by 2: both cross
  EXPECT_EQ(got.routes_per_arc_max, 4U);  // each of 2 to each of 2
  EXPECT_EQ(got.routes_per_arc_mean, 4.0);
  EXPECT_EQ(got.routes_per_arc_deviation, 0.0);
  EXPECT_THAT(got.paths_by_hops, testing::ElementsAre(0, 0, 4, 8));
  // A bisection pairs neighbours (each flow alone) or strangers (two share) with chances 1 : 2.
  EXPECT_NEAR(got.bisection_bandwidth_ratio, 2.0 / 3, 0.1);
  EXPECT_EQ(got.bisection_bandwidth_ratio_min, 0.5);
}

TEST(ScoreTest, AllPairsAreTheSumOverAllWalks) {
  const Graph graph = graph_of(support::assign_lids(support::hybrid_two_homed(), 1));
  const ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  std::vector<std::uint64_t> routes(graph.arcs().size());
  std::uint64_t paths = 0;
  for (const Terminal& from : graph.terminals()) {
    for (const Terminal& to : graph.terminals()) {
      if (from.node == to.node) continue;
      ++paths;
      for (SwitchIndex at = from.leaf; at != to.leaf;) {
        const PortTarget target = graph.target(at, *tables.port(at, *to.lid));
        ++routes[target.index];
        at = graph.arc(ArcIndex{target.index}).to;
      }
    }
  }
  const Score got = score(graph, tables);
  EXPECT_EQ(got.routes_per_arc_max, *std::ranges::max_element(routes));
  std::uint64_t sum = 0;
  for (const std::uint64_t number : got.paths_by_hops) sum += number;
  EXPECT_EQ(sum, paths);
}

TEST(ScoreTest, IsTheSameWhateverTheNumberOfThreads) {
  const Graph graph = graph_of(support::assign_lids(support::df_a4h2p2()));
  const ForwardingTables tables = support::shortest_tables(graph, Availability(graph));
  const Score one = score(graph, tables, 1, {.permutations = 20});
  for (const std::size_t threads : {2U, 5U}) {
    const Score several = score(graph, tables, threads, {.permutations = 20});
    EXPECT_EQ(several.bisection_bandwidth_ratio, one.bisection_bandwidth_ratio);
    EXPECT_EQ(several.shift_mean_max, one.shift_mean_max);
    EXPECT_EQ(several.random_max_p99, one.random_max_p99);
    EXPECT_EQ(several.routes_per_arc_deviation, one.routes_per_arc_deviation);
    EXPECT_EQ(several.paths_by_hops, one.paths_by_hops);
  }
  const Score other = score(graph, tables, 2, {.permutations = 20, .seed = 2});
  EXPECT_NE(other.bisection_bandwidth_ratio, one.bisection_bandwidth_ratio);
}

TEST(ScoreTest, TablesWithoutEntriesAreWorthNothing) {
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  const Score got = score(graph, ForwardingTables(graph.switch_count(), graph.top_lid()));
  EXPECT_EQ(got.shift_max, 0U);
  EXPECT_EQ(got.bisection_bandwidth_ratio, 0.0);
  EXPECT_EQ(got.routes_per_arc_max, 0U);
  EXPECT_TRUE(got.paths_by_hops.empty());
}

TEST(ScoreTest, TheGeneratorGivesThePublishedSequence) {
  // The first numbers of splitmix64 from seed 1234567, as its author's reference program prints.
  SplitMix64 random(1234567);
  EXPECT_EQ(random(), 6457827717110365317ULL);
  EXPECT_EQ(random(), 3203168211198807973ULL);
}

}  // namespace
}  // namespace heddle::routing
