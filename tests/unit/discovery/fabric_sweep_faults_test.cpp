#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "discovery/fabric_sweep.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/simulated_subnet.hpp"

namespace heddle::discovery {
namespace {

using model::PortKey;
using model::PortNum;
using std::chrono::milliseconds;

/// What a device that never answers may cost: all attempts of the engine's default, and a little.
constexpr milliseconds kGivenUp{200 + 400 + 800};
constexpr milliseconds kSlack{100};

struct Silence {
  std::string name;
  std::string node;
  std::size_t lost_nodes;  ///< without knowledge from before
  std::size_t lost_links;
  std::size_t mute_ports;  ///< that answer and lead to it
};

class FabricSweepMute : public testing::TestWithParam<Silence> {};

TEST_P(FabricSweepMute, TheOthersAreComplete) {
  SimulatedSubnet subnet(support::assign_lids(support::ft2_k4()));
  subnet.devices.mute(support::node_named(*subnet.source, GetParam().node).guid);
  const mad::Clock::time_point begin = subnet.transport.now();
  const SweepOutcome outcome = subnet.found();
  EXPECT_LT(subnet.transport.now() - begin, kGivenUp + kSlack);
  EXPECT_EQ(outcome.fabric->nodes().size(), subnet.source->nodes().size() - GetParam().lost_nodes);
  EXPECT_EQ(outcome.fabric->links().size(), subnet.source->links().size() - GetParam().lost_links);
  EXPECT_EQ(outcome.fabric->unresolved().size(), GetParam().mute_ports);
  EXPECT_EQ(outcome.report.mute.size(), GetParam().mute_ports);
  EXPECT_EQ(outcome.report.timeouts, GetParam().mute_ports);
  for (const auto& mute : outcome.report.mute) EXPECT_FALSE(mute.node);
}

TEST_P(FabricSweepMute, WhatWasKnownBehindIsCarriedOver) {
  SimulatedSubnet subnet(support::assign_lids(support::ft2_k4()));
  const model::NodeGuid mute = support::node_named(*subnet.source, GetParam().node).guid;
  auto known = subnet.found().fabric;
  subnet.devices.mute(mute);
  for (int again = 0; again < 3; ++again) {
    const SweepOutcome outcome = subnet.found(known);
    expect_same(*outcome.fabric, *subnet.source);
    EXPECT_FALSE(outcome.routes.contains(mute));
    ASSERT_EQ(outcome.report.mute.size(), GetParam().mute_ports);
    for (const auto& entry : outcome.report.mute) {
      EXPECT_EQ(entry.node, mute);
      EXPECT_NE(entry.text.find(GetParam().node), std::string::npos) << entry.text;
    }
    known = outcome.fabric;
  }
  subnet.devices.unmute(mute);
  const SweepOutcome outcome = subnet.found(known);
  EXPECT_TRUE(outcome.report.mute.empty());
  EXPECT_TRUE(outcome.routes.contains(mute));
}

INSTANTIATE_TEST_SUITE_P(Devices, FabricSweepMute,
                         testing::Values(Silence{"host", "host-00005 HCA-1", 1, 1, 1},
                                         Silence{"leaf", "leaf-0002", 3, 4, 2},
                                         Silence{"spine", "spine-0001", 1, 4, 4}),
                         [](const testing::TestParamInfo<Silence>& silence) {
                           return silence.param.name;
                         });

TEST(FabricSweepFaults, AMuteDeviceThatIsAlsoCutOffIsGone) {
  SimulatedSubnet subnet(support::ft2_k4());
  const model::Node& spine = support::node_named(*subnet.source, "spine-0001");
  subnet.devices.mute(spine.guid);
  for (std::uint8_t port = 1; port <= 4; ++port) subnet.devices.cut({spine.guid, PortNum{port}});
  const SweepOutcome outcome = subnet.found(subnet.source);
  EXPECT_FALSE(outcome.fabric->find_node(spine.guid));
  EXPECT_TRUE(outcome.report.mute.empty());
}

TEST(FabricSweepFaults, OfAMuteDeviceOnlyCablesThatAreStillUpAreCarriedOver) {
  SimulatedSubnet subnet(support::ft2_k4());
  const model::Node& spine = support::node_named(*subnet.source, "spine-0001");
  subnet.devices.mute(spine.guid);
  subnet.devices.cut({spine.guid, PortNum{std::uint8_t{2}}});
  const SweepOutcome outcome = subnet.found(subnet.source);
  EXPECT_TRUE(outcome.fabric->find_node(spine.guid));
  EXPECT_EQ(outcome.fabric->links().size(), subnet.source->links().size() - 1);
  EXPECT_TRUE(outcome.fabric->anomalies().empty());
}

TEST(FabricSweepFaults, ADeadSwitchBehindAMuteOneIsNotCarriedOver) {
  // Every cable that leads from answering switches to core-0003 is down; only the mute spine hides
  // whether its own is.
  SimulatedSubnet subnet(support::ft3_k4());
  const model::Node* const core = &support::node_named(*subnet.source, "core-0003");
  const model::NodeIndex index = *subnet.source->find_node(core->guid);
  const model::PortIndex last = *subnet.source->find_port(index, PortNum{std::uint8_t{4}});
  const model::NodeIndex spine = subnet.source->port(*subnet.source->peer(last)).node;
  subnet.devices.mute(subnet.source->node(spine).guid);
  for (std::uint8_t port = 1; port <= 4; ++port) subnet.devices.cut({core->guid, PortNum{port}});
  const SweepOutcome outcome = subnet.found(subnet.source);
  EXPECT_FALSE(outcome.fabric->find_node(core->guid));
  EXPECT_TRUE(outcome.fabric->find_node(subnet.source->node(spine).guid));
}

TEST(FabricSweepFaults, ManyMuteHostsCostNoMoreTimeThanOne) {
  SimulatedSubnet subnet(support::ft3_k8());
  std::size_t muted = 0;
  for (const model::Node& node : subnet.source->nodes()) {
    if (node.kind != model::NodeKind::kHostAdapter || muted == 100) continue;
    if (node.guid == SimulatedSubnet::first_adapter_port(*subnet.source).node) continue;
    subnet.devices.mute(node.guid);
    ++muted;
  }
  const mad::Clock::time_point begin = subnet.transport.now();
  const SweepOutcome outcome = subnet.found();
  EXPECT_LT(subnet.transport.now() - begin, kGivenUp + kSlack);
  EXPECT_EQ(outcome.report.mute.size(), muted);
  EXPECT_EQ(outcome.fabric->nodes().size(), subnet.source->nodes().size() - muted);
}

TEST(FabricSweepFaults, ALossyFabricIsFoundWholeByAskingAgain) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedSubnet subnet(
        support::assign_lids(support::ft3_k4()),
        {.faults = {.jitter = std::chrono::microseconds{100}, .loss = 0.1, .seed = seed},
         .engine = {.attempts = 6}});
    const SweepOutcome outcome = subnet.found();
    expect_same(*outcome.fabric, *subnet.source);
    EXPECT_GT(subnet.engine.stats().retries, 0U);
  }
}

