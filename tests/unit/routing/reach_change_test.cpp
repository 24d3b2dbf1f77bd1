#include "routing/reach_change.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "routing/fat_tree_plan.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::SwitchIndex;

struct Case {
  const char* name;
  Fabric (*make)();
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"ft3_k4", support::ft3_k4},
    {"ft3_k8", support::ft3_k8},
    {"meshed_tree", [] { return support::meshed_tree(2, 3, 3, 3, 1); }},
    {"dragonfly_plus",
     [] {
       return *simulation::make_dragonfly_plus(
           {.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4}, {});
     }},
};

class ReachChangeTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, ReachChangeTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

void expect_difference(std::span<const std::uint64_t> told, std::span<const std::uint64_t> before,
                       std::span<const std::uint64_t> now, const char* what) {
  for (std::size_t w = 0; w < before.size(); ++w) {
    ASSERT_EQ(told.empty() ? 0 : told[w], before[w] ^ now[w]) << what;
  }
}

TEST_P(ReachChangeTest, AnUpdateIsWhatASearchFromNothingFindsAndNamesEveryDifference) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  const FatTreePlan plan = FatTreePlan::make(fabric, graph, *recognise(fabric, graph));
  Workers workers(1);
  Availability availability(graph);
  Reach reach;
  find_reach(plan.order(), graph, availability, workers, reach);
  std::mt19937_64 random(support::seed_or(5));
  ReachChange change;
  for (int step = 0; step < 200; ++step) {
    const Availability last = availability;
    for (std::uint64_t faults = 1 + random() % 3; faults > 0; --faults) {
      if (random() % 4 == 0) {
        const SwitchIndex sw{static_cast<std::uint32_t>(random() % graph.switch_count())};
        availability.up(sw) ? availability.take_down(sw) : availability.bring_back(sw);
      } else {
        const ArcIndex cable{static_cast<std::uint32_t>(random() % graph.arcs().size())};
        availability.usable(graph, cable) ? availability.take_down(graph, cable)
                                          : availability.bring_back(graph, cable);
      }
    }
    const std::vector<SwitchIndex> touched = availability.changed_since(graph, last);
    ASSERT_TRUE(can_update_reach(plan.order(), graph, availability, touched, reach));
    const Reach before = reach;
    update_reach(plan.order(), graph, availability, touched, reach, change);
    Reach afresh;
    find_reach(plan.order(), graph, availability, workers, afresh);
    ASSERT_EQ(reach.down, afresh.down) << "step " << step;
    ASSERT_EQ(reach.any, afresh.any) << "step " << step;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      expect_difference(change.down(SwitchIndex{s}), before.down.row(s), reach.down.row(s), "down");
      expect_difference(change.any(SwitchIndex{s}), before.any.row(s), reach.any.row(s), "any");
    }
  }
}

TEST_P(ReachChangeTest, WhatIsDrainedIsNotFollowed) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  const FatTreePlan plan = FatTreePlan::make(fabric, graph, *recognise(fabric, graph));
  Workers workers(1);
  const Availability whole(graph);
  Availability drained(graph);
  drained.set_capacity(graph, ArcIndex{0U}, {0});
  const std::vector<SwitchIndex> touched = drained.changed_since(graph, whole);
  EXPECT_EQ(touched.size(), 2U);
  Reach reach;
  find_reach(plan.order(), graph, whole, workers, reach);
  EXPECT_FALSE(can_update_reach(plan.order(), graph, drained, touched, reach));
  find_reach(plan.order(), graph, drained, workers, reach);
  EXPECT_FALSE(can_update_reach(plan.order(), graph, whole, touched, reach));
}

}  // namespace
}  // namespace heddle::routing
