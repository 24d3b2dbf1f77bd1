#include "plugins/opensm/subnet_fabric.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plain_subnet.hpp"
#include "routing/graph.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::Fabric;
using model::Lid;
using model::NodeGuid;
using model::NodeKind;
using model::PortNum;

std::vector<std::pair<model::PortKey, model::PortKey>> cables(const Fabric& fabric) {
  std::vector<std::pair<model::PortKey, model::PortKey>> all;
  for (const model::Link& link : fabric.links()) {
    all.emplace_back(fabric.key(link.a), fabric.key(link.b));
  }
  return all;
}

heddle_node node(std::uint64_t guid, std::uint8_t type, std::uint8_t ports) {
  return {.guid = guid,
          .system_guid = 0,
          .description = "",
          .vendor_id = 0,
          .device_id = 0,
          .type = type,
          .port_count = ports};
}

/// Four hosts on two leaves: GUIDs as they come, LIDs from 1 on.
class SubnetFabricTest : public testing::Test {
 protected:
  Fabric made() { return fabric_of(plain_.subnet()); }
  void expect_routable(const Fabric& fabric) {
    const auto graph = routing::Graph::from(fabric);
    EXPECT_TRUE(graph) << graph.error().message();
  }
  /// The entry of the first node of that type.
  heddle_node& first(std::uint8_t type) {
    return *std::ranges::find(plain_.nodes, type, &heddle_node::type);
  }

  const Fabric truth_ = support::assign_lids(support::two_switches());
  PlainSubnet plain_{truth_};
};

TEST_F(SubnetFabricTest, NodesLidsAndCablesAreCopied) {
  first(1).system_guid = 0x5A5A;
  const Fabric fabric = made();
  ASSERT_EQ(fabric.nodes().size(), truth_.nodes().size());
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const model::Node& copy = fabric.node(model::NodeIndex{n});
    const model::Node& original = truth_.node(model::NodeIndex{n});
    EXPECT_EQ(copy.guid, original.guid);
    EXPECT_EQ(copy.kind, original.kind);
    EXPECT_EQ(copy.port_count, original.port_count);
    EXPECT_EQ(copy.description, original.description);
    EXPECT_EQ(copy.device_id, original.device_id);
  }
  EXPECT_EQ(fabric.node(*fabric.find_node(NodeGuid{first(1).guid})).system_guid,
            model::SystemGuid{std::uint64_t{0x5A5A}});
  EXPECT_EQ(cables(fabric), cables(truth_));
  for (std::uint32_t p = 0; p < fabric.ports().size(); ++p) {
    EXPECT_EQ(fabric.port(model::PortIndex{p}).lid, truth_.port(model::PortIndex{p}).lid);
  }
  EXPECT_THAT(fabric.anomalies(), testing::IsEmpty());
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, TheOrderOfTheArraysDoesNotMatter) {
  const auto before = cables(made());
  std::ranges::reverse(plain_.nodes);
  std::ranges::reverse(plain_.end_ports);
  std::ranges::reverse(plain_.cables);
  std::ranges::reverse(plain_.switches);
  for (heddle_cable& cable : plain_.cables) {
    std::swap(cable.node_guid[0], cable.node_guid[1]);
    std::swap(cable.port[0], cable.port[1]);
  }
  EXPECT_EQ(cables(made()), before);
  EXPECT_TRUE(std::ranges::equal(made().nodes(), truth_.nodes(), {}, &model::Node::guid,
                                 &model::Node::guid));
}

/// Width, speed, extended speed, FDR10: what PortInfo says.
void set_codes(heddle_cable& cable, std::array<std::uint8_t, 4> codes) {
  cable.width = codes[0];
  cable.speed = codes[1];
  cable.speed_ext = codes[2];
  cable.is_fdr10 = codes[3];
}

TEST_F(SubnetFabricTest, RatesAreCopiedWhereCablesDiffer) {
  using model::LinkSpeed;
  using model::LinkWidth;
  struct Case {
    std::array<std::uint8_t, 4> codes;
    model::LinkRate expected;
  };
  const std::array cases{Case{{1, 1, 0, 0}, {LinkWidth::k1x, LinkSpeed::kSdr}},
                         Case{{2, 4, 0, 0}, {LinkWidth::k4x, LinkSpeed::kQdr}},
                         Case{{2, 4, 0, 1}, {LinkWidth::k4x, LinkSpeed::kFdr10}},
                         Case{{8, 4, 2, 0}, {LinkWidth::k12x, LinkSpeed::kEdr}},
                         Case{{16, 4, 8, 0}, {LinkWidth::k2x, LinkSpeed::kNdr}},
                         Case{{3, 4, 16, 0}, {LinkWidth::kUnknown, LinkSpeed::kUnknown}}};
  for (const Case& given : cases) {
    for (heddle_cable& cable : plain_.cables) set_codes(cable, {2, 4, 4, 0});
    set_codes(plain_.cables.front(), given.codes);
    const Fabric fabric = made();
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      const auto port = fabric.find_port({NodeGuid{plain_.cables.front().node_guid[end]},
                                          PortNum{plain_.cables.front().port[end]}});
      ASSERT_TRUE(port);
      EXPECT_EQ(fabric.port(*port).rate, given.expected) << int{given.codes[2]};
    }
  }
}

