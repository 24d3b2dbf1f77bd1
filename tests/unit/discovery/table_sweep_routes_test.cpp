#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "discovery/table_sweep.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/table_bench.hpp"

/// Cables that move while tables are read: routes then lead to another device than before.
namespace heddle::discovery {
namespace {

using model::FabricTables;
using model::NodeGuid;
using model::PortKey;
using model::SwitchIndex;

class TableRoutes : public testing::Test {
 protected:
  TableRoutes() { subnet_.devices.set_forwarding(tables_); }

  [[nodiscard]] NodeGuid guid(std::string_view name) const {
    return support::node_named(*subnet_.source, name).guid;
  }
  [[nodiscard]] PortKey port(std::string_view name, std::uint8_t number) const {
    return support::port_at(*subnet_.source, name, number);
  }
  [[nodiscard]] static SwitchIndex index_of(const FabricTables& tables, NodeGuid sw) {
    return *tables.fabric->switch_index(*tables.fabric->find_node(sw));
  }
  /// Whether the row is that of the switch itself.
  [[nodiscard]] bool is_own_row(const FabricTables& tables, NodeGuid sw) const {
    const SwitchIndex there = *subnet_.source->switch_index(*subnet_.source->find_node(sw));
    return std::ranges::equal(tables.forwarding.row(index_of(tables, sw)), tables_.row(there));
  }
  /// The leaves 1 and 2 change places, seen from spines.
  void swap_leaves() {
    for (const char* spine : {"spine-0000", "spine-0001"}) {
      subnet_.devices.swap_cables(port(spine, 2), port(spine, 3));
    }
  }
  /// Reads `plan`; calls `at_half` when half of the forwarding blocks were asked for.
  template <class AtHalf>
  std::shared_ptr<const FabricTables> read_with(const SweepOutcome& outcome, const TablePlan& plan,
                                                std::shared_ptr<const FabricTables> previous,
                                                AtHalf at_half) {
    const auto asked = [&] { return subnet_.devices.requests(mad::smp::kLinearForwardingTable); };
    const std::uint64_t half = asked() + plan.forwarding.size() * kBlocks / 2;
    TableSweep sweep(subnet_.engine, {}, outcome, plan, std::move(previous));
    model::Result<std::shared_ptr<const FabricTables>> result =
        model::fail(model::Errc::kCancelled, "never called back");
    bool done = false;
    sweep.start([&](model::Result<std::shared_ptr<const FabricTables>> tables) {
      result = std::move(tables);
      done = true;
    });
    while (asked() < half) {
      if (!subnet_.engine.run_once(std::chrono::milliseconds{10})) ADD_FAILURE();
    }
    EXPECT_FALSE(done);
    at_half();
    EXPECT_TRUE(subnet_.run_until(done));
    return result.value();
  }

