#include "plugins/opensm/fast_repair.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fake_opensm.hpp"
#include "plain_subnet.hpp"
#include "plugins/opensm/engine.hpp"
#include "routing/check.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::Fabric;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Graph;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

/// A fabric, the engine's run over it, OpenSM at its first host, and the repair, in simulated time.
class World {
 public:
  explicit World(const Fabric& plain, FlapDamper::Limits damping = {})
      : fabric(support::assign_lids(plain)),
        run(route(fabric)),
        opensm(run),
        repair(opensm.requests(), journal_, workers_, [this] { return now; },
               {.damping = damping}) {
    repair.follow(run);
  }

  /// The engine's next run, over `seen`.
  std::shared_ptr<const RoutingRun> route(const Fabric& seen) {
    PlainSubnet subnet(seen, 1, 200);
    subnet.manager_node = fabric.node(model::NodeIndex{std::uint32_t{0}}).guid.value();
    subnet.manager_port = 1;
    const model::Result<Report> report = engine.route(subnet.subnet());
    EXPECT_TRUE(report) << report.error().message();
    return engine.last_run();
  }

  void trap_of(SwitchIndex sw) { repair.note_trap(*run->graph.lid(sw)); }

  /// Weights that take half of one cable's capacity, or all of it.
  [[nodiscard]] WeightSet weights(ArcIndex cable, std::uint8_t percent) const {
    const Arc& arc = run->graph.arc(cable);
    return {.generation = 1, .cables = {{{run->graph.guid(arc.from), arc.exit}, percent}}};
  }

  /// A cable of the switch by which its own traps do not go.
  [[nodiscard]] ArcIndex quiet_cable(SwitchIndex sw) const {
    ArcIndex index = run->graph.first_arc(sw);
    const std::uint8_t used = run->tables.row(sw)[run->manager->lid->value()];
    if (run->graph.arc(index).exit.value() == used) index = ArcIndex{index.value() + 1};
    return index;
  }

  /// Until nothing is left to do, each answer after `answer_time`.
  void settle(RepairMode mode, milliseconds answer_time = milliseconds(1)) {
    for (int round = 0; round < 10'000; ++round) {
      const auto later = repair.step(mode);
      if (!later) return;
      if (opensm.waiting() != 0) {
        now += answer_time;
        opensm.answer(repair);
      } else {
        now = std::max(now, *later);
      }
    }
    FAIL() << "it does not end: " << opensm.log_text();
  }

  /// What the engine makes of the fabric as it is.
  [[nodiscard]] model::ForwardingTables routed_now() {
    Fabric seen = fabric;
    const Graph& graph = run->graph;
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      const Arc& arc = graph.arc(ArcIndex{a});
      if (arc.reverse < ArcIndex{a} || opensm.up.usable(graph, ArcIndex{a})) continue;
      seen = support::without_cable(seen, {graph.guid(arc.from), arc.exit});
    }
    return route(seen)->tables;
  }

  [[nodiscard]] SwitchIndex switch_named(std::string_view name) const {
    const model::NodeGuid guid = support::node_named(fabric, name).guid;
    return *fabric.switch_index(*fabric.find_node(guid));
  }

  Fabric fabric;
  Engine engine{Options{.threads = 1}};
  std::shared_ptr<const RoutingRun> run;
  FakeOpensm opensm;
  FastRepair::Instant now{seconds(1000)};

 private:
  RepairJournal journal_;
  routing::Workers workers_{1};

 public:
  FastRepair repair;
};

TEST(FastRepairTest, AfterEveryCutTheSwitchesHoldWhatTheEngineWouldMakeOfIt) {
  for (const Fabric& fabric : {support::ft2_k4(), support::ft3_k4(), support::ft2_k8_parallel2()}) {
    const std::size_t arcs = World(fabric).run->graph.arcs().size();
    for (std::uint32_t a = 0; a < arcs; ++a) {
      World world(fabric);
      const Arc& arc = world.run->graph.arc(ArcIndex{a});
      world.opensm.cut(ArcIndex{a});
      // Only an end whose packets still find the way to OpenSM is heard.
      const SwitchIndex heard = world.opensm.hears(arc.from) ? arc.from : arc.to;
      world.trap_of(heard);
      world.settle(RepairMode::kOn);
      EXPECT_TRUE(world.repair.idle());
      EXPECT_GT(world.opensm.sent, 0U);
      EXPECT_EQ(world.opensm.tables, world.routed_now()) << a;
      EXPECT_THAT(world.opensm.log_text(), HasSubstr("in place"));
    }
  }
}

