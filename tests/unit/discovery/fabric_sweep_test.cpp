#include "discovery/fabric_sweep.hpp"

#include <string>

#include <gtest/gtest.h>

#include "model/fabric_builder.hpp"
#include "model/fabric_summary.hpp"
#include "simulation/generators.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/simulated_subnet.hpp"

namespace heddle::discovery {
namespace {

using model::LinkSpeed;
using model::LinkWidth;
using model::PortKey;
using model::PortNum;

struct Named {
  std::string name;
  model::Fabric (*make)();
};

class FabricSweepTopologies : public testing::TestWithParam<Named> {};

TEST_P(FabricSweepTopologies, AreFoundWhole) {
  SimulatedSubnet subnet(support::assign_lids(GetParam().make()));
  const SweepOutcome outcome = subnet.found();
  expect_same(*outcome.fabric, *subnet.source);
  EXPECT_TRUE(outcome.report.mute.empty());
  EXPECT_EQ(outcome.report.timeouts, 0U);
  EXPECT_EQ(outcome.report.queries, subnet.engine.stats().sent);
  EXPECT_EQ(outcome.routes.size(), subnet.source->nodes().size());
  EXPECT_EQ(outcome.switches.size(), subnet.source->switches().size());
  EXPECT_EQ(outcome.partition_capacity.size(), subnet.source->nodes().size());
}

TEST_P(FabricSweepTopologies, AreFoundTheSameWhateverTheOrderOfAnswers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedSubnet subnet(
        support::assign_lids(GetParam().make()),
        {.faults = {.jitter = std::chrono::microseconds{500}, .duplicate = 0.2, .seed = seed}});
    expect_same(*subnet.found().fabric, *subnet.source);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, FabricSweepTopologies,
    testing::Values(Named{"two_switches", support::two_switches}, Named{"ft2_k4", support::ft2_k4},
                    Named{"ft3_k4", support::ft3_k4}, Named{"ft3_k8", support::ft3_k8},
                    Named{"ft2_k4_missing_uplink", support::ft2_k4_missing_uplink},
                    Named{"ft2_k8_parallel2", support::ft2_k8_parallel2},
                    Named{"df_a4h2p2", support::df_a4h2p2},
                    Named{"df_one_global_down", support::df_one_global_down},
                    Named{"dfp_g3", support::dfp_g3},
                    Named{"hybrid_two_homed", support::hybrid_two_homed}),
    [](const testing::TestParamInfo<Named>& named) { return named.param.name; });

TEST(FabricSweep, RangesOfLidsAreRead) {
  SimulatedSubnet subnet(support::assign_lids(support::ft2_k4(), 2));
  const SweepOutcome outcome = subnet.found();
  expect_same(*outcome.fabric, *subnet.source);
  EXPECT_EQ(
      outcome.fabric
          ->port(*outcome.fabric->find_port(SimulatedSubnet::first_adapter_port(*outcome.fabric)))
          .lmc,
      2);
}

TEST(FabricSweep, StartsAtASwitchToo) {
  const model::Fabric fabric = support::assign_lids(support::ft2_k4());
  SimulatedSubnet subnet(fabric, {.attached_to = PortKey{fabric.node(fabric.switches()[0]).guid,
                                                         PortNum{std::uint8_t{0}}}});
  expect_same(*subnet.found().fabric, *subnet.source);
}

TEST(FabricSweep, AsksMostCablesFromOneEndOnly) {
  SimulatedSubnet subnet(support::ft3_k8());
  static_cast<void>(subnet.found());
  const std::size_t cables = subnet.source->links().size();
  EXPECT_LE(subnet.devices.requests(mad::smp::kNodeInfo), cables + cables / 4);
  EXPECT_EQ(subnet.devices.requests(mad::smp::kSwitchInfo), subnet.source->switches().size());
  EXPECT_EQ(subnet.devices.requests(mad::smp::kNodeDescription), subnet.source->nodes().size());
}

TEST(FabricSweep, ACutCableIsNotFoundAndItsPortsAreDown) {
  SimulatedSubnet subnet(support::assign_lids(support::ft2_k4()));
  const PortKey uplink = support::port_at(*subnet.source, "leaf-0002", 3);
  const PortKey far = subnet.source->key(*subnet.source->peer(*subnet.source->find_port(uplink)));
  subnet.devices.cut(uplink);
  const auto fabric = subnet.found(subnet.source).fabric;
  EXPECT_EQ(fabric->nodes().size(), subnet.source->nodes().size());
  EXPECT_EQ(fabric->links().size(), subnet.source->links().size() - 1);
  for (const PortKey end : {uplink, far}) {
    EXPECT_EQ(fabric->port(*fabric->find_port(end)).physical_state, model::PhysicalState::kPolling);
    EXPECT_FALSE(fabric->peer(*fabric->find_port(end)));
  }
  subnet.devices.restore(uplink);
  expect_same(*subnet.found(fabric).fabric, *subnet.source);
}

TEST(FabricSweep, AHostThatIsCutOffIsGoneEvenIfItWasKnown) {
  SimulatedSubnet subnet(support::ft2_k4());
  subnet.devices.cut(support::port_at(*subnet.source, "leaf-0003", 2));
  const SweepOutcome outcome = subnet.found(subnet.source);
  EXPECT_EQ(outcome.fabric->nodes().size(), subnet.source->nodes().size() - 1);
  EXPECT_TRUE(outcome.report.mute.empty());
}

TEST(FabricSweep, OnlyTheAttachedComponentIsFound) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.devices.cut(support::port_at(*subnet.source, "leaf-0000", 3));
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->nodes().size(), 3U);
  EXPECT_EQ(model::summarise(*fabric).component_sizes, std::vector<std::size_t>{3});
  EXPECT_EQ(model::summarise(*subnet.found(subnet.source).fabric).component_sizes,
            std::vector<std::size_t>{3})
      << "what was known before is not behind a mute device, but cut off";
}

