#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "discovery/fabric_sweep.hpp"
#include "model/fabric_builder.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/simulated_subnet.hpp"

namespace heddle::discovery {
namespace {

using model::AnomalyKind;
using model::NodeGuid;
using model::PortKey;
using model::PortNum;

PortNum number(std::size_t value) { return PortNum{static_cast<std::uint8_t>(value)}; }

std::size_t count(const model::Fabric& fabric, AnomalyKind kind) {
  return static_cast<std::size_t>(
      std::ranges::count(fabric.anomalies(), kind, &model::Anomaly::kind));
}

model::Port up(std::size_t port, std::optional<model::PortGuid> guid = {}) {
  model::Port result;
  result.number = number(port);
  result.state = model::PortState::kActive;
  result.physical_state = model::PhysicalState::kLinkUp;
  result.rate = {model::LinkWidth::k4x, model::LinkSpeed::kHdr};
  result.mtu_bytes = 4096;
  result.operational_vls = 1;
  result.guid = guid;
  return result;
}

model::Node node(NodeGuid guid, model::NodeKind kind, std::size_t ports) {
  model::Node result;
  result.guid = guid;
  result.kind = kind;
  result.port_count = static_cast<std::uint8_t>(ports);
  return result;
}

void add_switch(model::FabricBuilder& builder, NodeGuid guid, std::size_t ports) {
  builder.add_node(node(guid, model::NodeKind::kSwitch, ports));
  builder.set_port(guid, up(0, model::PortGuid{guid.value()}));
  for (std::size_t i = 1; i <= ports; ++i) builder.set_port(guid, up(i));
}

void add_host(model::FabricBuilder& builder, NodeGuid guid) {
  builder.add_node(node(guid, model::NodeKind::kHostAdapter, 1));
  builder.set_port(guid, up(1, model::PortGuid{guid.value()}));
}

// Ways from host 0 of two_switches: 1 is its leaf, 1.2 its neighbour, 1.3 the other leaf.

TEST(OddDevices, ACableFromAPortToItselfIsNoLink) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(lie(route_of(1, 2), [&](mad::NodeInfo& info) {
    const model::Node& leaf = support::node_named(*subnet.source, "leaf-0000");
    info = {.node_type = mad::NodeType::kSwitch,
            .port_count = 4,
            .system_guid = *leaf.system_guid,
            .node_guid = leaf.guid,
            .port_guid = model::PortGuid{leaf.guid.value()},
            .device_id = leaf.device_id,
            .local_port = number(2),
            .vendor_id = *leaf.vendor_id};
  }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 5U);
  EXPECT_EQ(fabric->links().size(), 4U);
  EXPECT_EQ(count(*fabric, AnomalyKind::kPortCabledTwice), 1U);
}

TEST(OddDevices, TwoHostsWithOneGuidAreAnAnomalyAndTheSecondIsNotMixedIn) {
  SimulatedSubnet subnet(support::two_switches());
  const NodeGuid self = SimulatedSubnet::first_adapter_port(*subnet.source).node;
  const model::Node& twin = subnet.source->node(*subnet.source->find_node(self));
  subnet.meddler.set_rule(lie(route_of(1, 3, 2), [&](mad::NodeInfo& info) {
    info.node_guid = self;
    info.system_guid = *twin.system_guid;
  }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 5U);
  EXPECT_EQ(fabric->links().size(), 4U);
  ASSERT_EQ(count(*fabric, AnomalyKind::kDuplicateNodeGuid), 1U);
  EXPECT_NE(fabric->anomalies()[0].text.find("host-00003"), std::string::npos)
      << fabric->anomalies()[0].text;
  ASSERT_EQ(fabric->unresolved().size(), 1U);
  EXPECT_EQ(fabric->unresolved()[0].peer, self);
}

TEST(OddDevices, ADeviceOfAnotherKindWithAKnownGuidIsAnAnomaly) {
  SimulatedSubnet subnet(support::two_switches());
  const NodeGuid leaf = support::node_named(*subnet.source, "leaf-0000").guid;
  subnet.meddler.set_rule(lie(route_of(1, 2), [&](mad::NodeInfo& info) { info.node_guid = leaf; }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 5U);
  EXPECT_EQ(count(*fabric, AnomalyKind::kDuplicateNodeGuid), 1U);
}

TEST(OddDevices, ADeviceWithoutAGuidIsReportedAndLeftOut) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      lie(route_of(1, 2), [](mad::NodeInfo& info) { info.node_guid = NodeGuid{}; }));
  const SweepOutcome outcome = subnet.found();
  EXPECT_EQ(outcome.fabric->nodes().size(), 5U);
  ASSERT_EQ(outcome.report.mute.size(), 1U);
  EXPECT_NE(outcome.report.mute[0].text.find("GUID 0"), std::string::npos);
  EXPECT_EQ(outcome.fabric->unresolved().size(), 1U);
}

TEST(OddDevices, APortWithoutAGuidIsAnAnomalyAndServed) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      lie(route_of(1, 2), [](mad::NodeInfo& info) { info.port_guid = model::PortGuid{}; }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 6U);
  EXPECT_EQ(fabric->links().size(), 5U);
  EXPECT_EQ(count(*fabric, AnomalyKind::kZeroGuid), 1U);
}

TEST(OddDevices, ALocalPortWithoutAGuidFailsTheSweep) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      lie(mad::DirectedRoute{}, [](mad::NodeInfo& info) { info.node_guid = NodeGuid{}; }));
  EXPECT_FALSE(subnet.sweep());
}

