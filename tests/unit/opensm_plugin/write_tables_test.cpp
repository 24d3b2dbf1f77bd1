#include "plugins/opensm/write_tables.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plain_subnet.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::Fabric;
using model::ForwardingTables;
using model::SwitchIndex;
using routing::Availability;
using routing::Graph;

constexpr std::uint8_t kNoPath = PlainSubnet::kNoPath;

class WriteTablesTest : public testing::Test {
 protected:
  model::Result<Written> write(PlainSubnet& plain, std::size_t threads = 1) {
    routing::Workers workers(threads);
    return write_tables(graph_, availability_, tables(), plain.subnet(), workers);
  }
  ForwardingTables tables() const { return support::shortest_tables(graph_, availability_); }
  SwitchIndex switch_named(std::string_view name) const {
    return *fabric_.switch_index(*fabric_.find_node(support::node_named(fabric_, name).guid));
  }
  std::uint16_t lid_of(SwitchIndex sw) const { return graph_.lid(sw)->value(); }
  PlainSubnet::Tables& of(PlainSubnet& plain, SwitchIndex sw) const {
    return plain.tables(graph_.guid(sw).value());
  }

  const Fabric fabric_ = support::assign_lids(support::ft2_k4());
  const Graph graph_ = support::graph_of(fabric_);
  Availability availability_{graph_};
};

TEST_F(WriteTablesTest, RowsAreThoseOfTheTables) {
  PlainSubnet plain(fabric_);
  const auto written = write(plain);
  ASSERT_TRUE(written);
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    EXPECT_TRUE(std::ranges::equal(of(plain, SwitchIndex{s}).next, tables().row(SwitchIndex{s})));
  }
  EXPECT_EQ(written->entries, graph_.switch_count() * graph_.destinations().size());
  EXPECT_EQ(written->changed, written->entries) << "the switches hold nothing yet";
}

TEST_F(WriteTablesTest, WhatTheSwitchesHoldIsNotCountedAsChanged) {
  PlainSubnet plain(fabric_);
  ASSERT_TRUE(write(plain));
  plain.adopt();
  EXPECT_EQ(write(plain)->changed, 0U);
  EXPECT_EQ(write(plain)->blocks, 0U);
  std::vector<std::uint8_t>& present = of(plain, SwitchIndex{}).present;
  present[1] = static_cast<std::uint8_t>(present[1] + 1);
  EXPECT_EQ(write(plain)->changed, 1U);
  EXPECT_EQ(write(plain)->blocks, 1U);
  // A switch that has been asked for fewer LIDs than there are.
  plain.switches.front().present_size = 1;
  EXPECT_EQ(write(plain)->changed, graph_.destinations().size());
}

TEST_F(WriteTablesTest, LidsOfNobodyAndOfWhatIsAwayHaveNoEntry) {
  const std::uint16_t top = static_cast<std::uint16_t>(graph_.top_lid().value() + 70);
  PlainSubnet plain(fabric_, 1, top);
  const SwitchIndex spine = switch_named("spine-0001");
  availability_.take_down(routing::TerminalIndex{});
  availability_.take_down(spine);
  const std::uint16_t host = graph_.terminals().front().lid->value();
  plain.switches.erase(
      std::ranges::find(plain.switches, graph_.guid(spine).value(), &heddle_switch::guid));
  const auto written = write(plain);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->entries, plain.switches.size() * graph_.destinations().size());
  EXPECT_EQ(written->changed, plain.switches.size() * (graph_.destinations().size() - 2));
  for (const heddle_switch& sw : plain.switches) {
    const auto& next = plain.tables(sw.guid).next;
    EXPECT_EQ(next[0], kNoPath);
    EXPECT_EQ(next[host], kNoPath);
    EXPECT_EQ(next[lid_of(spine)], kNoPath);
    for (std::size_t lid = graph_.top_lid().value() + 1U; lid <= top; ++lid) {
      EXPECT_EQ(next[lid], kNoPath) << lid;
    }
    EXPECT_THAT(plain.tables(sw.guid).hops[lid_of(spine)], testing::Each(kNoPath));
  }
}

TEST_F(WriteTablesTest, AnEntryThatIsTakenAwayCountsAsChanged) {
  PlainSubnet plain(fabric_);
  ASSERT_TRUE(write(plain));
  plain.adopt();
  availability_.take_down(routing::TerminalIndex{});
  EXPECT_EQ(write(plain)->changed, graph_.switch_count());
}

TEST_F(WriteTablesTest, NothingIsWrittenBeyondTheLidsOfASwitch) {
  PlainSubnet plain(fabric_);
  for (heddle_switch& sw : plain.switches) sw.top_lid = 5;
  const auto written = write(plain);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->entries, graph_.switch_count() * 5);
  for (const heddle_switch& sw : plain.switches) {
    const PlainSubnet::Tables& tables = plain.tables(sw.guid);
    for (std::size_t lid = 6; lid < tables.next.size(); ++lid) {
      EXPECT_EQ(tables.next[lid], kNoPath);
      EXPECT_THAT(tables.hops[lid], testing::IsEmpty());
    }
  }
}