model::Fabric tree_at(LinkSpeed speed) {
  auto fabric = simulation::make_pgft({.m = {4, 2}, .w = {1, 2}, .p = {1, 1}},
                                      {.rate = {LinkWidth::k4x, speed}});
  if (!fabric) throw std::logic_error(fabric.error().message());
  return *std::move(fabric);
}

class FabricSweepSpeeds : public testing::TestWithParam<LinkSpeed> {};

TEST_P(FabricSweepSpeeds, AreTold) {
  SimulatedSubnet subnet(tree_at(GetParam()));
  expect_same(*subnet.found().fabric, *subnet.source);
}

INSTANTIATE_TEST_SUITE_P(Speeds, FabricSweepSpeeds,
                         testing::Values(LinkSpeed::kSdr, LinkSpeed::kDdr, LinkSpeed::kQdr,
                                         LinkSpeed::kFdr10, LinkSpeed::kFdr, LinkSpeed::kEdr,
                                         LinkSpeed::kHdr, LinkSpeed::kNdr, LinkSpeed::kXdr),
                         [](const testing::TestParamInfo<LinkSpeed>& speed) {
                           return std::string(to_string(speed.param));
                         });

TEST(FabricSweep, ADeviceTypeThatRefusesTheVendorsAttributeIsAskedOnce) {
  SimulatedSubnet subnet(tree_at(LinkSpeed::kQdr));
  static_cast<void>(subnet.found());
  EXPECT_EQ(subnet.devices.requests(mad::smp::kVendorExtendedPortInfo), 2U)
      << "one adapter and one switch";
}

TEST(FabricSweep, FasterPortsAreNotAskedWhetherTheyRunFdr10) {
  SimulatedSubnet subnet(tree_at(LinkSpeed::kEdr));
  static_cast<void>(subnet.found());
  EXPECT_EQ(subnet.devices.requests(mad::smp::kVendorExtendedPortInfo), 0U);
}

TEST(FabricSweep, SilenceOnTheVendorsAttributeEndsAfterAFewDevices) {
  SimulatedSubnet subnet(tree_at(LinkSpeed::kFdr10));
  std::size_t answers = 0;
  subnet.meddler.set_rule(
      [&](const mad::Header& header, const mad::DirectedRoute&, mad::MadBytes&) {
        if (header.attribute != mad::smp::kVendorExtendedPortInfo) return Meddler::Fate::kPass;
        ++answers;
        return Meddler::Fate::kLose;
      });
  const auto fabric = subnet.found().fabric;
  EXPECT_EQ(fabric->links().size(), subnet.source->links().size());
  EXPECT_EQ(answers, 2U * 3U * 3U) << "two types, three devices each, three attempts each";
  EXPECT_TRUE(subnet.engine.mute_devices().empty());
}

TEST(FabricSweep, AnAggregationNodeIsToldFromAHost) {
  const model::Fabric tree = support::two_switches();
  model::FabricBuilder builder(tree.name());
  const model::Node& leaf = support::node_named(tree, "leaf-0001");
  for (model::Node node : tree.nodes()) builder.add_node(node);
  for (std::uint32_t i = 0; i < tree.ports().size(); ++i) {
    const PortKey key = tree.key(model::PortIndex{i});
    model::Port port = tree.port(model::PortIndex{i});
    if (key == PortKey{leaf.guid, PortNum{std::uint8_t{4}}}) {
      port = tree.port(*tree.find_port({leaf.guid, PortNum{std::uint8_t{3}}}));
      port.number = key.port;
    }
    builder.set_port(key.node, port);
  }
  for (const model::Link& link : tree.links()) {
    builder.connect(tree.key(link.a), tree.key(link.b));
  }
  const model::NodeGuid guid{std::uint64_t{0x0002c9ffffff0001}};
  builder.add_node({.guid = guid,
                    .system_guid = model::SystemGuid{leaf.guid.value()},
                    .kind = model::NodeKind::kAggregationNode,
                    .vendor_id = 0x0002c9,
                    .device_id = 0xCF09,
                    .port_count = 1,
                    .description = "Mellanox Technologies Aggregation Node"});
  model::Port end = tree.ports_of(model::NodeIndex{std::uint32_t{0}})[0];
  end.guid = model::PortGuid{guid.value()};
  builder.set_port(guid, end);
  builder.connect({guid, PortNum{std::uint8_t{1}}}, {leaf.guid, PortNum{std::uint8_t{4}}});
  SimulatedSubnet subnet(std::move(builder).build());
  expect_same(*subnet.found().fabric, *subnet.source);
}

TEST(FabricSweep, ManyQuestionsAreUnderWayAtOnce) {
  SimulatedSubnet subnet(support::ft3_k8());
  const mad::Clock::time_point begin = subnet.transport.now();
  static_cast<void>(subnet.found());
  EXPECT_LT(subnet.transport.now() - begin, std::chrono::milliseconds{50})
      << "questions wait for answers one by one";
}

}  // namespace
}  // namespace heddle::discovery
