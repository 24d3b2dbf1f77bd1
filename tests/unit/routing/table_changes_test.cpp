#include "routing/table_changes.hpp"

#include <gmock/gmock.h>

#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/simple_routers.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::Lid;
using model::SwitchIndex;
using support::graph_of;

using Levels = std::vector<std::optional<std::uint8_t>>;

Levels levels_of(const Graph& graph) {
  Levels levels;
  for (const std::uint32_t level : support::tree_levels(graph)) {
    levels.emplace_back(static_cast<std::uint8_t>(level));
  }
  return levels;
}

TableChanges compare(const Graph& graph, const Availability& availability,
                     const ForwardingTables& before, const ForwardingTables& after,
                     const Levels& levels) {
  Workers workers(2);
  return compare_tables(graph, availability, before, after, levels, workers);
}

ArcIndex channel(const Graph& graph, SwitchIndex from, std::uint8_t port) {
  return ArcIndex{graph.target(from, model::PortNum{port}).index};
}

TEST(TableChangesTest, NothingChangesBetweenATableAndItself) {
  const Graph graph = graph_of(support::assign_lids(support::ft3_k4()));
  const ForwardingTables tables = support::d_mod_k_tables(graph);
  const TableChanges none = compare(graph, Availability(graph), tables, tables, levels_of(graph));
  EXPECT_EQ(none.entries + none.blocks + none.switches + none.unavoidable, 0U);
}

TEST(TableChangesTest, CountsEntriesBlocksAndSwitches) {
  const Graph graph = graph_of(support::assign_lids(support::ft3_k8()));  // 208 LIDs
  const ForwardingTables before = support::d_mod_k_tables(graph);
  ForwardingTables after = before;
  for (const std::uint16_t lid : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{100}}) {
    after.row(SwitchIndex{0U})[lid] = 8;
  }
  std::uint8_t& last = after.row(SwitchIndex{5U})[207];
  last = last == 7 ? 8 : 7;
  std::size_t entries = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (std::size_t lid = 0; lid < before.row_length(); ++lid) {
      if (before.row(SwitchIndex{s})[lid] != after.row(SwitchIndex{s})[lid]) ++entries;
    }
  }
  const TableChanges changes = compare(graph, Availability(graph), before, after, levels_of(graph));
  EXPECT_EQ(changes.entries, entries);
  EXPECT_EQ(changes.switches, 2U);
  EXPECT_LE(changes.blocks, 3U);
  EXPECT_EQ(changes.unavoidable, 0U);  // all cables are there
}

TEST(TableChangesTest, ACutCableMakesItsEntriesAndThoseThatLedToItUnavoidable) {
  //  Leaf 0 loses its cable to spine 0: its own entries over it must move, and the other leaves'
  //  entries for its hosts over spine 0, from which no way down leads any more.
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  const ForwardingTables before = support::d_mod_k_tables(graph);
  Availability cut(graph);
  const SwitchIndex leaf = graph.terminals().front().leaf;
  cut.take_down(graph, channel(graph, leaf, 3));
  const SwitchIndex spine = graph.arc(channel(graph, leaf, 3)).to;
  ForwardingTables after = before;
  std::uint64_t expected = 0;
  for (const Destination& destination : graph.destinations()) {
    const std::size_t lid = destination.lid.value();
    if (!destination.terminal) continue;
    if (before.row(leaf)[lid] == 3) {
      after.row(leaf)[lid] = 4;
      ++expected;
    }
    if (destination.at != leaf) continue;
    after.row(spine)[lid] = ForwardingTables::kNoPort;
    ++expected;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      const SwitchIndex other{s};
      if (graph.terminals_of(other).empty() || other == leaf || before.row(other)[lid] != 3)
        continue;
      after.row(other)[lid] = 4;
      ++expected;
    }
  }
  const TableChanges changes = compare(graph, cut, before, after, levels_of(graph));
  EXPECT_EQ(changes.entries, expected);
  EXPECT_EQ(changes.unavoidable, expected);
  // Without levels only what used the cable itself must move.
  const TableChanges unoriented = compare(graph, cut, before, after, {});
  EXPECT_EQ(unoriented.entries, expected);
  EXPECT_LT(unoriented.unavoidable, expected);
  EXPECT_GT(unoriented.unavoidable, 0U);
}

TEST(TableChangesTest, RowsOfSwitchesThatAreDownAreNotSent) {
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  const ForwardingTables before = support::d_mod_k_tables(graph);
  ForwardingTables after = before;
  after.row(SwitchIndex{2U})[1] = ForwardingTables::kNoPort;
  Availability down(graph);
  down.take_down(SwitchIndex{2U});
  EXPECT_EQ(compare(graph, down, before, after, levels_of(graph)).entries, 0U);
}

TEST(TableChangesTest, ShorterRowsGoOnWithoutPorts) {
  const Graph graph = graph_of(support::assign_lids(support::ft2_k4()));
  const ForwardingTables whole = support::d_mod_k_tables(graph);
  const ForwardingTables none(graph.switch_count(), Lid{});
  const TableChanges changes = compare(graph, Availability(graph), none, whole, levels_of(graph));
  std::uint64_t entries = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const std::uint8_t entry : whole.row(SwitchIndex{s})) {
      entries += entry == ForwardingTables::kNoPort ? 0 : 1;
    }
  }
  EXPECT_EQ(changes.entries, entries);
  EXPECT_EQ(changes.unavoidable, entries);  // where there was none, one must be written
}

}  // namespace
}  // namespace heddle::routing