TEST(FastRepairTest, ObservingSaysWhatItWouldWriteAndWhetherTheSweepDoes) {
  World world(support::ft2_k4());
  world.opensm.cut(world.quiet_cable(world.switch_named("leaf-0003")));
  world.trap_of(world.switch_named("leaf-0003"));
  world.settle(RepairMode::kObserve);
  EXPECT_EQ(world.opensm.sent, 0U);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("; not written: fast_repair=observe"));
  (void)world.routed_now();
  world.repair.follow(world.engine.last_run());
  const std::string last = world.opensm.log.back();
  EXPECT_THAT(last, HasSubstr("the sweep's tables hold "));
  std::size_t held = 0;
  std::size_t foreseen = 1;
  ASSERT_EQ(std::sscanf(last.c_str(), "fast repair: the sweep's tables hold %zu of %zu", &held,
                        &foreseen),
            2)
      << last;
  EXPECT_EQ(held, foreseen);
  EXPECT_GT(held, 0U);
}

TEST(FastRepairTest, WhatTheSweepMakesOtherwiseIsCounted) {
  World world(support::ft2_k4());
  world.opensm.cut(world.quiet_cable(world.switch_named("leaf-0003")));
  world.trap_of(world.switch_named("leaf-0003"));
  world.settle(RepairMode::kObserve);
  world.repair.follow(world.route(world.fabric));  // the cable came back in the meantime
  EXPECT_THAT(world.opensm.log.back(), HasSubstr("the sweep's tables hold 0 of "));
}

TEST(FastRepairTest, ADyingSpineIsOneRepairThoughOneLeafAloneIsHeard) {
  World world(support::ft3_k4());
  const SwitchIndex core =
      world.run->graph
          .arcs_of(world.run->graph.arcs_of(world.run->graph.terminals().front().leaf).front().to)
          .back()
          .to;
  world.opensm.kill(core);
  const Graph& graph = world.run->graph;
  for (const Arc& arc : graph.arcs_of(core)) {
    if (!world.opensm.hears(arc.to)) continue;
    world.trap_of(arc.to);
    break;
  }
  world.settle(RepairMode::kOn);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("4 cables dead"));
  const auto said = std::ranges::count_if(
      world.opensm.log, [](const std::string& line) { return line.find("in place") != line.npos; });
  EXPECT_EQ(said, 1);
  // All that can be reached is; ways to the dead switch itself are left to the sweep.
  const model::ForwardingTables wanted = world.routed_now();
  const model::Lid gone = *graph.lid(core);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (SwitchIndex{s} == core) continue;
    for (const routing::Destination& to : graph.destinations()) {
      if (to.lid == gone) continue;
      EXPECT_EQ(world.opensm.tables.row(SwitchIndex{s})[to.lid.value()],
                wanted.row(SwitchIndex{s})[to.lid.value()]);
    }
  }
  // The others' traps come late: there is nothing more to do.
  const std::size_t sent = world.opensm.sent;
  for (const Arc& arc : graph.arcs_of(core)) world.trap_of(arc.to);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.sent, sent);
}

TEST(FastRepairTest, ASecondDeathBeforeTheSweepIsRepairedOnTopOfTheFirst) {
  World world(support::ft3_k8());
  const SwitchIndex leaf = world.run->graph.terminals().back().leaf;
  const std::uint8_t used = world.run->tables.row(leaf)[world.run->manager->lid->value()];
  unsigned cut = 0;
  for (const Arc& arc : world.run->graph.arcs_of(leaf)) {
    if (arc.exit.value() == used || cut == 2) continue;
    ++cut;
    world.opensm.cut(world.run->graph.arc(arc.reverse).reverse);
    world.trap_of(leaf);
    world.settle(RepairMode::kOn);
  }
  EXPECT_EQ(world.opensm.tables, world.routed_now());
}

TEST(FastRepairTest, NoStepBeginsBeforeTheLastIsInPlaceAndAnUnansweredOneEndsIt) {
  World world(support::ft3_k4());
  const SwitchIndex leaf = world.run->graph.terminals().back().leaf;
  world.opensm.cut(world.quiet_cable(leaf));
  world.opensm.answers_sets = false;
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("stopped in step 1 of "));
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("not acknowledged; the rest is left"));
  // Nobody knows what the switches hold: nothing before the engine has run again.
  const std::size_t asked = world.opensm.asked;
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.asked, asked);
}

