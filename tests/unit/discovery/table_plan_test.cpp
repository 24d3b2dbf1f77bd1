#include "discovery/table_plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "discovery/table_sweep.hpp"
#include "support/topologies.hpp"

namespace heddle::discovery {
namespace {

using model::NodeGuid;
using model::PortNum;

PortNum number(std::size_t value) { return PortNum{static_cast<std::uint8_t>(value)}; }

/// What a sweep of `fabric` would tell, without sweeping. Ways are all the same: planning looks at
/// whether there is one.
SweepOutcome outcome_of(model::Fabric fabric) {
  SweepOutcome outcome;
  outcome.fabric = std::make_shared<const model::Fabric>(std::move(fabric));
  for (std::uint32_t i = 0; i < outcome.fabric->nodes().size(); ++i) {
    const model::NodeIndex node{i};
    const NodeGuid guid = outcome.fabric->node(node).guid;
    outcome.routes[guid] = {};
    outcome.partition_capacity[guid] = 128;
    if (outcome.fabric->switch_index(node)) outcome.switches[guid] = {.linear_fdb_top = 20};
  }
  return outcome;
}

/// Tables as if all had been read.
model::FabricTables full_tables(const SweepOutcome& outcome) {
  model::FabricTables tables;
  tables.fabric = outcome.fabric;
  const model::Fabric& fabric = *outcome.fabric;
  tables.forwarding =
      model::ForwardingTables(fabric.switches().size(), model::Lid{std::uint16_t{20}});
  for (std::uint32_t i = 0; i < fabric.switches().size(); ++i) {
    tables.forwarding.mark_known(model::SwitchIndex{i});
  }
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    const model::NodeIndex node{i};
    const NodeGuid guid = fabric.node(node).guid;
    for (const PortPair& pair : sl_to_vl_pairs(fabric, node)) {
      tables.sl_to_vl.set(guid, pair.in, pair.out, {});
    }
    for (const PortNum port : end_ports(fabric, node)) {
      tables.partitions[{guid, port}] = {model::PKey{std::uint16_t{0xFFFF}}};
    }
  }
  return tables;
}

class TablePlanOn : public testing::Test {
 protected:
  [[nodiscard]] NodeGuid guid(std::string_view name) const {
    return support::node_named(*before_.fabric, name).guid;
  }
  const SweepOutcome before_ = outcome_of(support::assign_lids(support::ft2_k4()));
  SweepOutcome now_ = before_;
  const model::FabricTables previous_ = full_tables(before_);
};

TEST_F(TablePlanOn, AllIsReadTheFirstTime) {
  const TablePlan plan = plan_tables(now_, nullptr, nullptr, 7, 0);
  EXPECT_EQ(plan.forwarding.size(), 6U);
  EXPECT_EQ(plan.sl_to_vl.size(), 14U);
  EXPECT_EQ(plan.partitions.size(), 14U);
  EXPECT_TRUE(plan.subnet_managers);
}

TEST_F(TablePlanOn, OnlySubnetManagersAreReadWhileNothingChanges) {
  const TablePlan plan = plan_tables(now_, &before_, &previous_, 1, 0);
  EXPECT_TRUE(plan.forwarding.empty());
  EXPECT_TRUE(plan.sl_to_vl.empty());
  EXPECT_TRUE(plan.partitions.empty());
  EXPECT_TRUE(plan.subnet_managers);
}

TEST_F(TablePlanOn, ASwitchThatTellsOfAChangeIsRead) {
  now_.switches[guid("leaf-0001")].port_state_change = true;
  now_.switches[guid("spine-0000")].linear_fdb_top = 21;
  const TablePlan plan = plan_tables(now_, &before_, &previous_, 1, 0);
  EXPECT_EQ(plan.forwarding, (std::vector<NodeGuid>{guid("leaf-0001"), guid("spine-0000")}));
  EXPECT_TRUE(plan.sl_to_vl.empty());
}

TEST_F(TablePlanOn, AfterACutAllForwardingTablesAndTheTablesAtTheCutAreRead) {
  const model::PortKey cut = support::port_at(*before_.fabric, "leaf-0002", 3);
  now_ = outcome_of(support::without_cable(*before_.fabric, cut));
  const TablePlan plan = plan_tables(now_, &before_, &previous_, 1, 0);
  EXPECT_EQ(plan.forwarding.size(), 6U);
  EXPECT_EQ(plan.sl_to_vl, (std::vector<NodeGuid>{guid("leaf-0002"), guid("spine-0000")}));
}

TEST_F(TablePlanOn, OtherLidsMayMeanOtherRoutes) {
  now_ = outcome_of(support::assign_lids(*before_.fabric, 1));
  EXPECT_EQ(plan_tables(now_, &before_, &previous_, 1, 0).forwarding.size(), 6U);
}

TEST_F(TablePlanOn, RotationReadsEachSwitchOnceInARound) {
  std::vector<NodeGuid> seen;
  for (std::uint64_t round = 0; round < 3; ++round) {
    const TablePlan plan = plan_tables(now_, &before_, &previous_, round, 3);
    EXPECT_EQ(plan.forwarding.size(), 2U);
    seen.insert(seen.end(), plan.forwarding.begin(), plan.forwarding.end());
  }
  std::ranges::sort(seen);
  EXPECT_TRUE(std::ranges::unique(seen).empty());
  EXPECT_EQ(seen.size(), 6U);
}

TEST_F(TablePlanOn, WhatCouldNotBeReadIsTriedAgain) {
  model::FabricTables holes = previous_;
  holes.forwarding =
      model::ForwardingTables(previous_.forwarding.switch_count(), model::Lid{std::uint16_t{20}});
  for (std::uint32_t i = 0; i < holes.forwarding.switch_count(); ++i) {
    if (i != 2) holes.forwarding.mark_known(model::SwitchIndex{i});
  }
  holes.sl_to_vl.erase(guid("spine-0001"));
  holes.partitions.erase({guid("leaf-0003"), number(0)});
  const TablePlan plan = plan_tables(now_, &before_, &holes, 1, 0);
  EXPECT_EQ(plan.forwarding.size(), 1U);
  EXPECT_EQ(plan.sl_to_vl, std::vector<NodeGuid>{guid("spine-0001")});
  EXPECT_EQ(plan.partitions, std::vector<NodeGuid>{guid("leaf-0003")});
}

TEST_F(TablePlanOn, NodesThatDidNotAnswerAreLeftOut) {
  now_.routes.erase(guid("spine-0001"));
  const TablePlan plan = plan_tables(now_, nullptr, nullptr, 1, 0);
  EXPECT_EQ(plan.forwarding.size(), 5U);
  EXPECT_EQ(plan.partitions.size(), 13U);
}

TEST(SlToVlPairs, LeaveOutPortsWithOneDataLane) {
  model::Fabric fabric = support::without_cable(
      support::ft2_k4(), support::port_at(support::ft2_k4(), "leaf-0000", 1));
  const model::NodeIndex leaf = *fabric.find_node(support::node_named(fabric, "leaf-0000").guid);
  EXPECT_EQ(sl_to_vl_pairs(fabric, leaf).size(), 9U) << "three cables: 0 and two inputs each";
}

}  // namespace
}  // namespace heddle::discovery
