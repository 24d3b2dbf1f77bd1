// Hosts with two ports on two leaves: no switch but the sender's leaf is common to the ways to
// both, so that no one of them takes a host away.
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>

#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"
#include "support/two_homes.hpp"

namespace heddle::routing {
namespace {

struct Case {
  const char* name;
  simulation::HybridShape shape;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

simulation::HybridShape shape(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                              std::uint32_t super_spines, std::uint32_t hosts) {
  return {.groups = groups,
          .leaves = leaves,
          .spines = spines,
          .super_spines = super_spines,
          .hosts_per_leaf = hosts,
          .two_homed = true};
}

class TwoHomes : public testing::TestWithParam<Case> {
 protected:
  TwoHomes()
      : fabric_(support::assign_lids(*simulation::make_hybrid(GetParam().shape, {}))),
        graph_(support::graph_of(fabric_)),
        structure_(*recognise(fabric_, graph_)) {}

  Computed computed(const Availability& availability) {
    auto result = compute_routes(fabric_, graph_, structure_, availability, {}, workers_);
    if (!result) throw std::runtime_error(result.error().text);
    return std::move(*result);
  }

  model::Fabric fabric_;
  Graph graph_;
  Structure structure_;
  Workers workers_{1};
};
INSTANTIATE_TEST_SUITE_P(Hybrids, TwoHomes,
                         testing::Values(Case{"small", shape(2, 2, 2, 2, 2)},
                                         Case{"odd_groups", shape(3, 4, 2, 4, 2)},
                                         Case{"more_hosts_than_spines", shape(3, 4, 4, 4, 12)},
                                         Case{"fewer_hosts_than_spines", shape(3, 4, 6, 6, 4)},
                                         Case{"many_leaves", shape(4, 8, 8, 16, 8)}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(TwoHomes, TheWaysToBothPortsOfAHostShareNoLeafAndNoSpine) {
  const Computed whole = computed(Availability(graph_));
  const support::SharedWays found = support::shared_ways(fabric_, graph_, whole.routes.tables);
  EXPECT_GT(found.ways, 0U);
  EXPECT_EQ(found.shared, 0U) << "of " << found.ways;
}

TEST_P(TwoHomes, ALostLeafLeavesEveryHostReachable) {
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    const model::SwitchIndex leaf{s};
    if (graph_.terminals_of(leaf).empty()) continue;
    Availability without(graph_);
    without.take_down(leaf);
    EXPECT_EQ(support::hosts_cut_off(fabric_, graph_, without), 0U);
    const Computed left = computed(without);
    EXPECT_TRUE(left.verdict.good());
    EXPECT_EQ(left.verdict.unconnected, 0U) << "leaf " << s;
  }
}

TEST_P(TwoHomes, AHostWithoutEitherPortIsCutOff) {
  const support::Homes homes = support::homes_of(fabric_, graph_).front();
  Availability without(graph_);
  without.take_down(graph_.terminal(homes.first).leaf);
  EXPECT_EQ(support::hosts_cut_off(fabric_, graph_, without), 0U);
  without.take_down(graph_.terminal(homes.second).leaf);
  EXPECT_EQ(support::hosts_cut_off(fabric_, graph_, without), GetParam().shape.hosts_per_leaf);
}

}  // namespace
}  // namespace heddle::routing