TEST(FabricSweepFaults, AQuestionLostForGoodLeavesThePortAsItWasBefore) {
  SimulatedSubnet subnet(support::assign_lids(support::ft2_k4()));
  const auto known = subnet.found().fabric;
  // PortInfo of port 2 of the first leaf: a host's cable, whose other end nobody else knows.
  const auto rule = [](const mad::Header& header, const mad::DirectedRoute& way, mad::MadBytes&) {
    const bool it =
        header.attribute == mad::smp::kPortInfo && header.modifier == 2 && way == route_of(1);
    return it ? Meddler::Fate::kLose : Meddler::Fate::kPass;
  };
  subnet.meddler.set_rule(rule);
  expect_same(*subnet.found(known).fabric, *subnet.source);

  SimulatedSubnet fresh(support::assign_lids(support::ft2_k4()));
  fresh.meddler.set_rule(rule);
  const SweepOutcome outcome = fresh.found();
  EXPECT_EQ(outcome.fabric->nodes().size(), fresh.source->nodes().size() - 1);
  const PortKey port = support::port_at(*fresh.source, "leaf-0000", 2);
  EXPECT_EQ(outcome.fabric->port(*outcome.fabric->find_port(port)).state,
            model::PortState::kUnknown);
}

TEST(FabricSweepFaults, ADeviceThatBacksOffForOtherReasonsIsStillRead) {
  SimulatedSubnet subnet(support::assign_lids(support::two_switches()));
  const model::NodeGuid leaf = support::node_named(*subnet.source, "leaf-0001").guid;
  bool done = false;
  subnet.meddler.set_rule([](const mad::Header& header, const mad::DirectedRoute&, mad::MadBytes&) {
    return header.attribute == mad::smp::kSmInfo ? Meddler::Fate::kLose : Meddler::Fate::kPass;
  });
  subnet.engine.submit({.attribute = mad::smp::kSmInfo,
                        .to = route_of(1, 3),
                        .port_select = {},
                        .target = leaf,
                        .job = 99},
                       [&](const model::Result<mad::Reply>&) { done = true; });
  ASSERT_TRUE(subnet.run_until(done));
  ASSERT_EQ(subnet.engine.mute_devices(), std::vector<model::NodeGuid>{leaf});
  expect_same(*subnet.found().fabric, *subnet.source);
}