TEST(FastRepairTest, AnAnswerWithOtherEntriesIsNoAcknowledgement) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.opensm.answers_sets = false;
  world.trap_of(leaf);
  while (world.opensm.sent == 0) {
    world.now += milliseconds(1);
    (void)world.repair.step(RepairMode::kOn);
    world.opensm.answer(world.repair);
  }
  const std::size_t sent = world.opensm.sent;
  for (std::uint32_t s = 0; s < world.run->graph.switch_count(); ++s) {
    world.repair.note_block(
        {.guid = world.run->graph.guid(SwitchIndex{s}), .block = 0, .entries = {}, .time = {}});
  }
  EXPECT_TRUE(world.repair.step(RepairMode::kOn)) << "it still waits";
  EXPECT_EQ(world.opensm.sent, sent);
}

TEST(FastRepairTest, WhoIsNoMasterAsksNothingAndWhoLosesItWritesNothingMore) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.opensm.is_master = false;
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.asked, 0U);
  world.opensm.is_master = true;
  world.opensm.sets_taken = 1;
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.sent, 1U);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("no master any more, or has new tables"));
}

TEST(FastRepairTest, ASweepsTablesEndARepairThatIsUnderWay) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.opensm.answers_sets = false;
  world.trap_of(leaf);
  while (world.opensm.sent == 0) {
    world.now += milliseconds(1);
    (void)world.repair.step(RepairMode::kOn);
    world.opensm.answer(world.repair);
  }
  world.repair.follow(world.route(world.fabric));
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("a sweep's tables come first"));
  EXPECT_TRUE(world.repair.idle());
}

TEST(FastRepairTest, SwitchedOffItIsDeafAndStopsBetweenSteps) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.trap_of(leaf);
  world.settle(RepairMode::kOff);
  EXPECT_EQ(world.opensm.asked, 0U);
  world.trap_of(leaf);
  while (world.opensm.sent == 0) {
    world.now += milliseconds(1);
    (void)world.repair.step(RepairMode::kOn);
    if (world.opensm.sent == 0) world.opensm.answer(world.repair);
  }
  const std::size_t sent = world.opensm.sent;
  world.settle(RepairMode::kOff);
  EXPECT_EQ(world.opensm.sent, sent);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("switched off"));
}

TEST(FastRepairTest, ATrapWithoutADeadCableBetweenSwitchesWritesNothing) {
  World world(support::ft2_k4());
  world.trap_of(world.switch_named("leaf-0003"));  // a host's cable, or one that came back
  world.repair.note_trap(model::Lid{std::uint16_t{0xBFFF}});  // nobody's
  world.settle(RepairMode::kOn);
  EXPECT_GT(world.opensm.asked, 0U);
  EXPECT_EQ(world.opensm.sent, 0U);
  EXPECT_TRUE(world.opensm.log.empty());
  EXPECT_LT(world.now, FastRepair::Instant(seconds(1000)) + milliseconds(10));
}

TEST(FastRepairTest, AnswersThatNeverComeAreNotWaitedForLong) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  // All its cables: nothing of it is heard any more, but the trap came first.
  world.trap_of(leaf);
  world.opensm.kill(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_TRUE(world.repair.idle());
  EXPECT_GE(world.now, FastRepair::Instant(seconds(1000)) + milliseconds(1000));
  EXPECT_LT(world.now, FastRepair::Instant(seconds(1000)) + milliseconds(1100));
}

TEST(FastRepairTest, AFlappingCableIsLeftToTheSweepUntilItIsQuiet) {
  World world(support::ft2_k4(), {.deaths = 2, .window = seconds(60)});
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  const ArcIndex cable = world.quiet_cable(leaf);
  const auto die_and_return = [&] {
    const std::size_t before = world.opensm.sent;
    world.opensm.cut(cable);
    world.trap_of(leaf);
    world.settle(RepairMode::kOn);
    world.opensm.up.bring_back(world.run->graph, cable);
    world.repair.follow(world.run);
    return world.opensm.sent - before;
  };
  EXPECT_GT(die_and_return(), 0U);
  world.now += seconds(1);
  EXPECT_GT(die_and_return(), 0U);
  world.now += seconds(1);
  EXPECT_EQ(die_and_return(), 0U);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr("flaps, its deaths are left to the sweep"));
  world.now += seconds(60);
  EXPECT_GT(die_and_return(), 0U);
}

TEST(FastRepairTest, WhereOnlySwitchInfoTellsOpensmsOwnPathIsTaken) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.repair.note_change(world.run->graph.guid(leaf));
  world.repair.note_change(
      model::NodeGuid{std::uint64_t{0x1234}});  // not there when the engine ran
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.tables, world.routed_now());
}

