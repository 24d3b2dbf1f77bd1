#include "discovery/table_sweep.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/topologies.hpp"
#include "unit/discovery/table_bench.hpp"

namespace heddle::discovery {
namespace {

using model::FabricTables;
using model::ForwardingTables;
using model::NodeGuid;
using model::PKey;
using model::PortKey;
using model::PortNum;
using model::SlToVl;
using model::SwitchIndex;

class TableSweepOn : public testing::Test {
 protected:
  TableSweepOn() { subnet_.devices.set_forwarding(tables_); }
  [[nodiscard]] NodeGuid guid(std::string_view name) const {
    return support::node_named(*subnet_.source, name).guid;
  }
  SimulatedSubnet subnet_{support::assign_lids(support::ft2_k4())};
  ForwardingTables tables_ = some_tables(*subnet_.source, 200);
};

TEST_F(TableSweepOn, ForwardingTablesAreThoseOfTheDevices) {
  const SweepOutcome outcome = subnet_.found();
  const auto tables = tables_of(subnet_, outcome, everything(outcome));
  EXPECT_EQ(tables->forwarding, tables_);
  EXPECT_EQ(tables->fabric, outcome.fabric);
  EXPECT_EQ(subnet_.devices.requests(mad::smp::kLinearForwardingTable), 6U * 4U);
}

TEST_F(TableSweepOn, SlToVlIsReadForEachPairOfCabledPortsThatCanDiffer) {
  const SlToVl odd{3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0};
  const NodeGuid spine = guid("spine-0000");
  const NodeGuid host = subnet_.source->nodes()[3].guid;
  subnet_.devices.set_sl_to_vl(spine, number(2), number(4), odd);
  subnet_.devices.set_sl_to_vl(host, number(1), number(1), odd);
  const SweepOutcome outcome = subnet_.found();
  const auto tables = tables_of(subnet_, outcome, everything(outcome));
  ASSERT_NE(tables->sl_to_vl.find(spine, number(2), number(4)), nullptr);
  EXPECT_EQ(*tables->sl_to_vl.find(spine, number(2), number(4)), odd);
  EXPECT_NE(*tables->sl_to_vl.find(spine, number(4), number(2)), odd);
  EXPECT_NE(tables->sl_to_vl.find(spine, number(0), number(1)), nullptr);
  EXPECT_EQ(tables->sl_to_vl.find(spine, number(1), number(1)), nullptr);
  ASSERT_NE(tables->sl_to_vl.find(host, number(1), number(1)), nullptr);
  EXPECT_EQ(*tables->sl_to_vl.find(host, number(1), number(1)), odd);
  // Four outputs, each from port 0 and three inputs, on six switches; and the hosts.
  EXPECT_EQ(tables->sl_to_vl.size(), 6U * 16U + 8U);
}

TEST_F(TableSweepOn, PartitionTablesEndAtTheFirstEmptyBlock) {
  std::vector<PKey> many;
  for (std::uint16_t i = 0; i < 40; ++i) {
    many.emplace_back(static_cast<std::uint16_t>(0x8001 + i));
  }
  const PortKey host{subnet_.source->nodes()[2].guid, number(1)};
  subnet_.devices.set_partitions(host, many);
  const SweepOutcome outcome = subnet_.found();
  const auto tables = tables_of(subnet_, outcome, everything(outcome));
  EXPECT_EQ(tables->partitions.size(), subnet_.source->nodes().size());
  EXPECT_EQ(tables->partitions.at(host), many);
  EXPECT_EQ(tables->partitions.at({guid("leaf-0001"), number(0)}),
            std::vector<PKey>{PKey{std::uint16_t{0xFFFF}}});
  EXPECT_EQ(subnet_.devices.requests(mad::smp::kPKeyTable), 13U * 2U + 3U);
}

TEST_F(TableSweepOn, EachSubnetManagerIsRead) {
  const PortKey host{subnet_.source->nodes()[1].guid, number(1)};
  const PortKey leaf{guid("leaf-0003"), number(0)};
  const model::SubnetManager master{host.node,
                                    host.port,
                                    model::PortGuid{std::uint64_t{77}},
                                    5,
                                    model::SubnetManager::State::kMaster,
                                    1234};
  const model::SubnetManager standby{leaf.node,
                                     leaf.port,
                                     model::PortGuid{std::uint64_t{78}},
                                     1,
                                     model::SubnetManager::State::kStandby,
                                     3};
  subnet_.devices.set_subnet_manager(master);
  subnet_.devices.set_subnet_manager(standby);
  const SweepOutcome outcome = subnet_.found();
  const auto tables = tables_of(subnet_, outcome, everything(outcome));
  EXPECT_EQ(tables->subnet_managers, (std::vector<model::SubnetManager>{master, standby}));
}

TEST_F(TableSweepOn, ATwoPortedHostIsAskedThroughEachOfItsCables) {
  SimulatedSubnet subnet(support::assign_lids(support::hybrid_two_homed()));
  const NodeGuid host = subnet.source->nodes()[1].guid;
  const SlToVl first{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const SlToVl second{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  subnet.devices.set_sl_to_vl(host, number(1), number(1), first);
  subnet.devices.set_sl_to_vl(host, number(2), number(2), second);
  subnet.devices.set_partitions({host, number(2)}, {PKey{std::uint16_t{0x8123}}});
  const SweepOutcome outcome = subnet.found();
  const auto tables = tables_of(subnet, outcome, everything(outcome));
  EXPECT_EQ(*tables->sl_to_vl.find(host, number(1), number(1)), first);
  EXPECT_EQ(*tables->sl_to_vl.find(host, number(2), number(2)), second);
  EXPECT_EQ(tables->partitions.at({host, number(2)}),
            std::vector<PKey>{PKey{std::uint16_t{0x8123}}});
}

TEST_F(TableSweepOn, WhatDidNotChangeIsNotAskedAgain) {
  const SweepOutcome first = subnet_.found();
  const auto tables = tables_of(subnet_, first, everything(first));
  const auto asked = [&] {
    return subnet_.devices.requests(mad::smp::kLinearForwardingTable) +
           subnet_.devices.requests(mad::smp::kSlToVlTable) +
           subnet_.devices.requests(mad::smp::kPKeyTable);
  };
  const std::uint64_t before = asked();
  const SweepOutcome second = subnet_.found(first.fabric);
  const TablePlan plan = plan_tables(second, &first, tables.get(), 1, 0);
  EXPECT_TRUE(plan.subnet_managers);
  const auto again = tables_of(subnet_, second, plan, tables);
  EXPECT_EQ(asked(), before);
  EXPECT_EQ(again->forwarding, tables->forwarding);
  EXPECT_EQ(again->partitions, tables->partitions);
  EXPECT_EQ(again->sl_to_vl.size(), tables->sl_to_vl.size());
  EXPECT_EQ(again->fabric, second.fabric);
}

TEST_F(TableSweepOn, TablesOfADeviceThatDoesNotAnswerAreThoseOfBefore) {
  const SweepOutcome first = subnet_.found();
  const auto tables = tables_of(subnet_, first, everything(first));
  subnet_.devices.set_forwarding(some_tables(*subnet_.source, 150));
  const SweepOutcome second = subnet_.found(first.fabric);
  const NodeGuid mute = guid("spine-0001");
  subnet_.devices.mute(mute);
  const auto again = tables_of(subnet_, second, everything(second), tables);
  const SwitchIndex sw = *second.fabric->switch_index(*second.fabric->find_node(mute));
  EXPECT_TRUE(again->forwarding.known(sw));
  EXPECT_TRUE(std::ranges::equal(again->forwarding.row(sw), tables->forwarding.row(sw)));
  EXPECT_EQ(again->partitions.at({mute, number(0)}), tables->partitions.at({mute, number(0)}));
  EXPECT_NE(again->sl_to_vl.find(mute, number(1), number(2)), nullptr);

  const auto alone = tables_of(subnet_, second, everything(second));
  EXPECT_FALSE(alone->forwarding.known(sw));
  EXPECT_FALSE(alone->partitions.contains({mute, number(0)}));
  EXPECT_EQ(alone->sl_to_vl.find(mute, number(1), number(2)), nullptr);
}

TEST_F(TableSweepOn, RowsFollowTheirSwitchWhenAnotherIsGone) {
  const SweepOutcome first = subnet_.found();
  const auto tables = tables_of(subnet_, first, everything(first));
  const NodeGuid gone = guid("leaf-0001");
  for (std::uint8_t port = 1; port <= 4; ++port) subnet_.devices.cut({gone, PortNum{port}});
  const SweepOutcome second = subnet_.found(first.fabric);
  ASSERT_EQ(second.fabric->switches().size(), 5U);
  const auto again = tables_of(subnet_, second, {}, tables);
  for (std::uint32_t i = 0; i < 5; ++i) {
    const NodeGuid sw = second.fabric->node(second.fabric->node_of(SwitchIndex{i})).guid;
    const SwitchIndex old = *first.fabric->switch_index(*first.fabric->find_node(sw));
    EXPECT_TRUE(again->forwarding.known(SwitchIndex{i}));
    EXPECT_TRUE(std::ranges::equal(again->forwarding.row(SwitchIndex{i}), tables_.row(old)));
  }
  EXPECT_EQ(again->sl_to_vl.find(gone, number(1), number(3)), nullptr);
  EXPECT_FALSE(again->partitions.contains({gone, number(0)}));
}

TEST_F(TableSweepOn, ShorterTablesLeaveNothingBehind) {
  const SweepOutcome first = subnet_.found();
  const auto tables = tables_of(subnet_, first, everything(first));
  const ForwardingTables shorter = some_tables(*subnet_.source, 20);
  subnet_.devices.set_forwarding(shorter);
  const SweepOutcome second = subnet_.found(first.fabric);
  const TablePlan plan = plan_tables(second, &first, tables.get(), 1, 0);
  EXPECT_EQ(plan.forwarding.size(), 6U) << "LinearFDBTop tells";
  const auto again = tables_of(subnet_, second, plan, tables);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto row = again->forwarding.row(SwitchIndex{i});
    EXPECT_TRUE(std::ranges::equal(row.first(21), shorter.row(SwitchIndex{i})));
    EXPECT_TRUE(std::ranges::all_of(
        row.subspan(21), [](std::uint8_t entry) { return entry == ForwardingTables::kNoPort; }));
  }
}

TEST_F(TableSweepOn, KeepsToThePaceOfTheBackground) {
  SimulatedSubnet slow(support::assign_lids(support::ft2_k4()),
                       {.engine = {.background_per_second = 100}});
  slow.devices.set_forwarding(tables_);
  const SweepOutcome outcome = slow.found();
  const std::uint64_t before = slow.engine.stats().sent;
  const mad::Clock::time_point begin = slow.transport.now();
  static_cast<void>(tables_of(slow, outcome, everything(outcome)));
  const double seconds = std::chrono::duration<double>(slow.transport.now() - begin).count();
  EXPECT_LT(static_cast<double>(slow.engine.stats().sent - before) / seconds, 130);
}

TEST_F(TableSweepOn, CanBeCancelledAndTellsSoOnce) {
  const SweepOutcome outcome = subnet_.found();
  TableSweep sweep(subnet_.engine, {}, outcome, everything(outcome), nullptr);
  int calls = 0;
  model::Errc code{};
  sweep.start([&](const model::Result<std::shared_ptr<const FabricTables>>& result) {
    ++calls;
    if (!result) code = result.error().code;
  });
  ASSERT_TRUE(subnet_.engine.run_once(std::chrono::milliseconds{1}));
  ASSERT_EQ(calls, 0);
  sweep.cancel();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(code, model::Errc::kCancelled);
  EXPECT_TRUE(subnet_.engine.idle());
}

TEST_F(TableSweepOn, EndsWhenTheDeviceIsUnplugged) {
  const SweepOutcome outcome = subnet_.found();
  subnet_.transport.unplug();
  const auto result = read(subnet_, outcome, everything(outcome));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, model::Errc::kUnavailable);
}

TEST_F(TableSweepOn, AnEmptyPlanEndsAtOnceWithWhatWasKnown) {
  const SweepOutcome outcome = subnet_.found();
  const auto tables = tables_of(subnet_, outcome, everything(outcome));
  TablePlan nothing;
  nothing.subnet_managers = false;
  ASSERT_TRUE(nothing.empty());
  const std::uint64_t before = subnet_.engine.stats().sent;
  const auto again = tables_of(subnet_, outcome, nothing, tables);
  EXPECT_EQ(subnet_.engine.stats().sent, before);
  EXPECT_EQ(again->forwarding, tables->forwarding);
}

}  // namespace
}  // namespace heddle::discovery
