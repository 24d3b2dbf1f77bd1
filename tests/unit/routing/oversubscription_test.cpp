#include "routing/oversubscription.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "model/fabric_builder.hpp"
#include "model/fabric_lids.hpp"
#include "routing/compute.hpp"
#include "routing/counterparts.hpp"
#include "routing/recognise.hpp"
#include "routing/traffic.hpp"
#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using testing::HasSubstr;

model::Result<Reshaped> reshaped(const Fabric& fabric, std::uint32_t ratio) {
  const Graph graph = support::graph_of(fabric);
  return with_oversubscription(fabric, graph, *recognise(fabric, graph), ratio);
}
Reshaped made(const Fabric& fabric, std::uint32_t ratio) {
  model::Result<Reshaped> result = reshaped(fabric, ratio);
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}
Structure structure_of(const Reshaped& tree) {
  const Graph graph = support::graph_of(tree.fabric);
  return *recognise(tree.fabric, graph, {.roots = tree.roots, .groups = {}});
}
Fabric pgft(const simulation::PgftShape& shape) {
  return support::assign_lids(*simulation::make_pgft(shape, {}));
}

/// Rates of a shift over tables for the fabric, after LIDs for what has none.
std::vector<std::uint64_t> shift_rates(const Fabric& bare) {
  const Fabric fabric = *model::with_lids(bare, {});
  const Graph graph = support::graph_of(fabric);
  const Availability all(graph);
  Workers workers(1);
  const auto computed = compute_routes(fabric, graph, *recognise(fabric, graph), all, {}, workers);
  if (!computed) throw std::runtime_error(computed.error().text);
  EXPECT_EQ(computed->verdict.unreachable, 0U);
  const TrafficRates rates = traffic_rates(
      fabric, graph, all, computed->routes.tables,
      *flows_of(Pattern::kShift, ranks_by_guid(fabric, graph, all), 1), model::BitsPerSecond(1));
  std::vector<std::uint64_t> out;
  for (const FlowRate& flow : rates.flows) out.push_back(flow.rate.value());
  std::ranges::sort(out);
  return out;
}

TEST(OversubscriptionTest, ATreeOfThreeLevelsLosesWholeColumnsWithTheirCores) {
  // ft3_k8: 8 pods of 4 leaves with 4 hosts and 4 spines each; spine s of a pod has cores 4s … .
  const Fabric whole = support::assign_lids(support::ft3_k8());
  const Reshaped half = made(whole, 2);
  EXPECT_EQ(half.uplinks, 2U);
  EXPECT_EQ(half.switches_removed, 8U * 2 + 8);  // spines 2, 3 of each pod, cores 8 … 15
  EXPECT_EQ(half.cables_removed, 32U * 2 + 16 * 4);
  EXPECT_EQ(half.switches_added + half.cables_added, 0U);
  const Structure structure = structure_of(half);
  EXPECT_EQ(structure.shape, Shape::kFatTree);
  EXPECT_EQ(structure.levels, 3);
  EXPECT_EQ(structure.pods, 8U);
  EXPECT_EQ(structure.roots.size(), 8U);
  EXPECT_THAT(structure.oversubscription_permille, testing::ElementsAre(2000, 1000));
  EXPECT_TRUE(structure.irregularities.empty());
}

TEST(OversubscriptionTest, UplinksAreAsManyAsAreEnough) {
  const Fabric whole = support::assign_lids(support::ft3_k8());
  for (const auto& [ratio, uplinks] : {std::pair{1U, 4U}, {2U, 2U}, {3U, 2U}, {4U, 1U}, {9U, 1U}}) {
    EXPECT_EQ(made(whole, ratio).uplinks, uplinks) << ratio << ":1";
  }
}

TEST(OversubscriptionTest, TheRatioThatATreeHasChangesNothing) {
  const Fabric whole = support::assign_lids(support::ft3_k8());
  const Reshaped same = made(whole, 1);
  EXPECT_EQ(same.switches_removed + same.cables_removed + same.switches_added + same.cables_added,
            0U);
  EXPECT_TRUE(std::ranges::equal(same.fabric.nodes(), whole.nodes()));
  EXPECT_TRUE(std::ranges::equal(same.fabric.ports(), whole.ports()));
}

TEST(OversubscriptionTest, ParallelCablesGoBeforeColumnsDo) {
  // ft2_k8_parallel2: leaves with 4 hosts, two cables to each of two spines.
  const Fabric whole = support::assign_lids(support::ft2_k8_parallel2());
  const Reshaped half = made(whole, 2);
  EXPECT_EQ(half.switches_removed, 0U);
  EXPECT_EQ(half.cables_removed, 8U);
  const Reshaped quarter = made(whole, 4);
  EXPECT_EQ(quarter.switches_removed, 1U);
  EXPECT_EQ(quarter.uplinks, 1U);
  // The ports at both ends of what is gone are down.
  const model::PortIndex port = *half.fabric.find_port(support::port_at(whole, "leaf-0000", 7));
  EXPECT_FALSE(half.fabric.peer(port).has_value());
  EXPECT_EQ(half.fabric.port(port).state, model::PortState::kDown);
}

