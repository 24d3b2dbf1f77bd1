#include "plugins/opensm/engine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/fabric_builder.hpp"
#include "plain_subnet.hpp"
#include "plugins/opensm/subnet_fabric.hpp"
#include "routing/check.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::Fabric;
using model::Lid;
using model::NodeGuid;
using model::PortNum;
using model::SwitchIndex;
using routing::Graph;
using testing::HasSubstr;

/// The highest LID of `fabric`: what is away leaves it as it is in OpenSM too.
std::uint16_t top_lid_of(const Fabric& fabric) {
  return support::graph_of(fabric).top_lid().value();
}

std::vector<std::vector<std::uint8_t>> routed(Engine& engine, PlainSubnet& plain) {
  const model::Result<Report> report = engine.route(plain.subnet());
  EXPECT_TRUE(report) << report.error().message();
  return plain.next();
}

/// What was written, judged as `heddle check` does, with the lanes that OpenSM would be told.
routing::Verdict judged(const Fabric& fabric, PlainSubnet& plain, const Engine& engine) {
  const Graph graph = support::graph_of(fabric);
  model::ForwardingTables tables(graph.switch_count(), graph.top_lid());
  routing::Lanes lanes{.levels = routing::PathLevels(graph.switch_count(), graph.top_lid()),
                       .maps = routing::LaneMaps(graph)};
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const auto& next = plain.tables(graph.guid(sw).value()).next;
    std::ranges::copy_n(next.begin(), static_cast<std::ptrdiff_t>(tables.row_length()),
                        tables.row(sw).begin());
    tables.mark_known(sw);
    const auto terminals = graph.terminals_of(sw);
    for (const routing::Destination& to : graph.destinations()) {
      const Lid source = terminals.empty() ? *graph.lid(sw) : *terminals.front().lid;
      const auto level = engine.lanes().read([&](const LiveLanes* live) {
        return live == nullptr ? std::nullopt : live->level(source, to.lid);
      });
      if (level) lanes.levels.set(sw, to.lid, *level);
    }
    for (std::uint8_t in = 0; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t out = 1; out <= graph.port_count(sw); ++out) {
        const auto mapping = engine.lanes().read([&](const LiveLanes* live) {
          return live == nullptr ? std::nullopt
                                 : live->mapping(graph.guid(sw), PortNum{in}, PortNum{out});
        });
        if (mapping) lanes.maps.set(sw, PortNum{in}, PortNum{out}, *mapping);
      }
    }
  }
  routing::Workers workers(1);
  return routing::check_routes(graph, routing::Availability(graph), tables, lanes, {}, workers);
}

void expect_sound(const Fabric& fabric, PlainSubnet& plain, const Engine& engine) {
  const routing::Verdict verdict = judged(fabric, plain, engine);
  EXPECT_TRUE(verdict.good());
  EXPECT_GT(verdict.pairs, 0U);
}

struct Shape {
  const char* name;
  Fabric (*make)();
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class EngineShapes : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, EngineShapes,
                         testing::Values(Shape{"fat_tree", support::ft2_k4},
                                         Shape{"dragonfly", support::df_a4h2p2},
                                         Shape{"dragonfly_plus", support::dfp_g3},
                                         Shape{"hybrid", support::hybrid_two_homed},
                                         Shape{"torus",
                                               [] {
                                                 return support::torus({3, 3}, 2);
                                               }}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(EngineShapes, TablesAreSoundWithEightLanesAndWithOne) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  for (const std::uint8_t lanes : {std::uint8_t{8}, std::uint8_t{1}}) {
    Engine engine({});
    PlainSubnet plain(fabric, lanes);
    const model::Result<Report> report = engine.route(plain.subnet());
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_LE(report->lanes, lanes);
    EXPECT_EQ(report->undelivered, 0U);
    expect_sound(fabric, plain, engine);
  }
}

TEST_P(EngineShapes, TheSameSubnetAgainGivesTheSameTablesAndNothingToSend) {
  const Fabric fabric = support::assign_lids(GetParam().make(), 1);
  Engine engine({});
  PlainSubnet plain(fabric, 8);
  const auto first = routed(engine, plain);
  plain.adopt();
  const model::Result<Report> again = engine.route(plain.subnet());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->changed, 0U);
  EXPECT_EQ(plain.next(), first);
}