TEST(FastRepairTest, OtherFabricsThanTreesAreRepairedToo) {
  World world(support::df_a4h2p2());
  const SwitchIndex router = world.run->graph.terminals().back().leaf;
  world.opensm.cut(world.quiet_cable(router));
  world.trap_of(router);
  world.settle(RepairMode::kOn);
  EXPECT_GT(world.opensm.sent, 0U);
  EXPECT_THAT(world.opensm.log_text(), HasSubstr(" in place "));
  EXPECT_EQ(world.opensm.tables, world.routed_now());
}

TEST(FastRepairTest, OtherWeightsAreWrittenAsTheEngineWouldWriteThemAndTakenBackExactly) {
  for (const Fabric& fabric : {support::ft2_k4(), support::ft3_k4(), support::df_a4h2p2()}) {
    World world(fabric);
    const model::ForwardingTables before = world.opensm.tables;
    const ArcIndex cable = world.quiet_cable(world.run->graph.terminals().back().leaf);
    const WeightSet drained = world.weights(cable, 0);
    world.engine.set_weights(drained);
    world.repair.note_weights(drained);
    world.settle(RepairMode::kOn);
    EXPECT_GT(world.opensm.sent, 0U);
    EXPECT_EQ(world.opensm.tables, world.routed_now());
    EXPECT_THAT(world.opensm.log_text(), HasSubstr("1 cable drained or reduced: "));
    EXPECT_THAT(world.opensm.log_text(), HasSubstr("after they were told"));
    world.engine.set_weights({});
    world.repair.note_weights({});
    world.settle(RepairMode::kOn);
    EXPECT_EQ(world.opensm.tables, before);
    EXPECT_EQ(world.opensm.reroutes, 0U);
  }
}

TEST(FastRepairTest, WeightsInNoStateOnTheWayCutAnybodyOff) {
  World world(support::ft3_k8());
  const SwitchIndex leaf = world.run->graph.terminals().back().leaf;
  WeightSet all;
  for (const Arc& arc : world.run->graph.arcs_of(leaf)) {
    all.cables.push_back({{world.run->graph.guid(leaf), arc.exit}, 0});
  }
  world.repair.note_weights(all);
  world.settle(RepairMode::kOn);
  EXPECT_THAT(world.opensm.log_text(), Not(HasSubstr("without")));
  routing::Workers workers(1);
  EXPECT_TRUE(routing::check_routes(world.run->graph, world.opensm.up, world.opensm.tables,
                                    world.run->lanes, {}, workers)
                  .good());
}

TEST(FastRepairTest, WeightsThatItDoesNotWriteAreLeftToOpensmsRouting) {
  World world(support::ft2_k4());
  const WeightSet drained =
      world.weights(world.quiet_cable(world.run->graph.terminals().back().leaf), 0);
  world.repair.note_weights(drained);
  world.settle(RepairMode::kObserve);
  EXPECT_EQ(world.opensm.reroutes, 1U);
  world.opensm.is_master = false;
  world.repair.note_weights(drained);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.reroutes, 2U);
  EXPECT_EQ(world.opensm.sent, 0U);
  // Half written, and no sweep that would follow by itself.
  world.opensm.is_master = true;
  world.opensm.sets_taken = 1;
  world.repair.note_weights(drained);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.sent, 1U);
  EXPECT_EQ(world.opensm.reroutes, 3U);
}

TEST(FastRepairTest, ADeathUnderWeightsAndWeightsAfterADeathComeToTheSame) {
  const auto tables = [](bool weights_first) {
    World world(support::ft3_k8());
    const SwitchIndex leaf = world.run->graph.terminals().back().leaf;
    const ArcIndex cable = world.quiet_cable(leaf);
    const WeightSet half = world.weights(ArcIndex{cable.value() + 1}, 50);
    world.engine.set_weights(half);
    const auto weigh = [&] {
      world.repair.note_weights(half);
      world.settle(RepairMode::kOn);
    };
    if (weights_first) weigh();
    world.opensm.cut(cable);
    world.trap_of(leaf);
    world.settle(RepairMode::kOn);
    if (!weights_first) weigh();
    EXPECT_EQ(world.opensm.tables, world.routed_now());
    return world.opensm.tables;
  };
  EXPECT_EQ(tables(true), tables(false));
}

TEST(FastRepairTest, TablesFromElsewhereEndItUntilTheEngineRuns) {
  World world(support::ft2_k4());
  const SwitchIndex leaf = world.switch_named("leaf-0003");
  world.opensm.cut(world.quiet_cable(leaf));
  world.repair.forget();
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_EQ(world.opensm.asked, 0U);
  world.repair.follow(world.run);
  world.trap_of(leaf);
  world.settle(RepairMode::kOn);
  EXPECT_GT(world.opensm.sent, 0U);
}

}  // namespace
}  // namespace heddle::plugin