TEST(OversubscriptionTest, AThinnedTreeGivesWhatATreeBuiltThatWayGives) {
  const Fabric whole = pgft({{8, 4}, {1, 8}, {1, 1}});
  EXPECT_EQ(shift_rates(made(whole, 2).fabric), shift_rates(pgft({{8, 4}, {1, 4}, {1, 1}})));
  EXPECT_EQ(shift_rates(made(whole, 4).fabric), shift_rates(pgft({{8, 4}, {1, 2}, {1, 1}})));
  const Fabric three = pgft({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}});
  EXPECT_EQ(shift_rates(made(three, 2).fabric),
            shift_rates(pgft({{4, 4, 4}, {1, 2, 4}, {1, 1, 1}})));
}

TEST(OversubscriptionTest, ATreeWithTooFewUplinksGetsCopiesOfItsColumns) {
  const Fabric thin = pgft({{8, 4}, {1, 2}, {1, 1}});  // 4:1
  const Reshaped wide = made(thin, 2);
  EXPECT_EQ(wide.uplinks, 4U);
  EXPECT_EQ(wide.switches_added, 2U);
  EXPECT_EQ(wide.cables_added, 8U);
  EXPECT_EQ(structure_of(wide).oversubscription_permille.front(), 2000U);
  EXPECT_EQ(shift_rates(wide.fabric), shift_rates(pgft({{8, 4}, {1, 4}, {1, 1}})));
  // Three of the four columns of a 3:1 tree, as 8 hosts need 3 uplinks.
  EXPECT_EQ(made(thin, 3).uplinks, 3U);
}

TEST(OversubscriptionTest, CopiesTakeTheirCoresAlong) {
  const Fabric thin = pgft({{4, 2, 3}, {1, 2, 2}, {1, 1, 1}});  // 2:1 at leaves, 1:1 above
  const Reshaped wide = made(thin, 1);
  EXPECT_EQ(wide.switches_added, 3U * 2 + 4);
  EXPECT_EQ(wide.cables_added, 6U * 2 + 6 * 2);
  const Structure structure = structure_of(wide);
  EXPECT_EQ(structure.pods, 3U);
  EXPECT_EQ(structure.roots.size(), 8U);
  EXPECT_THAT(structure.oversubscription_permille, testing::ElementsAre(1000, 1000));
  EXPECT_EQ(shift_rates(wide.fabric), shift_rates(pgft({{4, 2, 3}, {1, 4, 2}, {1, 1, 1}})));
}

TEST(OversubscriptionTest, AMissingCableStaysMissing) {
  const Fabric damaged = support::assign_lids(support::without_cable(
      support::ft3_k8(), support::port_at(support::ft3_k8(), "leaf-0000", 5)));
  const Reshaped half = made(damaged, 2);
  EXPECT_EQ(half.switches_removed, 24U);
  const model::PortIndex port = *half.fabric.find_port(support::port_at(damaged, "leaf-0000", 5));
  EXPECT_FALSE(half.fabric.peer(port).has_value());
  EXPECT_EQ(structure_of(half).oversubscription_permille.front(), 2000U);
}

//      core 0        core 1          every spine meets every core: no column can be told from
//     ╱ ╱  ╲ ╲     ╱ ╱  ╲ ╲          another by what lies above
//   s00 s01 s10 s11 …
//    │ ╳ │   │ ╳ │
//   l00 l01 l10 l11                  2 hosts a leaf
Fabric meshed_cores() {
  simulation::FabricMaker maker({.fabric_name = "meshed_cores"});
  for (std::uint64_t s = 0; s < 4; ++s) {
    maker.add_switch(maker.switch_guid(0, s), 4, "leaf");
    maker.add_switch(maker.switch_guid(1, s), 4, "spine");
    if (s < 2) maker.add_switch(maker.switch_guid(2, s), 4, "core");
  }
  for (std::uint64_t rank = 0; rank < 8; ++rank) {
    maker.add_host(rank, 1);
    maker.cable(maker.host_guid(rank), 1, maker.switch_guid(0, rank / 2), 1 + rank % 2);
  }
  for (std::uint64_t leaf = 0; leaf < 4; ++leaf) {
    for (std::uint64_t s = 0; s < 2; ++s) {
      maker.cable(maker.switch_guid(0, leaf), 3 + s, maker.switch_guid(1, leaf / 2 * 2 + s),
                  1 + leaf % 2);
      maker.cable(maker.switch_guid(1, leaf), 3 + s, maker.switch_guid(2, s), 1 + leaf);
    }
  }
  return support::assign_lids(std::move(maker).build());
}