TEST(FabricSweepFaults, ACableThatLosesEverythingIsNamedAndItsDeviceIsNotCalledMute) {
  SimulatedSubnet subnet(support::ft2_k4());
  const auto known = subnet.found().fabric;
  const model::NodeGuid spine = support::node_named(*subnet.source, "spine-0001").guid;
  // Whatever goes over the cable between the second leaf and the second spine, from either side.
  const auto far_leaf = route_of(1, 3, 2);
  subnet.meddler.set_rule(
      [far_leaf](const mad::Header&, const mad::DirectedRoute& way, mad::MadBytes&) {
        return way == far_leaf.then(PortNum{std::uint8_t{4}}) || way == route_of(1, 4, 2)
                   ? Meddler::Fate::kLose
                   : Meddler::Fate::kPass;
      });
  const SweepOutcome outcome = subnet.found(known);
  expect_same(*outcome.fabric, *subnet.source);
  ASSERT_FALSE(outcome.report.mute.empty());
  for (const auto& entry : outcome.report.mute) {
    EXPECT_FALSE(entry.node);
    EXPECT_NE(entry.text.find("answers elsewhere"), std::string::npos) << entry.text;
  }
  EXPECT_TRUE(outcome.routes.contains(spine));
}

TEST(FabricSweepFaults, FailsIfTheLocalPortDoesNotAnswer) {
  SimulatedSubnet subnet(support::two_switches());
  subnet.devices.mute(SimulatedSubnet::first_adapter_port(*subnet.source).node);
  const auto result = subnet.sweep();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, model::Errc::kTimeout);
  EXPECT_NE(result.error().text.find("local port"), std::string::npos);
}

TEST(FabricSweepFaults, AloneIsAFabricOfOneNode) {
  SimulatedSubnet subnet(support::two_switches());
  const PortKey self = SimulatedSubnet::first_adapter_port(*subnet.source);
  subnet.devices.cut(self);
  const SweepOutcome outcome = subnet.found();
  EXPECT_EQ(outcome.fabric->nodes().size(), 1U);
  EXPECT_EQ(outcome.fabric->port(*outcome.fabric->find_port(self)).physical_state,
            model::PhysicalState::kPolling);
}

/// A sweep that is disturbed after a number of turns of the engine.
class FabricSweepDisturbed : public testing::TestWithParam<int> {
 protected:
  void begin() {
    sweep_ = std::make_unique<FabricSweep>(subnet_.engine, FabricSweep::Options{}, nullptr);
    sweep_->start([this](model::Result<SweepOutcome> result) {
      ++calls_;
      if (!result) error_ = result.error().code;
    });
    for (int turn = 0; turn < GetParam(); ++turn) {
      ASSERT_TRUE(subnet_.engine.run_once(milliseconds{1}));
    }
  }
  SimulatedSubnet subnet_{support::ft3_k8(),
                          {.faults = {.delay = std::chrono::microseconds{1500}}}};
  std::unique_ptr<FabricSweep> sweep_;
  int calls_ = 0;
  std::optional<model::Errc> error_;
};

TEST_P(FabricSweepDisturbed, CanBeCancelledAndTellsSoOnce) {
  begin();
  ASSERT_EQ(calls_, 0);
  sweep_->cancel();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(error_, model::Errc::kCancelled);
  sweep_->cancel();
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(subnet_.engine.idle());
  expect_same(*subnet_.found().fabric, *subnet_.source);
}

TEST_P(FabricSweepDisturbed, EndsWhenTheDeviceIsUnplugged) {
  begin();
  subnet_.transport.unplug();
  for (int turn = 0; turn < 10; ++turn) static_cast<void>(subnet_.engine.run_once(milliseconds{1}));
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(error_, model::Errc::kUnavailable);
}

TEST_P(FabricSweepDisturbed, MayBeDroppedAtAnyTime) {
  begin();
  sweep_.reset();
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(subnet_.engine.idle());
}

INSTANTIATE_TEST_SUITE_P(AfterTurns, FabricSweepDisturbed, testing::Values(0, 1, 3, 8));

TEST(FabricSweepFaults, TheOwnerMayDropTheSweepWhenItIsCalledBack) {
  SimulatedSubnet subnet(support::two_switches());
  auto sweep = std::make_unique<FabricSweep>(subnet.engine, FabricSweep::Options{}, nullptr);
  bool done = false;
  sweep->start([&](const model::Result<SweepOutcome>& result) {
    EXPECT_TRUE(result);
    sweep.reset();
    done = true;
  });
  ASSERT_TRUE(subnet.run_until(done));
  EXPECT_EQ(sweep, nullptr);
}

}  // namespace
}  // namespace heddle::discovery
