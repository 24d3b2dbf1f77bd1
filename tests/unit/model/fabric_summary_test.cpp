#include "model/fabric_summary.hpp"

#include <gmock/gmock.h>

#include "unit/model/small_fabrics.hpp"

namespace heddle::model {
namespace {
using namespace testing_support;
using testing::ElementsAre;

TEST(FabricSummary, CountsKindsLinksRatesAndLevels) {
  const FabricSummary summary = summarise(two_leaves().build());
  EXPECT_EQ(summary.nodes_by_kind.at(NodeKind::kSwitch), 3u);
  EXPECT_EQ(summary.nodes_by_kind.at(NodeKind::kHostAdapter), 3u);
  EXPECT_EQ(summary.links, 6u);
  EXPECT_EQ(summary.links_by_rate.at("4xEDR"), 6u);
  EXPECT_THAT(summary.switches_by_level, ElementsAre(2u, 1u));
  EXPECT_THAT(summary.component_sizes, ElementsAre(6u));
}

TEST(FabricSummary, AggregationNodesDoNotMakeASwitchALeaf) {
  FabricBuilder builder = two_leaves();
  builder.add_node(make_node(NodeKind::kAggregationNode, 0x21, 1, "Aggregation Node"));
  cable(builder, key(0x20, 4), key(0x21, 1));
  EXPECT_THAT(summarise(std::move(builder).build()).switches_by_level, ElementsAre(2u, 1u));
}

TEST(FabricSummary, IslandsAreSeparateComponentsAndHaveNoLevel) {
  FabricBuilder builder = two_leaves();
  builder.add_node(make_node(NodeKind::kSwitch, 0x30, 4, "island"));
  builder.add_node(make_node(NodeKind::kSwitch, 0x31, 4, "island"));
  cable(builder, key(0x30, 1), key(0x31, 1));
  const Fabric fabric = std::move(builder).build();
  const FabricSummary summary = summarise(fabric);
  EXPECT_THAT(summary.component_sizes, ElementsAre(6u, 2u));
  EXPECT_EQ(summary.switches_without_level, 2u);
  ASSERT_EQ(duplicate_names(fabric).size(), 1u);
  EXPECT_THAT(duplicate_names(fabric)[0].nodes, ElementsAre(guid(0x30), guid(0x31)));
}

TEST(DegradedLinks, ASlowCableAmongParallelOnesIsFound) {
  FabricBuilder builder = two_leaves();
  set_rate(builder, key(0x10, 6), "4xDDR");
  const Fabric fabric = std::move(builder).build();
  const std::vector<DegradedLink> degraded = degraded_links(fabric);
  ASSERT_EQ(degraded.size(), 1u);
  EXPECT_EQ(degraded[0].link, fabric.link_of(*fabric.find_port(key(0x10, 6))));
  EXPECT_EQ(to_string(degraded[0].active), "4xDDR");
  EXPECT_EQ(to_string(degraded[0].expected), "4xEDR");
  EXPECT_EQ(degraded[0].against, DegradedLink::Against::kParallel);
}

TEST(DegradedLinks, ALinkBelowWhatBothEndsSupportIsFoundWithoutSiblings) {
  FabricBuilder builder = two_leaves();
  for (const PortKey end : {key(0x11, 1), key(3, 1)}) {
    Port port = *builder.port(end);
    port.rate = parse_link_rate("2xEDR");
    port.widths_supported.insert(LinkWidth::k4x);
    port.widths_supported.insert(LinkWidth::k2x);
    port.speeds_supported.insert(LinkSpeed::kEdr);
    builder.set_port(end.node, port);
  }
  const std::vector<DegradedLink> degraded = degraded_links(std::move(builder).build());
  ASSERT_EQ(degraded.size(), 1u);
  EXPECT_EQ(degraded[0].against, DegradedLink::Against::kSupported);
  EXPECT_EQ(to_string(degraded[0].expected), "4xEDR");
}

TEST(DegradedLinks, AWidthThatTheOperatorHasNotEnabledIsNotExpected) {
  FabricBuilder builder = two_leaves();
  for (const PortKey end : {key(0x11, 1), key(3, 1)}) {
    Port port = *builder.port(end);
    port.widths_supported.insert(LinkWidth::k12x);
    port.widths_supported.insert(LinkWidth::k4x);
    port.widths_enabled.insert(LinkWidth::k4x);
    port.speeds_supported.insert(LinkSpeed::kEdr);
    builder.set_port(end.node, port);
  }
  EXPECT_TRUE(degraded_links(std::move(builder).build()).empty());
}

TEST(DegradedLinks, AHostSlowerThanThreeQuartersOfItsLeafIsFound) {
  FabricBuilder builder("test");
  builder.add_node(make_node(NodeKind::kSwitch, 0x10, 8, "leaf"));
  for (std::uint8_t host = 1; host <= 5; ++host) {
    builder.add_node(make_node(NodeKind::kHostAdapter, host, 1, "h" + std::to_string(host)));
    cable(builder, key(0x10, host), key(host, 1), host == 2 ? "1xEDR" : "4xEDR");
  }
  const std::vector<DegradedLink> degraded = degraded_links(std::move(builder).build());
  ASSERT_EQ(degraded.size(), 1u);
  EXPECT_EQ(degraded[0].against, DegradedLink::Against::kSiblings);
}

TEST(DegradedLinks, HalfOfALeafBeingSlowIsAMixedLeafAndNotAFault) {
  FabricBuilder builder("test");
  builder.add_node(make_node(NodeKind::kSwitch, 0x10, 8, "leaf"));
  for (std::uint8_t host = 1; host <= 6; ++host) {
    builder.add_node(make_node(NodeKind::kHostAdapter, host, 1, "h" + std::to_string(host)));
    cable(builder, key(0x10, host), key(host, 1), host % 2 == 0 ? "4xHDR" : "4xEDR");
  }
  EXPECT_TRUE(degraded_links(std::move(builder).build()).empty());
}

TEST(DegradedLinks, UnknownRatesAreNoFault) {
  FabricBuilder builder = two_leaves();
  Port port;
  port.number = PortNum{std::uint8_t{1}};
  builder.set_port(guid(1), port);
  Port leaf;
  leaf.number = PortNum{std::uint8_t{1}};
  builder.set_port(guid(0x10), leaf);
  EXPECT_TRUE(degraded_links(std::move(builder).build()).empty());
}

}  // namespace
}  // namespace heddle::model
