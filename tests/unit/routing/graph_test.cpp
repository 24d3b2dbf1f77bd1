#include "routing/graph.hpp"

#include <gmock/gmock.h>

#include "model/fabric_builder.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Lid;
using model::PortNum;
using model::SwitchIndex;

using support::graph_of;

model::Node switch_of(model::NodeGuid guid) {
  model::Node node;
  node.guid = guid;
  node.kind = model::NodeKind::kSwitch;
  node.port_count = 4;
  return node;
}

TEST(GraphTest, ArcsNameEachOtherAsReverseAndMatchTheTargets) {
  const model::Fabric fabric = support::assign_lids(support::df_a4h2p2());
  const Graph graph = graph_of(fabric);
  ASSERT_EQ(graph.switch_count(), 36U);
  ASSERT_EQ(graph.arcs().size(), 2U * (54 + 36));
  for (std::uint32_t i = 0; i < graph.arcs().size(); ++i) {
    const Arc& arc = graph.arc(ArcIndex{i});
    const Arc& back = graph.arc(arc.reverse);
    EXPECT_EQ(back.reverse, ArcIndex{i});
    EXPECT_EQ(back.from, arc.to);
    EXPECT_EQ(back.exit, arc.entry);
    const PortTarget target = graph.target(arc.from, arc.exit);
    EXPECT_EQ(target.kind, PortTarget::Kind::kSwitch);
    EXPECT_EQ(target.index, i);
  }
}

TEST(GraphTest, TerminalsStandInOrderOfSwitchAndPort) {
  const model::Fabric fabric = support::assign_lids(support::ft2_k4());
  const Graph graph = graph_of(fabric);
  ASSERT_EQ(graph.terminals().size(), 8U);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    std::uint8_t last = 0;
    for (const Terminal& terminal : graph.terminals_of(SwitchIndex{s})) {
      EXPECT_EQ(terminal.leaf, SwitchIndex{s});
      EXPECT_GT(terminal.leaf_port.value(), last);
      last = terminal.leaf_port.value();
      EXPECT_EQ(graph.target(terminal.leaf, terminal.leaf_port).kind, PortTarget::Kind::kTerminal);
    }
  }
}

TEST(GraphTest, DestinationsHoldEveryLidOfEveryRange) {
  const model::Fabric fabric = support::assign_lids(support::ft2_k4(), 2);
  const Graph graph = graph_of(fabric);
  EXPECT_EQ(graph.destinations().size(), 8U * 4 + 6);
  for (const Destination& destination : graph.destinations()) {
    EXPECT_EQ(graph.find(destination.lid), &destination);
    const auto port = fabric.find_lid(destination.lid);
    ASSERT_TRUE(port.has_value());
    if (destination.terminal) {
      EXPECT_EQ(graph.terminal(*destination.terminal).port, *port);
      EXPECT_EQ(destination.lid.value(),
                graph.terminal(*destination.terminal).lid->value() + destination.path);
    }
  }
  EXPECT_EQ(graph.find(Lid{std::uint16_t{0}}), nullptr);
}

TEST(GraphTest, APortThatASwitchDoesNotHaveLeadsNowhere) {
  const Graph graph = graph_of(support::two_switches());
  EXPECT_EQ(graph.target(SwitchIndex{0U}, PortNum{std::uint8_t{200}}).kind,
            PortTarget::Kind::kNothing);
  EXPECT_EQ(graph.target(SwitchIndex{0U}, PortNum{std::uint8_t{0}}).kind,
            PortTarget::Kind::kNothing);
}

TEST(GraphTest, ACableOfASwitchToItselfIsLeftOut) {
  const model::NodeGuid guid{std::uint64_t{5}};
  model::FabricBuilder builder("loop");
  builder.add_node(switch_of(guid));
  builder.connect({guid, PortNum{std::uint8_t{1}}}, {guid, PortNum{std::uint8_t{2}}});
  const Graph graph = graph_of(std::move(builder).build());
  EXPECT_TRUE(graph.arcs().empty());
  EXPECT_TRUE(graph.terminals().empty());
}

TEST(GraphTest, ContradictionsAreRefusedWithTheirPlace) {
  const model::NodeGuid guid{std::uint64_t{5}};
  model::FabricBuilder builder("twice");
  builder.add_node(switch_of(guid));
  builder.add_node(switch_of(guid), model::SourcePosition{"net.topo", 17});
  const model::Result<Graph> graph = Graph::from(std::move(builder).build());
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().code, model::Errc::kInvalidInput);
  EXPECT_THAT(graph.error().message(), testing::StartsWith("net.topo:17: "));
}

TEST(GraphTest, ALidRangeBeyondUnicastIsRefused) {
  const model::NodeGuid guid{std::uint64_t{5}};
  model::FabricBuilder builder("lids");
  builder.add_node(switch_of(guid));
  model::Port port;
  port.lid = Lid{std::uint16_t{0xBFFF}};
  port.lmc = 1;
  builder.set_port(guid, port);
  const model::Result<Graph> graph = Graph::from(std::move(builder).build());
  ASSERT_FALSE(graph.has_value());
  EXPECT_THAT(graph.error().text,
              testing::HasSubstr("LID 49151 with LMC 1 is not within 1..49151"));
}

}  // namespace
}  // namespace heddle::routing