TEST_F(WriteTablesTest, HopRowsHoldTheWayThroughEachPortAndTheShortestAtZero) {
  PlainSubnet plain(fabric_);
  ASSERT_TRUE(write(plain));
  const SwitchIndex leaf = switch_named("leaf-0000");
  const SwitchIndex other = switch_named("leaf-0003");
  const SwitchIndex spine = switch_named("spine-0000");
  // Leaf: hosts on 1 and 2, spines on 3 and 4.
  EXPECT_THAT(of(plain, leaf).hops[lid_of(leaf)], testing::ElementsAre(0, kNoPath, kNoPath, 2, 2));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(other)], testing::ElementsAre(2, kNoPath, kNoPath, 2, 2));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(spine)], testing::ElementsAre(1, kNoPath, kNoPath, 1, 3));
  EXPECT_THAT(of(plain, spine).hops[lid_of(leaf)], testing::ElementsAre(1, 1, 3, 3, 3));
  for (const heddle_switch& sw : plain.switches) {
    for (const routing::Terminal& terminal : graph_.terminals()) {
      EXPECT_THAT(plain.tables(sw.guid).hops[terminal.lid->value()], testing::IsEmpty())
          << "OpenSM counts one more to what hangs on a switch";
    }
  }
}

TEST_F(WriteTablesTest, HopRowsOfAnEarlierSweepAreOverwrittenWhole) {
  PlainSubnet plain(fabric_);
  const SwitchIndex leaf = switch_named("leaf-0000");
  const SwitchIndex other = switch_named("leaf-0003");
  of(plain, leaf).hops[lid_of(other)] = {7, 7, 7, 7, 7};
  // The cable from the leaf to the spine on its port 3 is cut.
  for (std::uint32_t a = 0; a < graph_.arcs().size(); ++a) {
    const routing::Arc& arc = graph_.arc(routing::ArcIndex{a});
    if (arc.from == leaf && arc.exit.value() == 3) {
      availability_.take_down(graph_, routing::ArcIndex{a});
    }
  }
  ASSERT_TRUE(write(plain));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(other)],
              testing::ElementsAre(2, kNoPath, kNoPath, kNoPath, 2));
}

TEST_F(WriteTablesTest, ASwitchWithFewerPortsInItsRowsThanInTheFabricIsNotOverrun) {
  PlainSubnet plain(fabric_);
  const SwitchIndex leaf = switch_named("leaf-0000");
  const auto entry =
      std::ranges::find(plain.switches, graph_.guid(leaf).value(), &heddle_switch::guid);
  entry->hop_size = 4;
  of(plain, leaf).ports = 4;
  ASSERT_TRUE(write(plain));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(switch_named("leaf-0003"))],
              testing::ElementsAre(2, kNoPath, kNoPath, 2));
}

TEST_F(WriteTablesTest, UnconnectedSwitchesAreNoHopsAway) {
  PlainSubnet plain(fabric_);
  const SwitchIndex leaf = switch_named("leaf-0000");
  for (std::uint32_t a = 0; a < graph_.arcs().size(); ++a) {
    if (graph_.arc(routing::ArcIndex{a}).from == leaf) {
      availability_.take_down(graph_, routing::ArcIndex{a});
    }
  }
  ASSERT_TRUE(write(plain));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(switch_named("leaf-0003"))], testing::Each(kNoPath));
  EXPECT_THAT(of(plain, leaf).hops[lid_of(leaf)],
              testing::ElementsAre(0, kNoPath, kNoPath, kNoPath, kNoPath));
}

TEST_F(WriteTablesTest, NoMemoryForARowAndASwitchOfNobodyAreReasonsToGiveUp) {
  PlainSubnet poor(fabric_);
  of(poor, switch_named("spine-0001")).has_memory = false;
  const auto without_memory = write(poor, 4);
  ASSERT_FALSE(without_memory);
  EXPECT_EQ(without_memory.error().code, model::Errc::kUnavailable);
  PlainSubnet odd(fabric_);
  odd.switches.front().guid = 0xDEAD;
  const auto unknown = write(odd, 4);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, model::Errc::kConflict);
}

TEST_F(WriteTablesTest, TheNumberOfThreadsDoesNotShow) {
  PlainSubnet one(fabric_);
  PlainSubnet seven(fabric_);
  ASSERT_TRUE(write(one, 1));
  ASSERT_TRUE(write(seven, 7));
  EXPECT_EQ(one.next(), seven.next());
  for (const heddle_switch& sw : one.switches) {
    EXPECT_EQ(one.tables(sw.guid).hops, seven.tables(sw.guid).hops);
  }
}

}  // namespace
}  // namespace heddle::plugin