TEST_P(EngineShapes, NeitherOrderNorThreadsNorEarlierSweepsShow) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  Engine one({.engine = std::nullopt, .threads = 1});
  PlainSubnet plain(fabric, 8);
  const auto tables = routed(one, plain);
  Engine five({.engine = std::nullopt, .threads = 5});
  PlainSubnet shuffled(fabric, 8);
  std::mt19937 dice(7);
  std::ranges::shuffle(shuffled.nodes, dice);
  std::ranges::shuffle(shuffled.end_ports, dice);
  std::ranges::shuffle(shuffled.cables, dice);
  EXPECT_EQ(routed(five, shuffled), tables);
}

TEST_P(EngineShapes, ACableThatReturnsBringsTheOldTablesBack) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  Engine engine({});
  PlainSubnet whole(fabric, 8);
  const auto before = routed(engine, whole);
  const routing::Arc& arc = graph.arc(routing::ArcIndex{});
  const Fabric damaged = support::without_cable(fabric, {graph.guid(arc.from), arc.exit});
  PlainSubnet cut(damaged, 8);
  EXPECT_NE(routed(engine, cut), before);
  expect_sound(damaged, cut, engine);
  PlainSubnet back(fabric, 8);
  EXPECT_EQ(routed(engine, back), before);
}

TEST(EngineTest, AHostALeafAndASpineThatReturnBringTheOldTablesBack) {
  const Fabric fabric = support::assign_lids(support::ft3_k4());
  Engine engine({});
  PlainSubnet whole(fabric);
  const auto before = routed(engine, whole);
  for (const char* const name : {"host-00005 HCA-1", "leaf-0002", "spine-01-00"}) {
    const Fabric damaged = support::without_node(fabric, name);
    PlainSubnet poorer(damaged, 1, top_lid_of(fabric));
    const model::Result<Report> report = engine.route(poorer.subnet());
    ASSERT_TRUE(report) << name;
    EXPECT_GT(report->away, 0U) << name;
    EXPECT_THAT(result_line(*report), HasSubstr("known part")) << name;
    PlainSubnet back(fabric);
    EXPECT_EQ(routed(engine, back), before) << name;
  }
}

TEST(EngineTest, AHostThatTakesThePlaceAndTheLidOfOneThatIsAwayIsRouted) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet whole(fabric);
  routed(engine, whole);
  PlainSubnet other(fabric);
  const std::uint64_t old = support::node_named(fabric, "host-00000 HCA-1").guid.value();
  const std::uint64_t young = 0x7777;
  for (heddle_node& node : other.nodes) {
    if (node.guid == old) node.guid = young;
  }
  for (heddle_end_port& end : other.end_ports) {
    if (end.node_guid == old) end.node_guid = young;
  }
  for (heddle_cable& cable : other.cables) {
    for (std::uint64_t& end : cable.node_guid) {
      if (end == old) end = young;
    }
  }
  const model::Result<Report> report = engine.route(other.subnet());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->away, 0U) << "nothing is missing where another has its place";
  expect_sound(fabric_of(other.subnet()), other, engine);
}

TEST(EngineTest, LidsThatChangeHandsAreFollowed) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet whole(fabric);
  routed(engine, whole);
  PlainSubnet swapped(fabric);
  std::swap(swapped.end_ports.front().lid, swapped.end_ports[1].lid);
  routed(engine, swapped);
  expect_sound(fabric_of(swapped.subnet()), swapped, engine);
}

/// Cables between two switches, or of hosts, by the end of the switch with hosts if one has any.
std::vector<model::PortKey> cables_of(const Fabric& fabric, bool of_hosts) {
  std::vector<model::PortKey> ends;
  const auto is_switch = [&](model::PortIndex port) {
    return fabric.switch_index(fabric.port(port).node).has_value();
  };
  std::set<model::NodeGuid> leaves;
  for (const model::Link& link : fabric.links()) {
    if (is_switch(link.a) && is_switch(link.b)) continue;
    const model::PortIndex end = is_switch(link.a) ? link.a : link.b;
    leaves.insert(fabric.key(end).node);
    if (of_hosts) ends.push_back(fabric.key(end));
  }
  for (const model::Link& link : fabric.links()) {
    if (of_hosts || !is_switch(link.a) || !is_switch(link.b)) continue;
    ends.push_back(fabric.key(leaves.contains(fabric.key(link.a).node) ? link.a : link.b));
  }
  return ends;
}

