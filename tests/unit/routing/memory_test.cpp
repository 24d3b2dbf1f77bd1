#include "routing/memory.hpp"

#include <gmock/gmock.h>

#include "model/fabric_builder.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;

/// The fabric without one node and its cables.
Fabric without_node(const Fabric& fabric, model::NodeGuid gone) {
  model::FabricBuilder builder(fabric.name());
  for (const model::Node& node : fabric.nodes()) {
    if (node.guid != gone) builder.add_node(node);
  }
  for (const model::Port& port : fabric.ports()) {
    const model::NodeGuid guid = fabric.node(port.node).guid;
    if (guid != gone) builder.set_port(guid, port);
  }
  for (const model::Link& link : fabric.links()) {
    const model::PortKey a = fabric.key(link.a);
    const model::PortKey b = fabric.key(link.b);
    if (a.node != gone && b.node != gone) builder.connect(a, b);
  }
  return std::move(builder).build();
}

std::vector<std::pair<model::PortKey, model::PortKey>> cables(const Fabric& fabric) {
  std::vector<std::pair<model::PortKey, model::PortKey>> all;
  for (const model::Link& link : fabric.links()) {
    all.emplace_back(fabric.key(link.a), fabric.key(link.b));
  }
  return all;
}

TEST(MemoryTest, ACableThatIsAwayIsRememberedAndDown) {
  const Fabric whole = support::assign_lids(support::ft3_k4());
  const Fabric present = support::without_cable(whole, support::port_at(whole, "leaf-0000", 3));
  const Fabric remembered = remember(present, whole);
  EXPECT_EQ(cables(remembered), cables(whole));
  const Graph graph = support::graph_of(remembered);
  const Availability availability = present_in(remembered, graph, present);
  std::size_t down = 0;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    down += availability.usable(graph, ArcIndex{a}) ? 0U : 1U;
  }
  EXPECT_EQ(down, 2U) << "one cable has two directions";
}

TEST(MemoryTest, ASwitchThatIsAwayComesBackToItsPlaceWithItsLid) {
  const Fabric whole = support::assign_lids(support::ft3_k4());
  const model::Node& spine = support::node_named(whole, "spine-00-00");
  const Fabric present = without_node(whole, spine.guid);
  const Fabric remembered = remember(present, whole);
  EXPECT_EQ(cables(remembered), cables(whole));
  EXPECT_TRUE(std::ranges::equal(remembered.nodes(), whole.nodes()));
  const Graph graph = support::graph_of(remembered);
  EXPECT_EQ(graph.destinations().size(), support::graph_of(whole).destinations().size());
  const Availability availability = present_in(remembered, graph, present);
  const auto sw = remembered.switch_index(*remembered.find_node(spine.guid));
  ASSERT_TRUE(sw.has_value());
  EXPECT_FALSE(availability.up(*sw));
}

TEST(MemoryTest, NothingIsDownWhereNothingIsAway) {
  const Fabric whole = support::assign_lids(support::hybrid_two_homed());
  const Fabric remembered = remember(whole, whole);
  const Graph graph = support::graph_of(remembered);
  EXPECT_EQ(present_in(remembered, graph, whole), Availability(graph));
}

TEST(MemoryTest, ACableThatWasMovedIsWhereItIsNow) {
  const Fabric before = support::assign_lids(support::ft2_k4());
  // The cable of leaf 0 to spine 0 now ends at a port of leaf 3 that was free.
  const model::PortKey leaf = support::port_at(before, "leaf-0000", 3);
  const Fabric cut = support::without_cable(before, leaf);
  const Fabric cut_twice = support::without_cable(cut, support::port_at(cut, "leaf-0003", 3));
  model::FabricBuilder builder(before.name());
  for (const model::Node& node : cut_twice.nodes()) builder.add_node(node);
  for (const model::Port& port : cut_twice.ports()) {
    builder.set_port(cut_twice.node(port.node).guid, port);
  }
  for (const auto& [a, b] : cables(cut_twice)) builder.connect(a, b);
  builder.connect(leaf, support::port_at(before, "leaf-0003", 3));
  const Fabric present = std::move(builder).build();
  const Fabric remembered = remember(present, before);
  EXPECT_TRUE(remembered.anomalies().empty());
  EXPECT_EQ(cables(remembered), cables(present)) << "both old cables had an end there";
}

TEST(MemoryTest, AHostThatIsAwayKeepsItsLidAndIsNoDestinationNow) {
  const Fabric whole = support::assign_lids(support::ft2_k4());
  const model::Node& host = whole.nodes().front();
  const Fabric present = without_node(whole, host.guid);
  const Fabric remembered = remember(present, whole);
  const Graph graph = support::graph_of(remembered);
  const Availability availability = present_in(remembered, graph, present);
  ASSERT_EQ(graph.terminals().size(), 8U);
  std::size_t away = 0;
  for (std::uint32_t t = 0; t < 8; ++t)
    away += availability.usable(graph, TerminalIndex{t}) ? 0U : 1U;
  EXPECT_EQ(away, 1U);
}

TEST(MemoryTest, ALidThatSomebodyElseHasNowIsNotGivenBack) {
  const Fabric whole = support::assign_lids(support::ft2_k4());
  const model::NodeGuid gone = whole.nodes().front().guid;
  const Fabric without = without_node(whole, gone);
  model::FabricBuilder builder(whole.name());
  for (const model::Node& node : without.nodes()) builder.add_node(node);
  for (model::Port port : without.ports()) {
    if (port.lid == model::Lid{std::uint16_t{2}}) port.lid = model::Lid{std::uint16_t{1}};
    builder.set_port(without.node(port.node).guid, port);
  }
  for (const auto& [a, b] : cables(without)) builder.connect(a, b);
  const Fabric present = std::move(builder).build();
  const Fabric remembered = remember(present, whole);
  EXPECT_TRUE(remembered.anomalies().empty());
  EXPECT_FALSE(remembered.ports_of(*remembered.find_node(gone)).front().lid.has_value());
}

}  // namespace
}  // namespace heddle::routing
