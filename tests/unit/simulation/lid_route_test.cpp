#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>

#include "questions.hpp"
#include "support/topologies.hpp"

// Where packets with a LID get to.
namespace heddle::simulation {
namespace {

using support::node_named;
using support::port_at;

model::Lid lid_of(const model::Fabric& fabric, model::PortKey key) {
  return *fabric.management_lid(*fabric.find_port(key));
}

class LidRoutes : public testing::Test {
 protected:
  std::string at_lid(model::Lid lid) {
    const auto answer = devices_.answer(lid_routed({mad::smp::kNodeDescription}), lid);
    return answer ? mad::node_description_from_wire(mad::smp_data(*answer)) : std::string{};
  }
  std::string at(std::string_view name, std::uint8_t port) {
    return at_lid(lid_of(*fabric_, port_at(*fabric_, name, port)));
  }
  bool counts(std::string_view name, std::uint8_t port) {
    return devices_
        .answer(performance(mad::pma::kPortCounters, 1),
                lid_of(*fabric_, port_at(*fabric_, name, port)))
        .has_value();
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::ft2_k4()));
  SimulatedFabric devices_{fabric_, port_at(*fabric_, "host-00000 HCA-1", 1)};
};

TEST_F(LidRoutes, LeadToEveryEndPortAndSwitch) {
  EXPECT_EQ(at("host-00000 HCA-1", 1), "host-00000 HCA-1");
  EXPECT_EQ(at("host-00007 HCA-1", 1), "host-00007 HCA-1");
  EXPECT_EQ(at("leaf-0002", 0), "leaf-0002");
  EXPECT_EQ(at("spine-0001", 0), "spine-0001");
}

TEST_F(LidRoutes, EndInSilenceAtALidThatNobodyHas) {
  EXPECT_EQ(at_lid(model::Lid{std::uint16_t{0}}), "");
  EXPECT_EQ(at_lid(model::Lid{std::uint16_t{500}}), "");
  EXPECT_FALSE(devices_.answer(lid_routed({mad::smp::kNodeInfo}), std::nullopt).has_value());
}

TEST_F(LidRoutes, FindTheirWayRoundACut) {
  devices_.cut(port_at(*fabric_, "leaf-0000", 3));
  EXPECT_EQ(at("spine-0000", 0), "spine-0000");
  devices_.cut(port_at(*fabric_, "leaf-0000", 4));
  EXPECT_EQ(at("spine-0000", 0), "");
  EXPECT_EQ(at("host-00007 HCA-1", 1), "");
  EXPECT_EQ(at("host-00001 HCA-1", 1), "host-00001 HCA-1");
  devices_.restore(port_at(*fabric_, "leaf-0000", 4));
  EXPECT_EQ(at("host-00007 HCA-1", 1), "host-00007 HCA-1");
}

TEST_F(LidRoutes, LeadHomeEvenWithTheOwnCableCut) {
  devices_.cut(port_at(*fabric_, "host-00000 HCA-1", 1));
  EXPECT_EQ(at("host-00000 HCA-1", 1), "host-00000 HCA-1");
  EXPECT_EQ(at("leaf-0000", 0), "");
}

TEST_F(LidRoutes, PassThroughMuteSwitches) {
  for (const char* spine : {"spine-0000", "spine-0001"}) {
    devices_.mute(node_named(*fabric_, spine).guid);
  }
  EXPECT_EQ(at("spine-0000", 0), "");
  EXPECT_FALSE(counts("spine-0000", 0));
  EXPECT_EQ(at("leaf-0003", 0), "leaf-0003");
  EXPECT_TRUE(counts("leaf-0003", 0));
}

TEST_F(LidRoutes, ReachTheManagementButNotTheCountersOfAPerformanceMuteNode) {
  const model::NodeGuid leaf = node_named(*fabric_, "leaf-0001").guid;
  devices_.mute_performance(leaf);
  EXPECT_EQ(at("leaf-0001", 0), "leaf-0001");
  EXPECT_FALSE(counts("leaf-0001", 0));
  devices_.unmute_performance(leaf);
  EXPECT_TRUE(counts("leaf-0001", 0));
}

TEST(LidRoutesOfARange, LeadToOnePortByAllItsLids) {
  const auto fabric =
      std::make_shared<const model::Fabric>(support::assign_lids(support::two_switches(), 2));
  SimulatedFabric devices(fabric, port_at(*fabric, "host-00000 HCA-1", 1));
  const model::Lid base = lid_of(*fabric, port_at(*fabric, "host-00003 HCA-1", 1));
  for (std::uint16_t offset = 0; offset < 4; ++offset) {
    const model::Lid lid{static_cast<std::uint16_t>(base.value() + offset)};
    const auto answer = devices.answer(lid_routed({mad::smp::kNodeDescription}), lid);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(mad::node_description_from_wire(mad::smp_data(*answer)), "host-00003 HCA-1");
  }
}

TEST(LidRoutesOfATwoPortHost, NeedTheCableOfThePortThatHasTheLid) {
  const auto fabric =
      std::make_shared<const model::Fabric>(support::assign_lids(support::hybrid_two_homed()));
  SimulatedFabric devices(fabric, port_at(*fabric, "host-00000 HCA-1", 1));
  const auto answers = [&](std::string_view name, std::uint8_t port) {
    return devices
        .answer(lid_routed({mad::smp::kNodeInfo}), lid_of(*fabric, port_at(*fabric, name, port)))
        .has_value();
  };
  devices.cut(port_at(*fabric, "host-00003 HCA-1", 1));
  EXPECT_FALSE(answers("host-00003 HCA-1", 1));
  EXPECT_TRUE(answers("host-00003 HCA-1", 2));
  // Hosts do not pass packets on: all of host 0's way out is its own port 1.
  devices.cut(port_at(*fabric, "host-00000 HCA-1", 1));
  EXPECT_FALSE(answers("host-00000 HCA-1", 2));
  EXPECT_FALSE(answers("host-00003 HCA-1", 2));
}

std::uint64_t seed() {
  const char* const text = std::getenv("HEDDLE_SEED");
  return text == nullptr ? 20240607 : std::strtoull(text, nullptr, 10);
}

/// All that packets from `from` can reach over the cables of `fabric`, by repeated relaxation.
std::set<std::uint32_t> reachable_switches(const model::Fabric& fabric,
                                           const std::set<std::uint32_t>& cut,
                                           model::NodeIndex from) {
  std::set<std::uint32_t> reached{from.value()};
  for (bool grows = true; grows;) {
    grows = false;
    for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
      const model::Link& link = fabric.links()[i];
      if (cut.contains(i)) continue;
      const std::uint32_t a = fabric.port(link.a).node.value();
      const std::uint32_t b = fabric.port(link.b).node.value();
      const auto is_switch = [&](std::uint32_t node) {
        return fabric.node(model::NodeIndex{node}).kind == model::NodeKind::kSwitch;
      };
      if (!is_switch(a) || !is_switch(b) || reached.contains(a) == reached.contains(b)) continue;
      reached.insert(a);
      reached.insert(b);
      grows = true;
    }
  }
  return reached;
}