TEST(EngineTest, ADrainedCableIsSparedAndItsEndBringsTheOldTablesBack) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet plain(fabric);
  const auto before = routed(engine, plain);
  plain.adopt();
  const model::PortKey end = cables_of(fabric, false).front();
  engine.set_weights({7, {{end, 0}, {cables_of(fabric, true).front(), 0}}});
  const model::Result<Report> report = engine.route(plain.subnet());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->weighted, 1U) << "cables of hosts have no weight";
  EXPECT_GT(report->changed, 0U);
  EXPECT_GT(report->blocks_changed, 0U);
  EXPECT_LE(report->blocks_changed, report->changed);
  const abi::RoutingRun told = run_message(report, std::chrono::milliseconds{3});
  EXPECT_EQ(told.weights, 7U);
  EXPECT_EQ(told.weighted, 1U);
  EXPECT_EQ(told.nanoseconds, 3'000'000U);
  EXPECT_EQ(told.engine, "fat-tree");
  EXPECT_EQ(told.proved, 1);
  // To the spine itself there is no other way.
  EXPECT_LE(std::ranges::count(plain.tables(end.node.value()).next, end.port.value()), 1);
  expect_sound(fabric, plain, engine);
  plain.adopt();
  engine.set_weights({});
  EXPECT_EQ(routed(engine, plain), before);
}

TEST(EngineTest, DrainingEverythingCutsNobodyOff) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet plain(fabric);
  WeightSet all;
  for (const model::PortKey end : cables_of(fabric, false)) all.cables.push_back({end, 0});
  engine.set_weights(all);
  const model::Result<Report> report = engine.route(plain.subnet());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->weighted, all.cables.size());
  EXPECT_EQ(report->undelivered, 0U);
  expect_sound(fabric, plain, engine);
}

TEST(EngineTest, ARunWithoutTablesIsToldWithItsReason) {
  Options options;
  options.test_fail = true;
  Engine engine(options);
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  const abi::RoutingRun told = run_message(engine.route(plain.subnet()), {});
  EXPECT_EQ(told.routed, 0);
  EXPECT_NE(told.reason.find("test_fail"), std::string::npos);
}

TEST(EngineTest, OneLaneLeavesLevelsFreeAndTwoAreAnswered) {
  const Fabric fabric = support::assign_lids(support::df_a4h2p2());
  const Graph graph = support::graph_of(fabric);
  const auto has_level = [&](const Engine& engine) {
    return engine.lanes().read([&](const LiveLanes* lanes) {
      return lanes != nullptr &&
             lanes->level(*graph.terminals().front().lid, *graph.terminals().back().lid)
                 .has_value();
    });
  };
  Engine engine({});
  EXPECT_FALSE(has_level(engine)) << "nothing is routed yet";
  PlainSubnet one(fabric, 1);
  routed(engine, one);
  EXPECT_FALSE(has_level(engine));
  PlainSubnet two(fabric, 2);
  routed(engine, two);
  EXPECT_TRUE(has_level(engine));
  // The option bounds what OpenSM offers.
  Engine narrow({.engine = std::nullopt, .max_lanes = 1});
  routed(narrow, two);
  EXPECT_FALSE(has_level(narrow));
}

TEST(EngineTest, ADragonflyInOneLaneSaysThatASecondOneIsMissed) {
  const Fabric fabric = support::assign_lids(support::df_a4h2p2());
  Engine engine({});
  PlainSubnet one(fabric, 1);
  const model::Result<Report> poor = engine.route(one.subnet());
  ASSERT_TRUE(poor);
  EXPECT_EQ(substitute_line(*poor),
            "up-down in place of dragonfly, with longer routes, as there is one lane alone");
  PlainSubnet two(fabric, 2);
  const model::Result<Report> rich = engine.route(two.subnet());
  ASSERT_TRUE(rich);
  EXPECT_EQ(rich->engine, routing::Engine::kDragonfly);
  EXPECT_EQ(substitute_line(*rich), "");
  // What gave up for another reason, or is not missed in one lane, is none of its business.
  PlainSubnet tree(support::assign_lids(support::ft2_k4()), 1);
  Engine other({});
  EXPECT_EQ(substitute_line(*other.route(tree.subnet())), "");
}

