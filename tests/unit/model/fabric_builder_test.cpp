#include "model/fabric_builder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "unit/model/small_fabrics.hpp"

namespace heddle::model {
namespace {
using namespace testing_support;
using testing::HasSubstr;

TEST(FabricBuilder, OrdersNodesByGuidAndFindsThem) {
  const Fabric fabric = two_leaves().build();
  ASSERT_EQ(fabric.nodes().size(), 6u);
  EXPECT_TRUE(std::ranges::is_sorted(fabric.nodes(), {}, &Node::guid));
  EXPECT_EQ(fabric.node(*fabric.find_node(guid(0x11))).description, "leaf-1");
  EXPECT_FALSE(fabric.find_node(guid(0x99)));
  EXPECT_EQ(fabric.switches().size(), 3u);
  EXPECT_EQ(fabric.node(fabric.node_of(SwitchIndex{0u})).guid, guid(0x10));
  EXPECT_FALSE(fabric.switch_index(*fabric.find_node(guid(1))));
}

TEST(FabricBuilder, SwitchesHaveAPortZeroAndOtherNodesDoNot) {
  const Fabric fabric = two_leaves().build();
  const NodeIndex leaf = *fabric.find_node(guid(0x10));
  EXPECT_EQ(fabric.ports_of(leaf).size(), 9u);
  EXPECT_EQ(fabric.ports_of(leaf).front().number, PortNum{});
  const NodeIndex host = *fabric.find_node(guid(1));
  EXPECT_EQ(fabric.ports_of(host).size(), 1u);
  EXPECT_FALSE(fabric.find_port(key(1, 0)));
  EXPECT_FALSE(fabric.find_port(key(0x10, 9)));
  EXPECT_EQ(fabric.key(*fabric.find_port(key(0x10, 8))), key(0x10, 8));
}

TEST(FabricBuilder, EachCableJoinsItsTwoPortsOnly) {
  const Fabric fabric = two_leaves().build();
  ASSERT_EQ(fabric.links().size(), 6u);
  const PortIndex leaf = *fabric.find_port(key(0x10, 5));
  const PortIndex spine = *fabric.find_port(key(0x20, 1));
  EXPECT_EQ(fabric.peer(leaf), spine);
  EXPECT_EQ(fabric.peer(spine), leaf);
  EXPECT_EQ(fabric.link_of(leaf), fabric.link_of(spine));
  EXPECT_FALSE(fabric.peer(*fabric.find_port(key(0x10, 8))));
  for (const Link& link : fabric.links()) EXPECT_LT(link.a, link.b);
  EXPECT_TRUE(fabric.anomalies().empty());
}

TEST(FabricBuilder, TheSameCableFromBothEndsIsOneLink) {
  FabricBuilder builder = two_leaves();
  builder.connect(key(0x20, 1), key(0x10, 5));
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(fabric.links().size(), 6u);
  EXPECT_TRUE(fabric.anomalies().empty());
}

TEST(FabricBuilder, APortCabledTwiceKeepsItsFirstPeerAndIsReported) {
  FabricBuilder builder = two_leaves();
  builder.connect(key(0x10, 5), key(0x20, 4));
  builder.connect(key(0x11, 8), key(0x11, 8));
  const Fabric fabric = std::move(builder).build();
  EXPECT_EQ(fabric.peer(*fabric.find_port(key(0x10, 5))), fabric.find_port(key(0x20, 1)));
  EXPECT_FALSE(fabric.peer(*fabric.find_port(key(0x20, 4))));
  ASSERT_EQ(fabric.anomalies().size(), 2u);
  EXPECT_EQ(fabric.anomalies()[0].kind, AnomalyKind::kPortCabledTwice);
  EXPECT_THAT(fabric.anomalies()[0].text, HasSubstr("leaf-0"));
  EXPECT_EQ(fabric.anomalies()[1].where, key(0x11, 8));
}

TEST(FabricBuilder, ACableToNowhereLeavesAnUnresolvedPeer) {
  FabricBuilder builder = two_leaves();
  builder.connect(key(0x11, 6), key(0x77, 3));
  builder.connect_unresolved(key(0x11, 7), std::nullopt, std::nullopt, "dark cable");
  builder.connect_unresolved(key(0x11, 6), guid(0x77), PortNum{std::uint8_t{3}}, "far switch");
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.unresolved().size(), 2u);
  EXPECT_EQ(fabric.unresolved()[0].peer, guid(0x77));
  EXPECT_EQ(fabric.unresolved()[0].description, "far switch");
  EXPECT_EQ(fabric.unresolved()[1].description, "dark cable");
}

TEST(FabricBuilder, DuplicateGuidsAndLidsAreReportedWithBothParties) {
  FabricBuilder builder = two_leaves();
  EXPECT_FALSE(
      builder.add_node(make_node(NodeKind::kSwitch, 0x10, 4, "impostor"), SourcePosition{"f", 9}));
  set_rate(builder, key(1, 1), "4xEDR", 7);
  set_rate(builder, key(2, 1), "4xEDR", 7);
  Port port = *builder.port(key(3, 1));
  port.guid = PortGuid{std::uint64_t{0xabc}};
  builder.set_port(guid(3), port);
  Port other = *builder.port(key(2, 1));
  other.guid = PortGuid{std::uint64_t{0xabc}};
  builder.set_port(guid(2), other);
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.anomalies().size(), 3u);
  EXPECT_EQ(fabric.anomalies()[0].kind, AnomalyKind::kDuplicateNodeGuid);
  EXPECT_THAT(fabric.anomalies()[0].text, HasSubstr("impostor"));
  EXPECT_EQ(fabric.anomalies()[0].position->line, 9u);
  EXPECT_EQ(fabric.anomalies()[1].kind, AnomalyKind::kDuplicatePortGuid);
  EXPECT_EQ(fabric.anomalies()[2].kind, AnomalyKind::kDuplicateLid);
  EXPECT_THAT(fabric.anomalies()[2].text, HasSubstr("LID 7"));
}