TEST(OddDevices, APortNumberThatTheDeviceDoesNotHaveIsAnAnomaly) {
  for (const bool of_switch : {false, true}) {
    SCOPED_TRACE(of_switch);
    SimulatedSubnet subnet(support::two_switches());
    subnet.meddler.set_rule(lie(of_switch ? route_of(1, 3) : route_of(1, 2),
                                [](mad::NodeInfo& info) { info.local_port = number(77); }));
    const auto fabric = subnet.found().fabric;
    EXPECT_EQ(fabric->nodes().size(), 6U);
    EXPECT_GE(count(*fabric, AnomalyKind::kPortOutOfRange), 1U);
  }
}

TEST(OddDevices, NoCableEntersTheManagementPortOfASwitch) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      lie(route_of(1, 3), [](mad::NodeInfo& info) { info.local_port = number(0); }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 6U);
  const NodeGuid leaf = support::node_named(*subnet.source, "leaf-0001").guid;
  EXPECT_FALSE(fabric->peer(*fabric->find_port({leaf, number(0)})));
}

TEST(OddDevices, AnUnknownNodeTypeIsAnEndPointOfUnknownKind) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      lie(route_of(1, 2), [](mad::NodeInfo& info) { info.node_type = mad::NodeType{9}; }));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->links().size(), 5U);
  EXPECT_EQ(std::ranges::count(fabric->nodes(), model::NodeKind::kUnknown, &model::Node::kind), 1);
}

TEST(OddDevices, ASwitchWithoutPortsIsANode) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(lie(route_of(1, 3), [](mad::NodeInfo& info) { info.port_count = 0; }));
  const auto fabric = subnet.found().fabric;
  const NodeGuid leaf = support::node_named(*subnet.source, "leaf-0001").guid;
  ASSERT_TRUE(fabric->find_node(leaf));
  EXPECT_EQ(fabric->ports_of(*fabric->find_node(leaf)).size(), 1U);
  EXPECT_EQ(count(*fabric, AnomalyKind::kPortOutOfRange), 1U);
}

TEST(OddDevices, ASwitchThatClaims255PortsHas254) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(lie(route_of(1, 3), [](mad::NodeInfo& info) { info.port_count = 255; }));
  const auto fabric = subnet.found().fabric;
  const NodeGuid leaf = support::node_named(*subnet.source, "leaf-0001").guid;
  EXPECT_EQ(fabric->node(*fabric->find_node(leaf)).port_count, 254);
  EXPECT_EQ(fabric->nodes().size(), 6U) << "what is behind its real ports is found";
}

TEST(OddDevices, ASwitchOf254PortsIsReadWhole) {
  model::FabricBuilder builder("big");
  const NodeGuid sw{std::uint64_t{0x1000}};
  add_switch(builder, sw, 254);
  for (std::size_t i = 1; i <= 254; ++i) {
    const NodeGuid host{std::uint64_t{i}};
    add_host(builder, host);
    builder.connect({host, number(1)}, {sw, number(i)});
  }
  SimulatedSubnet subnet(std::move(builder).build());
  expect_same(*subnet.found().fabric, *subnet.source);
}

TEST(OddDevices, TheWalkEndsAfter63Hops) {
  model::FabricBuilder builder("chain");
  const NodeGuid host{std::uint64_t{1}};
  add_host(builder, host);
  PortKey end{host, number(1)};
  for (std::uint64_t i = 0; i < 70; ++i) {
    const NodeGuid sw{0x1000 + i};
    add_switch(builder, sw, 2);
    builder.connect(end, {sw, number(1)});
    end = {sw, number(2)};
  }
  model::Port last = up(2);
  last.state = model::PortState::kDown;
  last.physical_state = model::PhysicalState::kPolling;
  builder.set_port(end.node, last);
  SimulatedSubnet subnet(std::move(builder).build());
  const SweepOutcome outcome = subnet.found();
  EXPECT_EQ(outcome.fabric->nodes().size(), 1U + mad::DirectedRoute::kMaxHops);
  ASSERT_EQ(outcome.report.mute.size(), 1U);
  EXPECT_NE(outcome.report.mute[0].text.find("63 hops"), std::string::npos);
  EXPECT_EQ(outcome.fabric->unresolved().size(), 1U);
}

TEST(OddDevices, ANodeThatRefusesItsPortsIsStillANode) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.meddler.set_rule(
      [](const mad::Header& header, const mad::DirectedRoute& way, mad::MadBytes& bytes) {
        if (way == route_of(1, 3) && header.attribute != mad::smp::kNodeInfo) {
          mad::Header refused = header;
          refused.status = 0x000C;  // method and attribute not supported together
          mad::header_to_wire(refused, bytes);
        }
        return Meddler::Fate::kPass;
      });
  const SweepOutcome outcome = subnet.found();
  const NodeGuid leaf = support::node_named(*subnet.source, "leaf-0001").guid;
  ASSERT_TRUE(outcome.fabric->find_node(leaf));
  EXPECT_EQ(outcome.fabric->links().size(), 3U);
  EXPECT_TRUE(outcome.fabric->node(*outcome.fabric->find_node(leaf)).description.empty());
  EXPECT_FALSE(outcome.switches.contains(leaf));
}

}  // namespace
}  // namespace heddle::discovery