TEST(EngineTest, NoLaneAtAllCountsAsOne) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet none(fabric, 0);
  PlainSubnet one(fabric, 1);
  EXPECT_EQ(routed(engine, none), routed(engine, one));
}

/// Refused, with a reason that holds `why`, nothing written, and the engine as before.
void expect_refused(Engine& engine, PlainSubnet& bad, const std::string& why) {
  const auto seen = [&] {
    return engine.lanes().read([](const LiveLanes* lanes) { return lanes; });
  };
  const LiveLanes* const before = seen();
  const model::Result<Report> report = engine.route(bad.subnet());
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr(why));
  EXPECT_TRUE(bad.untouched());
  EXPECT_EQ(seen(), before);
}

TEST(EngineTest, ASubnetThatContradictsItselfIsRefusedAndNothingWritten) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  Engine engine({});
  PlainSubnet good(fabric);
  const auto tables = routed(engine, good);

  PlainSubnet twice(fabric);
  twice.end_ports.back().lid = twice.end_ports.front().lid;
  expect_refused(engine, twice, "LID");
  PlainSubnet multicast(fabric);
  multicast.end_ports.front().lid = 0xC000;
  expect_refused(engine, multicast, "LID 49152");
  PlainSubnet crossed(fabric);
  crossed.cables.front().port[0] = crossed.cables.back().port[0];
  crossed.cables.front().node_guid[0] = crossed.cables.back().node_guid[0];
  expect_refused(engine, crossed, "peer already");
  PlainSubnet nameless(fabric);
  nameless.nodes.front().guid = 0;
  nameless.end_ports.front().node_guid = 0;
  expect_refused(engine, nameless, "GUID");

  // And what was known before still is.
  PlainSubnet again(fabric);
  EXPECT_EQ(routed(engine, again), tables);
}

TEST(EngineTest, AForcedFailureWritesNothing) {
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  Engine engine({.engine = std::nullopt, .test_fail = true});
  expect_refused(engine, plain, "test_fail=1");
}

TEST(EngineTest, ANamedEngineThatDoesNotSuitIsRefusedAndNothingWritten) {
  PlainSubnet plain(support::assign_lids(support::torus({4, 4}, 2)), 8);
  Engine engine({.engine = routing::Engine::kDragonfly});
  expect_refused(engine, plain, "dragonfly");
}

TEST(EngineTest, WithoutMemoryForHopsNothingIsPublished) {
  const Fabric fabric = support::assign_lids(support::df_a4h2p2());
  Engine engine({});
  PlainSubnet poor(fabric, 8);
  poor.tables(poor.switches.front().guid).has_memory = false;
  EXPECT_FALSE(engine.route(poor.subnet()));
  EXPECT_TRUE(engine.lanes().read([](const LiveLanes* lanes) { return lanes == nullptr; }));
}

TEST(EngineTest, AnEmptySubnetIsRoutedWithNothing) {
  Engine engine({});
  PlainSubnet none(model::FabricBuilder("none").build());
  const model::Result<Report> report = engine.route(none.subnet());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, 0U);
}

TEST(EngineTest, LinesSayWhatAnOperatorNeeds) {
  Report report;
  report.engine = routing::Engine::kFatTree;
  report.hosts = 8;
  report.switches = 6;
  report.entries = 84;
  report.changed = 7;
  report.blocks_changed = 1;
  report.time = std::chrono::microseconds(1250);
  EXPECT_EQ(result_line(report),
            "routed with fat-tree: 8 hosts, 6 switches, 1 lane, 7 of 84 entries changed, "
            "1 block to send, 1.2 ms");
  EXPECT_EQ(alarm_line(report), "");
  report.away = 3;
  report.blocks_changed = 2;
  report.lanes = 2;
  report.undelivered = 5;
  report.refusals.push_back({routing::Engine::kDragonfly, "no groups"});
  EXPECT_EQ(result_line(report),
            "routed with fat-tree: 8 hosts, 6 switches (3 known parts away), 2 lanes, 7 of 84 "
            "entries changed, 2 blocks to send, 1.2 ms; dragonfly gave up: no groups");
  EXPECT_EQ(alarm_line(report),
            "5 pairs are connected but not delivered: the lanes do not hold them without deadlock");
  report.lanes = 1;
  EXPECT_THAT(alarm_line(report), HasSubstr(": one lane does not hold them without"));
}

}  // namespace
}  // namespace heddle::plugin