TEST(FabricBuilder, PortsThatDoNotExistAreReported) {
  FabricBuilder builder = two_leaves();
  Port port;
  port.number = PortNum{std::uint8_t{9}};
  EXPECT_FALSE(builder.set_port(guid(0x10), port));
  builder.connect(key(0x10, 99), key(0x20, 4));
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.anomalies().size(), 2u);
  EXPECT_EQ(fabric.anomalies()[1].where, key(0x10, 99));
  EXPECT_EQ(fabric.unresolved().size(), 1u);
}

TEST(FabricBuilder, ALidRangeLeadsToItsPort) {
  FabricBuilder builder = two_leaves();
  Port port = *builder.port(key(1, 1));
  port.lid = Lid{std::uint16_t{8}};
  port.lmc = 2;
  builder.set_port(guid(1), port);
  Port zero;
  zero.lid = Lid{std::uint16_t{3}};
  builder.set_port(guid(0x10), zero);
  const Fabric fabric = std::move(builder).build();
  for (std::uint16_t lid = 8; lid <= 11; ++lid)
    EXPECT_EQ(fabric.find_lid(Lid{lid}), fabric.find_port(key(1, 1)));
  EXPECT_FALSE(fabric.find_lid(Lid{std::uint16_t{12}}));
  EXPECT_FALSE(fabric.find_lid(Lid{std::uint16_t{7}}));
  EXPECT_FALSE(fabric.find_lid(Lid{std::uint16_t{0xBFFF}}));
  EXPECT_EQ(fabric.management_lid(*fabric.find_port(key(0x10, 4)))->value(), 3);
  EXPECT_EQ(fabric.management_lid(*fabric.find_port(key(1, 1)))->value(), 8);
  EXPECT_FALSE(fabric.management_lid(*fabric.find_port(key(2, 1))));
}

TEST(FabricBuilder, ZeroGuidsAreReportedAndServed) {
  FabricBuilder builder = two_leaves();
  EXPECT_TRUE(builder.add_node(make_node(NodeKind::kHostAdapter, 0, 1, "nobody")));
  Port port = *builder.port(key(3, 1));
  port.guid = PortGuid{};
  builder.set_port(guid(3), port);
  port = *builder.port(key(2, 1));
  port.guid = PortGuid{};
  builder.set_port(guid(2), port);
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.anomalies().size(), 3u) << "two zeros are no duplicates of each other";
  for (const Anomaly& anomaly : fabric.anomalies()) EXPECT_EQ(anomaly.kind, AnomalyKind::kZeroGuid);
  EXPECT_EQ(fabric.anomalies()[1].where, key(2, 1));
  EXPECT_TRUE(fabric.find_node(guid(0)));
}