TEST(OversubscriptionTest, SpinesThatAllShareTheirCoresGoByTheirOrderInThePod) {
  const Reshaped half = made(meshed_cores(), 2);
  EXPECT_EQ(half.uplinks, 1U);
  EXPECT_EQ(half.switches_removed, 2U);  // one spine of each pod; the cores serve the others
  EXPECT_EQ(half.cables_removed, 4U + 4);
  for (const std::uint64_t rate : shift_rates(half.fabric)) EXPECT_GT(rate, 0U);
}

TEST(OversubscriptionTest, SaysWhatItCannotModel) {
  const auto refused = [](const Fabric& fabric, std::uint32_t ratio) {
    const auto result = reshaped(support::assign_lids(fabric), ratio);
    return result ? std::string() : result.error().message();
  };
  EXPECT_THAT(refused(support::df_a4h2p2(), 2), HasSubstr("this fabric is dragonfly, levels: 1"));
  EXPECT_THAT(refused(support::hybrid_two_homed(), 2), HasSubstr("this fabric is hybrid"));
  EXPECT_THAT(refused(support::ft2_k4(), 0), HasSubstr("0:1"));
  // 200 hosts and 50 uplinks a leaf: 1:1 would take 400 ports.
  EXPECT_THAT(refused(*simulation::make_pgft({{200, 2}, {1, 50}, {1, 1}}, {}), 1),
              HasSubstr("would need more than 254 ports"));
}

TEST(OversubscriptionTest, RefusesToTakeAwayASwitchThatAHostHangsOn) {
  simulation::FabricMaker maker({.fabric_name = "host_on_spine"});
  for (std::uint64_t s = 0; s < 4; ++s) maker.add_switch(maker.switch_guid(0, s), 6, "leaf");
  for (std::uint64_t s = 0; s < 2; ++s) maker.add_switch(maker.switch_guid(1, s), 6, "spine");
  for (std::uint64_t rank = 0; rank < 17; ++rank) {
    maker.add_host(rank, 1);
    if (rank == 16) {
      maker.cable(maker.host_guid(rank), 1, maker.switch_guid(1, 1), 6);
    } else {
      maker.cable(maker.host_guid(rank), 1, maker.switch_guid(0, rank / 4), 1 + rank % 4);
    }
  }
  for (std::uint64_t leaf = 0; leaf < 4; ++leaf) {
    for (std::uint64_t s = 0; s < 2; ++s) {
      maker.cable(maker.switch_guid(0, leaf), 5 + s, maker.switch_guid(1, s), 1 + leaf);
    }
  }
  const auto result = reshaped(support::assign_lids(std::move(maker).build()), 4);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text, HasSubstr("\"host-00016 HCA-1\""));
  EXPECT_THAT(result.error().text, HasSubstr("which fewer uplinks would take away"));
}

TEST(CounterpartsTest, WhatIsAwayIsAwayInTheOtherFabricToo) {
  const Fabric whole = support::assign_lids(support::ft2_k4());
  const Graph graph = support::graph_of(whole);
  const auto named = [&](std::string_view name) {
    return *whole.switch_index(*whole.find_node(support::node_named(whole, name).guid));
  };
  const auto cable = [&](std::string_view name, std::uint8_t port) {
    return ArcIndex{graph.target(named(name), model::PortNum{port}).index};
  };
  Availability availability(graph);
  availability.take_down(TerminalIndex{5U});
  availability.take_down(named("leaf-0003"));
  availability.take_down(named("spine-0001"));  // goes with 2:1
  availability.take_down(graph, cable("leaf-0001", 3));
  availability.set_capacity(graph, cable("leaf-0002", 3), {40});
  availability.set_capacity(graph, cable("leaf-0002", 4), {50});
  const Fabric thin = made(whole, 2).fabric;
  const Graph other = support::graph_of(thin);
  ASSERT_EQ(other.switch_count(), 5U);
  const Availability carried = carry_over(graph, availability, other);
  Availability expected(other);
  expected.take_down(TerminalIndex{5U});
  expected.take_down(named("leaf-0003"));  // leaves come before spines: the same index
  expected.take_down(other, other.first_arc(named("leaf-0001")));
  expected.set_capacity(other, other.first_arc(named("leaf-0002")), {40});
  EXPECT_EQ(carried, expected);
  for (std::uint32_t t = 0; t < 8; ++t) {
    EXPECT_EQ(counterparts(graph, other)[t], TerminalIndex{t});
  }
}

}  // namespace
}  // namespace heddle::routing