TEST_F(SubnetFabricTest, RatesThatAreAllAlikeAreNotNeeded) {
  for (heddle_cable& cable : plain_.cables) set_codes(cable, {2, 4, 4, 0});
  const Fabric fabric = made();
  for (const model::Link& link : fabric.links()) {
    EXPECT_EQ(fabric.port(link.a).rate, model::LinkRate{});
  }
}

TEST_F(SubnetFabricTest, KindsAreToldByTypeDeviceAndDescription) {
  plain_.nodes = {node(1, 1, 1), node(2, 1, 1), node(3, 1, 1), node(4, 1, 1),
                  node(5, 3, 2), node(6, 0, 1), node(7, 4, 1), node(8, 255, 0)};
  plain_.nodes[1].device_id = 0xCF09;
  plain_.nodes[2].device_id = 0xCF10;
  plain_.nodes[3].description = "Mellanox Technologies Aggregation Node";
  plain_.end_ports.clear();
  plain_.cables.clear();
  plain_.switches.clear();
  const Fabric fabric = made();
  std::vector<NodeKind> kinds;
  for (const model::Node& copy : fabric.nodes()) kinds.push_back(copy.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(NodeKind::kHostAdapter, NodeKind::kAggregationNode,
                                          NodeKind::kAggregationNode, NodeKind::kAggregationNode,
                                          NodeKind::kRouter, NodeKind::kUnknown, NodeKind::kUnknown,
                                          NodeKind::kUnknown));
  EXPECT_THAT(fabric.anomalies(), testing::IsEmpty());
}

TEST_F(SubnetFabricTest, AnAdapterWithoutAPortAndANodeOfNoKnownTypeHarmNobody) {
  plain_.nodes.push_back(node(0x900, 1, 0));
  plain_.nodes.push_back(node(0x901, 9, 3));
  const Fabric fabric = made();
  EXPECT_EQ(cables(fabric), cables(truth_));
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, LidZeroIsNoLid) {
  heddle_end_port& end = plain_.end_ports.front();
  end.lid = 0;
  const Fabric fabric = made();
  const auto port = fabric.find_port({NodeGuid{end.node_guid}, PortNum{end.number}});
  ASSERT_TRUE(port);
  EXPECT_EQ(fabric.port(*port).lid, std::nullopt);
  EXPECT_TRUE(fabric.port(*port).guid);
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, AnLmcIsKeptWithItsBaseLid) {
  PlainSubnet plain(support::assign_lids(support::two_switches(), 2));
  const Fabric fabric = fabric_of(plain.subnet());
  for (const heddle_end_port& end : plain.end_ports) {
    if (end.lmc == 0) continue;
    for (unsigned path = 0; path < 4; ++path) {
      const auto owner = fabric.find_lid(Lid{static_cast<std::uint16_t>(end.lid + path)});
      ASSERT_TRUE(owner);
      EXPECT_EQ(fabric.key(*owner), (model::PortKey{NodeGuid{end.node_guid}, PortNum{end.number}}));
    }
  }
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, ACableToANodeThatIsNotThereIsNoCable) {
  heddle_cable loose{};
  loose.node_guid[0] = first(2).guid;
  loose.node_guid[1] = 0xDEAD;
  loose.port[0] = 4;
  loose.port[1] = 1;
  plain_.cables.push_back(loose);
  const Fabric fabric = made();
  EXPECT_EQ(cables(fabric), cables(truth_));
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, ASwitchWithoutTablesIsNoSwitchToRouteThrough) {
  // OpenSM has its NodeInfo but no SwitchInfo: nobody would write its entries.
  const std::uint64_t gone = plain_.switches.back().guid;
  plain_.switches.pop_back();
  const Fabric fabric = made();
  EXPECT_EQ(fabric.find_node(NodeGuid{gone}), std::nullopt);
  for (const auto& [a, b] : cables(fabric)) {
    EXPECT_NE(a.node, NodeGuid{gone});
    EXPECT_NE(b.node, NodeGuid{gone});
  }
  EXPECT_THAT(fabric.anomalies(), testing::IsEmpty());
  expect_routable(fabric);
}

TEST_F(SubnetFabricTest, ContradictionsAreKeptForTheRefusal) {
  const auto kind_of_first = [this] {
    const Fabric fabric = made();
    EXPECT_FALSE(routing::Graph::from(fabric));
    EXPECT_FALSE(fabric.anomalies().empty());
    return fabric.anomalies().empty() ? model::AnomalyKind{} : fabric.anomalies().front().kind;
  };
  plain_.nodes.push_back(plain_.nodes.front());
  EXPECT_EQ(kind_of_first(), model::AnomalyKind::kDuplicateNodeGuid);
  plain_.nodes.pop_back();
  plain_.end_ports.back().lid = plain_.end_ports.front().lid;
  EXPECT_EQ(kind_of_first(), model::AnomalyKind::kDuplicateLid);
  plain_ = PlainSubnet(truth_);
  plain_.cables.push_back(plain_.cables.front());
  plain_.cables.back().port[0] = 200;
  EXPECT_EQ(kind_of_first(), model::AnomalyKind::kPortOutOfRange);
}

TEST_F(SubnetFabricTest, NothingAtAllIsAnEmptyFabric) {
  const heddle_subnet nothing{};
  EXPECT_THAT(fabric_of(nothing).nodes(), testing::IsEmpty());
}

}  // namespace
}  // namespace heddle::plugin