TEST(FabricBuilder, LidRangesThatASubnetCannotHaveAreReported) {
  FabricBuilder builder = two_leaves();
  const auto give = [&](std::uint64_t host, std::uint16_t lid, std::uint8_t lmc) {
    Port port = *builder.port(key(host, 1));
    port.lid = Lid{lid};
    port.lmc = lmc;
    builder.set_port(guid(host), port);
  };
  give(1, 6, 2);
  give(2, 0xC000, 0);
  give(3, 0xBFF8, 4);
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.anomalies().size(), 3u);
  for (const Anomaly& anomaly : fabric.anomalies()) {
    EXPECT_EQ(anomaly.kind, AnomalyKind::kBadLidRange);
  }
  EXPECT_THAT(fabric.anomalies()[0].text, HasSubstr("LID 6 with LMC 2 is no multiple of 4"));
  EXPECT_THAT(fabric.anomalies()[1].text, HasSubstr("not within 1..49151"));
  EXPECT_EQ(fabric.find_lid(Lid{std::uint16_t{9}}), fabric.find_port(key(1, 1)));
  EXPECT_EQ(fabric.find_lid(kMaxUnicastLid), fabric.find_port(key(3, 1)));
}

TEST(FabricBuilder, RangesThatOverlapAreOneAnomaly) {
  FabricBuilder builder = two_leaves();
  for (const std::uint64_t host : {std::uint64_t{1}, std::uint64_t{2}}) {
    Port port = *builder.port(key(host, 1));
    port.lid = Lid{std::uint16_t{16}};
    port.lmc = 3;
    builder.set_port(guid(host), port);
  }
  const Fabric fabric = std::move(builder).build();
  ASSERT_EQ(fabric.anomalies().size(), 1u);
  EXPECT_THAT(fabric.anomalies()[0].text, HasSubstr("LIDs 16 to 23 belong to"));
}

TEST(FabricBuilder, AnomaliesWithoutAPlaceGetThatOfTheirPort) {
  FabricBuilder builder = two_leaves();
  builder.add_node(make_node(NodeKind::kSwitch, 0x10, 4, "impostor"), SourcePosition{"f", 9});
  set_rate(builder, key(1, 1), "4xEDR", 7);
  set_rate(builder, key(2, 1), "4xEDR", 7);
  const Fabric fabric = std::move(builder).build([](PortKey port) {
    return std::optional(SourcePosition{"f", static_cast<std::uint32_t>(port.node.value())});
  });
  ASSERT_EQ(fabric.anomalies().size(), 2u);
  EXPECT_EQ(fabric.anomalies()[0].position->line, 9u) << "its own";
  EXPECT_EQ(fabric.anomalies()[1].position->line, 2u);
  EXPECT_THAT(to_error(fabric.anomalies()[1]).message(),
              testing::StartsWith("f:2: duplicate_lid: LID 7"));
}

TEST(FabricBuilder, TheOrderOfDiscoveryDoesNotMatter) {
  std::mt19937 random(1);
  std::vector<Node> nodes;
  for (std::uint64_t i = 1; i <= 40; ++i) nodes.push_back(make_node(NodeKind::kSwitch, i, 40, "s"));
  std::vector<std::pair<PortKey, PortKey>> cables;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    for (std::uint64_t j = i + 1; j <= 40; ++j) {
      cables.emplace_back(key(i, static_cast<std::uint8_t>(j)),
                          key(j, static_cast<std::uint8_t>(i)));
    }
  }
  std::vector<std::pair<PortKey, PortKey>> first;
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(nodes, random);
    std::ranges::shuffle(cables, random);
    FabricBuilder builder("test");
    for (const auto& [a, b] : cables) builder.connect(b, a);
    for (const Node& node : nodes) builder.add_node(node);
    const Fabric fabric = std::move(builder).build();
    std::vector<std::pair<PortKey, PortKey>> found;
    for (const Link& link : fabric.links())
      found.emplace_back(fabric.key(link.a), fabric.key(link.b));
    if (round == 0) first = found;
    EXPECT_EQ(found, first);
    EXPECT_EQ(found.size(), 780u);
  }
}

TEST(FabricBuilder, AnEmptyFabricHoldsNothing) {
  const Fabric fabric = FabricBuilder("empty").build();
  EXPECT_EQ(fabric.name(), "empty");
  EXPECT_TRUE(fabric.nodes().empty());
  EXPECT_FALSE(fabric.find_node(guid(1)));
  EXPECT_FALSE(fabric.find_lid(Lid{std::uint16_t{1}}));
  const Fabric none;
  EXPECT_TRUE(none.nodes().empty());
  EXPECT_FALSE(none.find_port(key(1, 1)));
}

}  // namespace
}  // namespace heddle::model