TEST(LidRoutesUnderRandomCuts, ReachExactlyWhatASlowSearchReaches) {
  const std::uint64_t used = seed();
  SCOPED_TRACE(testing::Message() << "HEDDLE_SEED=" << used);
  std::mt19937_64 random(used);
  const auto fabric =
      std::make_shared<const model::Fabric>(support::assign_lids(support::df_a4h2p2()));
  SimulatedFabric devices(fabric, port_at(*fabric, "router-00-00", 0));
  const model::NodeIndex home = *fabric->find_node(node_named(*fabric, "router-00-00").guid);
  std::set<std::uint32_t> cut;
  for (int step = 0; step < 120; ++step) {
    const auto link = static_cast<std::uint32_t>(random() % fabric->links().size());
    const model::PortKey port = fabric->key(fabric->links()[link].a);
    // Mostly cuts, so that the fabric falls apart on the way.
    if (random() % 4 != 0) {
      devices.cut(port);
      cut.insert(link);
    } else {
      devices.restore(port);
      cut.erase(link);
    }
    const std::set<std::uint32_t> expected = reachable_switches(*fabric, cut, home);
    for (const model::NodeIndex sw : fabric->switches()) {
      const bool answers = devices
                               .answer(lid_routed({mad::smp::kNodeInfo}),
                                       *fabric->management_lid(fabric->first_port(sw)))
                               .has_value();
      ASSERT_EQ(answers, expected.contains(sw.value())) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace heddle::simulation
