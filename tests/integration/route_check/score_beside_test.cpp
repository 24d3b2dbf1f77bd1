#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "judge.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/topologies.hpp"

namespace heddle::support {
namespace {

model::Fabric fat_tree(std::string_view shape) {
  return assign_lids(*simulation::make_pgft(*simulation::parse_pgft_shape(shape), {}));
}

/// Effective bisection bandwidth of both judges, by different dice: as many bisections that chance
/// makes no more of a difference than the tolerance (the fewer hosts, the more a bisection varies).
void expect_alike(const model::Fabric& fabric, const model::ForwardingTables& tables,
                  std::uint32_t bisections) {
  const Files files(
      {.fabric = fabric, .tables = tables, .switch_lids = false, .permutations = bisections});
  const Judged outside = files.outside();
  const Judged ours = files.ours();
  EXPECT_EQ(outside.counts, ours.counts);
  EXPECT_NEAR(outside.scores.effective_bisection_bandwidth,
              ours.scores.effective_bisection_bandwidth, 0.003);
}

TEST(ScoreBeside, AllShiftsOfSmallFabricsAreScoredAlike) {
  for (const model::Fabric& fabric :
       {assign_lids(ft3_k8()), assign_lids(df_a4h2p2()), assign_lids(hybrid_two_homed())}) {
    const routing::Graph graph = graph_of(fabric);
    const Files files({.fabric = fabric,
                       .tables = shortest_tables(graph, routing::Availability(graph)),
                       .permutations = 200});
    const Scores outside = files.outside().scores;
    const Scores ours = files.ours().scores;
    EXPECT_EQ(outside.shift_max, ours.shift_max);
    EXPECT_NEAR(outside.shift_mean, ours.shift_mean, 0.0006);  // it prints three places
  }
}

TEST(ScoreBeside, BisectionBandwidthOf432HostsIsWithinThreeThousandths) {
  const model::Fabric fabric = fat_tree("12,12,3:1,12,6:1,1,2");
  const routing::Graph graph = graph_of(fabric);
  expect_alike(fabric, d_mod_k_tables(graph), 1000);
  expect_alike(fabric, shortest_tables(graph, routing::Availability(graph)), 1000);
}

TEST(ScoreBeside, BisectionBandwidthOf1944HostsIsWithinThreeThousandths) {
  const model::Fabric fabric = fat_tree("18,18,6:1,18,9:1,1,2");
  expect_alike(fabric, d_mod_k_tables(graph_of(fabric)), 300);
}

}  // namespace
}  // namespace heddle::support