  static constexpr std::size_t kBlocks = 4;
  SimulatedSubnet subnet_{support::assign_lids(support::ft2_k4()),
                          {.engine = {.background_per_second = 100}}};
  model::ForwardingTables tables_ = some_tables(*subnet_.source, 200);
};

TEST_F(TableRoutes, TablesOfAnotherDeviceAreNotTakenForThoseOfTheOneMeantWhenACableMoved) {
  const SweepOutcome outcome = subnet_.found();
  const auto tables = read_with(outcome, everything(outcome), nullptr, [this] { swap_leaves(); });
  EXPECT_GE(tables->led_astray, 2U);
  for (const NodeGuid leaf : {guid("leaf-0001"), guid("leaf-0002")}) {
    if (tables->forwarding.known(index_of(*tables, leaf))) {
      EXPECT_TRUE(is_own_row(*tables, leaf)) << "read before the cables moved";
    } else {
      EXPECT_TRUE(tables->unread.forwarding.contains(leaf));
    }
    EXPECT_FALSE(tables->partitions.contains({leaf, number(0)}));
    EXPECT_EQ(tables->sl_to_vl.find(leaf, number(1), number(3)), nullptr);
  }
  EXPECT_TRUE(is_own_row(*tables, guid("leaf-0000"))) << "its cables did not move";
  EXPECT_TRUE(tables->partitions.contains({guid("spine-0001"), number(0)}));
}

TEST_F(TableRoutes, WhatWasDroppedIsReadWithTheNextSweepThoughTheCablesAreAsBefore) {
  const SweepOutcome first = subnet_.found();
  const auto known = tables_of(subnet_, first, everything(first));
  for (std::uint32_t sw = 0; sw < tables_.switch_count(); ++sw) {
    std::ranges::reverse(tables_.row(SwitchIndex{sw}).subspan(1));
  }
  subnet_.devices.set_forwarding(tables_);
  const SweepOutcome second = subnet_.found(first.fabric);
  swap_leaves();
  const auto astray = tables_of(subnet_, second, everything(second), known);
  EXPECT_EQ(astray->unread.forwarding, (std::set<NodeGuid>{guid("leaf-0001"), guid("leaf-0002")}));
  EXPECT_FALSE(is_own_row(*astray, guid("leaf-0001")));
  EXPECT_TRUE(std::ranges::equal(astray->forwarding.row(index_of(*astray, guid("leaf-0001"))),
                                 known->forwarding.row(index_of(*known, guid("leaf-0001")))))
      << "that of before stays";

  swap_leaves();
  const SweepOutcome third = subnet_.found(second.fabric);
  const TablePlan plan = plan_tables(third, &second, astray.get(), 1, 0);
  EXPECT_EQ(plan.forwarding, (std::vector<NodeGuid>{guid("leaf-0001"), guid("leaf-0002")}));
  EXPECT_EQ(plan.sl_to_vl.size(), 2U + 4U) << "and their hosts'";
  const auto again = tables_of(subnet_, third, plan, astray);
  EXPECT_TRUE(is_own_row(*again, guid("leaf-0001")));
  EXPECT_TRUE(is_own_row(*again, guid("leaf-0002")));
  EXPECT_TRUE(again->unread.forwarding.empty());
  EXPECT_TRUE(again->unread.sl_to_vl.empty());
  EXPECT_TRUE(again->unread.partitions.empty());
  EXPECT_EQ(again->led_astray, 0U);
}

TEST_F(TableRoutes, AHostThatIsEnteredByItsOtherPortIsNotTheOneMeant) {
  SimulatedSubnet subnet(support::assign_lids(support::hybrid_two_homed()));
  const SweepOutcome outcome = subnet.found();
  // The two cables of one host change places at the leaves: the same GUID answers, at another port.
  const model::Fabric& fabric = *subnet.source;
  const NodeGuid host = fabric.nodes()[1].guid;
  const auto leaf_port = [&](std::size_t port) {
    return fabric.key(*fabric.peer(*fabric.find_port({host, number(port)})));
  };
  subnet.devices.swap_cables(leaf_port(1), leaf_port(2));
  const auto tables = tables_of(subnet, outcome, everything(outcome));
  EXPECT_EQ(tables->led_astray, 4U) << "P_Keys and SL2VL of either port";
  EXPECT_EQ(tables->sl_to_vl.find(host, number(1), number(1)), nullptr);
  EXPECT_TRUE(tables->unread.sl_to_vl.contains(host));
  EXPECT_TRUE(tables->unread.partitions.contains(host));
}

TEST_F(TableRoutes, WhatANodeThatIsNowMuteStillOwesIsNotForgotten) {
  const SweepOutcome first = subnet_.found();
  swap_leaves();
  const auto astray = tables_of(subnet_, first, everything(first));
  swap_leaves();
  TablePlan nothing;
  nothing.subnet_managers = false;
  const auto later = tables_of(subnet_, first, nothing, astray);
  EXPECT_EQ(later->unread.forwarding, astray->unread.forwarding);
  EXPECT_EQ(later->unread.partitions, astray->unread.partitions);
}

}  // namespace
}  // namespace heddle::discovery
