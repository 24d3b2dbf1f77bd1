#include "routing/write_order.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "routing/compute.hpp"
#include "routing/fat_tree_engine.hpp"
#include "routing/live_change.hpp"
#include "routing/live_write_order.hpp"
#include "routing/recognise.hpp"
#include "routing/tree_routes.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/topologies.hpp"
#include "support/write_replay.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::ForwardingTables;
using model::Lid;
using model::SwitchIndex;
using support::ReplayFaults;
using support::WriteReplay;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint8_t kNone = ForwardingTables::kNoPort;
constexpr int kOrders = 3;

SwitchIndex sw(std::uint32_t index) { return SwitchIndex{index}; }

/// Switches cabled as told, each with one host: that of switch i has LID i + 1 … and all entries
/// set by hand.
struct Drawing {
  Drawing(std::uint32_t switches,
          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cables)
      : graph(support::graph_of(support::from_cables(switches, 1, cables))),
        now(graph),
        before(graph.switch_count(), graph.top_lid()),
        after(before) {
    for (const Destination& to : graph.destinations()) {
      set(before, to.at.value(), to.lid, graph.last_exit(to).value());
      set(after, to.at.value(), to.lid, graph.last_exit(to).value());
    }
  }

  /// The LID of the host of a switch.
  [[nodiscard]] Lid host(std::uint32_t at) const { return *graph.terminals_of(sw(at)).front().lid; }
  /// The port toward a neighbour.
  [[nodiscard]] std::uint8_t toward(std::uint32_t from, std::uint32_t to) const {
    for (const Arc& arc : graph.arcs_of(sw(from))) {
      if (arc.to == sw(to)) return arc.exit.value();
    }
    throw std::logic_error("no cable");
  }
  static void set(ForwardingTables& tables, std::uint32_t at, Lid lid, std::uint8_t port) {
    tables.row(sw(at))[lid.value()] = port;
  }
  /// Entries before and after, by the neighbour that they lead to.
  void entry(std::uint32_t at, Lid lid, std::optional<std::uint32_t> old,
             std::optional<std::uint32_t> fresh) {
    set(before, at, lid, old ? toward(at, *old) : kNone);
    set(after, at, lid, fresh ? toward(at, *fresh) : kNone);
  }
  void cut(std::uint32_t a, std::uint32_t b) {
    now.take_down(graph, ArcIndex{graph.target(sw(a), model::PortNum{toward(a, b)}).index});
  }
  [[nodiscard]] std::vector<ChangedEntry> changes() const {
    return changed_entries(graph, now, before, after);
  }
  [[nodiscard]] WritePlan plan(const WriteOrderOptions& options = {},
                               const ForbiddenTurn& forbidden = {}) const {
    return *order_writes(graph, now, before, changes(), forbidden, options);
  }
  [[nodiscard]] ReplayFaults replay(const WritePlan& plan) const {
    const LevelSets levels;
    const LaneMaps maps;
    WriteReplay states(graph, now, before, levels, maps, WriteReplay::Cycles::kIgnore);
    const ReplayFaults faults = support::replay_plan(states, plan, 6, 1);
    EXPECT_EQ(states.tables(), after) << "the plan writes what was asked";
    return faults;
  }

  Graph graph;
  Availability now;
  ForwardingTables before;
  ForwardingTables after;
};

/// All blocks at once, whatever it may break.
WritePlan naive(const Graph& graph, const Availability& availability,
                const ForwardingTables& before, const ForwardingTables& after) {
  WritePlan plan;
  plan.steps.emplace_back();
  for (const ChangedEntry& change : changed_entries(graph, availability, before, after)) {
    const auto block =
        static_cast<std::uint16_t>(change.lid.value() / ForwardingTables::kBlockLids);
    std::vector<BlockWrite>& writes = plan.steps.front().writes;
    if (!writes.empty() && writes.back().sw == change.sw && writes.back().block == block) continue;
    writes.push_back({.sw = change.sw, .block = block});
    const auto row = after.row(change.sw);
    for (std::size_t i = 0; i < ForwardingTables::kBlockLids; ++i) {
      const std::size_t lid = block * ForwardingTables::kBlockLids + i;
      writes.back().ports[i] = lid < row.size() ? row[lid] : kNone;
    }
  }
  return plan;
}

/// The switches that a step writes to, ascending.
std::vector<std::uint32_t> switches(const WriteStep& step) {
  std::vector<std::uint32_t> all;
  for (const BlockWrite& write : step.writes) all.push_back(write.sw.value());
  std::ranges::sort(all);
  return all;
}

//   spine 2 ── spine 3        leaf 0 loses its cable to spine 2; spine 2 sends to the host of
//     x  ╲    ╱  │            leaf 0 by leaf 1, whose present entry for it leads to spine 2.
//   leaf 0 ╳  leaf 1
Drawing detour_by_a_leaf() {
  Drawing drawing(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  const Lid host = drawing.host(0);
  drawing.entry(2, host, 0, 1);
  drawing.entry(1, host, 2, 3);
  drawing.entry(3, host, 0, 0);
  drawing.cut(0, 2);
  return drawing;
}

TEST(WriteOrderTest, ADetourIsWrittenWhenTheSwitchOnItLeadsBackNoMore) {
  const Drawing drawing = detour_by_a_leaf();
  const WritePlan plan = drawing.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(1));
  EXPECT_THAT(switches(plan.steps[1]), ElementsAre(2));
  EXPECT_THAT(plan.lost, IsEmpty());
  EXPECT_TRUE(drawing.replay(plan).none()) << drawing.replay(plan).first;
  const ReplayFaults faults =
      drawing.replay(naive(drawing.graph, drawing.now, drawing.before, drawing.after));
  EXPECT_GT(faults.circles, 0U) << "all at once makes the loop";
}

TEST(WriteOrderTest, WhatIsDeadHasNothingToLoseAndGoesAtOnce) {
  // leaf 0 ─ x ─ spine 2: leaf 0's own entries over the cable, and those of leaf 1 for leaf 0.
  Drawing drawing(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  drawing.entry(0, drawing.host(1), 2, 3);
  drawing.entry(3, drawing.host(1), 1, 1);
  drawing.entry(1, drawing.host(0), 2, 3);
  drawing.entry(2, drawing.host(0), 0, std::nullopt);
  drawing.entry(3, drawing.host(0), 0, 0);
  drawing.cut(0, 2);
  const WritePlan plan = drawing.plan();
  EXPECT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(0, 1, 2));
  EXPECT_EQ(plan.steps[0].writes.back().sw, sw(2)) << "brings nobody back";
  EXPECT_EQ(plan.second_writes, 0U);
  EXPECT_TRUE(drawing.replay(plan).none());
}

TEST(WriteOrderTest, WhoWorksMovesOverWhenTheNewWayIsReady) {
  //  0 ── 1 ── 3    0 goes over 1, then over 2, which had no entry, as its cable to 3 is new.
  //   ╲── 2 ──╱
  Drawing drawing(4, {{0, 1}, {1, 3}, {0, 2}, {2, 3}});
  const Lid host = drawing.host(3);
  drawing.entry(0, host, 1, 2);
  drawing.entry(1, host, 3, 3);
  drawing.entry(2, host, std::nullopt, 3);
  const WritePlan plan = drawing.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(2));
  EXPECT_THAT(switches(plan.steps[1]), ElementsAre(0));
  EXPECT_TRUE(drawing.replay(plan).none());
  EXPECT_GT(drawing.replay(naive(drawing.graph, drawing.now, drawing.before, drawing.after)).lost,
            0U);
}

TEST(WriteOrderTest, WhatComesBackToLifeStaysAlive) {
  //  0 ── 1 ─x─ 3     1 loses its cable to 3 and takes 4; 0, behind it, moves over to 2, whose way
  //  │     ╲ 4 ╱│     is there already or comes at the same time. In the second case 0 goes before
  //  ╰──── 2 ───╯     1, else it were reached over 1 and lost again on 2.
  for (const bool is_there : {true, false}) {
    Drawing drawing(5, {{0, 1}, {1, 3}, {1, 4}, {4, 3}, {0, 2}, {2, 3}});
    const Lid host = drawing.host(3);
    drawing.entry(0, host, 1, 2);
    drawing.entry(1, host, 3, 4);
    drawing.entry(4, host, 3, 3);
    drawing.entry(2, host, is_there ? std::optional(3U) : std::nullopt, 3);
    drawing.cut(1, 3);
    const WritePlan plan = drawing.plan();
    if (is_there) {
      EXPECT_THAT(plan.steps, SizeIs(1)) << "nothing to wait for";
    } else {
      ASSERT_THAT(plan.steps, SizeIs(2));
      EXPECT_THAT(switches(plan.steps[0]), ElementsAre(0, 2));
      EXPECT_THAT(switches(plan.steps[1]), ElementsAre(1));
    }
    EXPECT_TRUE(drawing.replay(plan).none());
  }
}

TEST(WriteOrderTest, DirectionsThatTurnRoundAreWrittenFromTheDestinationOutward) {
  // A ring of 5 on which everything to the host of 0 goes one way, then the other.
  Drawing drawing(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}});
  const Lid host = drawing.host(0);
  for (std::uint32_t s = 1; s < 5; ++s) drawing.entry(s, host, s - 1, (s + 1) % 5);
  const WritePlan plan = drawing.plan();
  ASSERT_THAT(plan.steps, SizeIs(4));
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_THAT(switches(plan.steps[i]), ElementsAre(4 - i));
  EXPECT_TRUE(drawing.replay(plan).none());
  EXPECT_GT(
      drawing.replay(naive(drawing.graph, drawing.now, drawing.before, drawing.after)).circles, 0U);
}

//   0 ── 1    To host a of 2 switch 0 goes over 1 from now on, to host b switch 1 over 0: each
//    ╲  ╱     has to wait for the other's block.
//     2
Drawing blocks_in_a_circle() {
  Drawing drawing(3, {{0, 1}, {0, 2}, {1, 2}});
  const Lid a = drawing.host(2);
  const Lid b = *drawing.graph.lid(sw(2));
  drawing.entry(0, a, 2, 1);
  drawing.entry(1, a, std::nullopt, 2);
  drawing.entry(1, b, 2, 0);
  drawing.entry(0, b, std::nullopt, 2);
  return drawing;
}

TEST(WriteOrderTest, OfBlocksThatWaitForEachOtherOneIsWrittenTwice) {
  const Drawing drawing = blocks_in_a_circle();
  const WritePlan plan = drawing.plan();
  EXPECT_EQ(plan.entries, 4U);
  EXPECT_EQ(plan.writes, 3U);
  EXPECT_EQ(plan.second_writes, 1U);
  ASSERT_THAT(plan.steps, SizeIs(3));
  for (const WriteStep& step : plan.steps) EXPECT_THAT(step.writes, SizeIs(1));
  EXPECT_TRUE(drawing.replay(plan).none());
}

TEST(WriteOrderTest, EntriesForTheSubnetManagerComeLastUnlessTheyAreDead) {
  // As above, both have to wait for nothing, but the SM is at 2.
  for (const bool dead : {false, true}) {
    Drawing drawing(3, {{0, 1}, {0, 2}, {1, 2}, {0, 2}});
    const Lid sm = drawing.host(2);
    const Lid other = drawing.host(1);
    const std::uint8_t spare = drawing.graph.arcs_of(sw(0)).back().exit.value();
    drawing.entry(0, sm, 2, std::nullopt);
    Drawing::set(drawing.after, 0, sm, spare);
    drawing.entry(2, other, 0, 1);
    drawing.entry(0, other, 1, 1);
    drawing.entry(1, sm, 2, 2);
    if (dead) drawing.cut(0, 2);
    const WritePlan plan = drawing.plan({.sm_lid = sm});
    if (dead) {
      EXPECT_THAT(plan.steps, SizeIs(1));
    } else {
      ASSERT_THAT(plan.steps, SizeIs(2));
      EXPECT_THAT(switches(plan.steps[0]), ElementsAre(2));
      EXPECT_THAT(switches(plan.steps[1]), ElementsAre(0));
    }
    EXPECT_THAT(drawing.plan().steps, SizeIs(1)) << "nothing else holds them apart";
    EXPECT_TRUE(drawing.replay(plan).none());
  }
}

TEST(WriteOrderTest, ABlockOfTheSubnetManagerThatOthersWaitForIsWrittenTwice) {
  // Switch 1's block holds the entry for the SM, at 2, and one that switch 0 waits for.
  Drawing drawing(4, {{0, 1}, {1, 2}, {1, 2}, {0, 3}, {1, 3}});
  const Lid sm = drawing.host(2);
  const Lid host = drawing.host(3);
  drawing.entry(1, sm, 2, std::nullopt);
  Drawing::set(drawing.after, 1, sm, static_cast<std::uint8_t>(drawing.toward(1, 2) + 1));
  drawing.entry(0, host, 3, 1);
  drawing.entry(1, host, std::nullopt, 3);
  const WritePlan plan = drawing.plan({.sm_lid = sm});
  ASSERT_THAT(plan.steps, SizeIs(3));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(1));
  EXPECT_THAT(switches(plan.steps[1]), ElementsAre(0));
  EXPECT_THAT(switches(plan.steps[2]), ElementsAre(1));
  EXPECT_EQ(plan.steps[0].writes[0].ports[sm.value()], drawing.toward(1, 2)) << "as it is";
  EXPECT_TRUE(drawing.replay(plan).none());
}

TEST(WriteOrderTest, PairsThatTheNewTablesLeaveOutAreNamedAndNobodyElseLosesByIt) {
  //  0 ── 1 ── 2    1's entry for the host of 2 goes; 0 moves over to 3 before.
  //   ╲── 3 ──╱
  Drawing drawing(4, {{0, 1}, {1, 2}, {0, 3}, {3, 2}});
  const Lid host = drawing.host(2);
  drawing.entry(0, host, 1, 3);
  drawing.entry(1, host, 2, std::nullopt);
  drawing.entry(3, host, 2, 2);
  const WritePlan plan = drawing.plan();
  EXPECT_THAT(plan.lost, ElementsAre(Undelivered{sw(1), host}));
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(0));
  EXPECT_TRUE(drawing.replay(plan).none());
  // Who is behind a switch that gives up is lost as well.
  drawing.entry(0, host, 1, 1);
  EXPECT_THAT(drawing.plan().lost, ElementsAre(Undelivered{sw(0), host}, Undelivered{sw(1), host}));
}

TEST(WriteOrderTest, ForbiddenTurnsAreAvoidedByTheOrder) {
  //  0 ── 1 ── 2    0 leaves 1 out from now on, 1 leaves 2 out: packets that 0 still sends to 1
  //   ╲    ╲─ 3     shall not turn to 3.
  //    ╲─────╱
  Drawing drawing(4, {{0, 1}, {1, 2}, {1, 3}, {0, 3}, {2, 3}});
  const Lid host = drawing.host(3);
  drawing.entry(0, host, 1, 3);
  drawing.entry(1, host, 2, 3);
  drawing.entry(2, host, 3, 3);
  EXPECT_THAT(drawing.plan().steps, SizeIs(1));
  const ForbiddenTurn turn = [&](Lid to, ArcIndex held, ArcIndex wanted) {
    const Graph& graph = drawing.graph;
    return to == host && graph.arc(held).from == sw(0) && graph.arc(held).to == sw(1) &&
           graph.arc(wanted).to == sw(3);
  };
  const WritePlan plan = drawing.plan({}, turn);
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(0));
  EXPECT_TRUE(drawing.replay(plan).none());
}

TEST(WriteOrderTest, WhatNoOrderKeepsSafeIsClearedFirstAndCounted) {
  //  0 ══ 1 ── 2    0 takes the other cable to 1, 1 takes 3: either turn is forbidden, so neither
  //        ╲ 3 ╱    may go first.
  Drawing drawing(4, {{0, 1}, {0, 1}, {1, 2}, {1, 3}, {3, 2}});
  const Lid host = drawing.host(2);
  drawing.entry(0, host, 1, std::nullopt);
  Drawing::set(drawing.after, 0, host, static_cast<std::uint8_t>(drawing.toward(0, 1) + 1));
  drawing.entry(1, host, 2, 3);
  drawing.entry(3, host, 2, 2);
  EXPECT_THAT(drawing.plan().steps, SizeIs(1));
  const WritePlan plan = drawing.plan({}, [](Lid, ArcIndex, ArcIndex) { return true; });
  EXPECT_TRUE(plan.clears_first);
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.interrupted, ElementsAre(Undelivered{sw(0), host}, Undelivered{sw(1), host}));
  for (const BlockWrite& write : plan.steps[0].writes) {
    EXPECT_EQ(write.ports[host.value()], kNone);
  }
  EXPECT_EQ(plan.second_writes, 2U);
  EXPECT_TRUE(drawing.replay(plan).none());
}

TEST(WriteOrderTest, ChangesThatContradictTheTablesAreRefused) {
  const Drawing drawing = detour_by_a_leaf();
  const std::vector<ChangedEntry> good = drawing.changes();
  const auto refused = [&](std::vector<ChangedEntry> changes) {
    return !order_writes(drawing.graph, drawing.now, drawing.before, changes, {}, {});
  };
  EXPECT_FALSE(refused(good));
  auto bad = good;
  bad.front().before = 77;
  EXPECT_TRUE(refused(bad)) << "not what the switch has";
  bad = good;
  std::ranges::reverse(bad);
  EXPECT_TRUE(refused(bad)) << "out of order";
  bad = good;
  bad.back().sw = sw(99);
  EXPECT_TRUE(refused(bad)) << "no such switch";
  bad = good;
  bad.front().lid = Lid{};
  EXPECT_TRUE(refused(bad)) << "LID 0";
  EXPECT_FALSE(order_writes(drawing.graph, drawing.now, ForwardingTables(2, Lid{}), {}, {}, {}));
}

TEST(WriteOrderTest, ASwitchThatIsDownIsNotWritten) {
  Drawing drawing = detour_by_a_leaf();
  const std::vector<ChangedEntry> changes = drawing.changes();
  drawing.now.take_down(sw(1));
  const WritePlan plan = *order_writes(drawing.graph, drawing.now, drawing.before, changes, {}, {});
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(switches(plan.steps[0]), ElementsAre(2));
}

TEST(WriteOrderTest, EntriesBeyondTheTablesAreWrittenIntoNewBlocks) {
  const Drawing drawing = detour_by_a_leaf();
  ForwardingTables longer(drawing.graph.switch_count(), Lid{std::uint16_t{100}});
  for (std::uint32_t s = 0; s < drawing.graph.switch_count(); ++s) {
    std::ranges::copy(drawing.before.row(sw(s)), longer.row(sw(s)).begin());
  }
  longer.row(sw(3))[100] = 2;
  const auto changes = changed_entries(drawing.graph, drawing.now, drawing.before, longer);
  ASSERT_THAT(changes, ElementsAre(ChangedEntry{sw(3), Lid{std::uint16_t{100}}, kNone, 2}));
  const WritePlan plan = *order_writes(drawing.graph, drawing.now, drawing.before, changes, {}, {});
  ASSERT_EQ(plan.writes, 1U);
  EXPECT_EQ(plan.steps[0].writes[0].block, 1U);
  EXPECT_EQ(plan.steps[0].writes[0].ports[100 - 64], 2U);
  EXPECT_EQ(plan.steps[0].writes[0].ports[0], kNone);
}

// Random faults and returns on whole fabrics.

struct Case {
  const char* name;
  Fabric (*make)();
  int faults;
  bool meshed = false;  ///< nothing orders its paths: old and new ones may clash as a whole
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

/// Breaks and mends cables and switches by chance, now and then several at once. The more is away,
/// the likelier something comes back.
class Weather {
 public:
  explicit Weather(std::uint64_t seed) : random_(seed) {}
  void change(const Graph& graph, Availability& now) {
    do one_thing(graph, now);
    while (random_.below(4) == 0);
  }

 private:
  static constexpr std::uint32_t kMostAway = 6;
  struct Thing {
    std::optional<SwitchIndex> sw;
    ArcIndex cable{};
  };

  void one_thing(const Graph& graph, Availability& now) {
    const auto away = static_cast<std::uint32_t>(away_.size());
    if (random_.below(kMostAway) < away) {
      const auto back = away_.begin() + random_.below(away);
      if (back->sw) {
        now.bring_back(*back->sw);
      } else {
        now.bring_back(graph, back->cable);
      }
      away_.erase(back);
      return;
    }
    Thing thing;
    if (random_.below(6) == 0) {
      thing.sw = SwitchIndex{random_.below(static_cast<std::uint32_t>(graph.switch_count()))};
      now.take_down(*thing.sw);
    } else {
      thing.cable = ArcIndex{random_.below(static_cast<std::uint32_t>(graph.arcs().size()))};
      now.take_down(graph, thing.cable);
    }
    away_.push_back(thing);
  }

  support::SplitMix64 random_;
  std::vector<Thing> away_;
};

/// HEDDLE_ROUNDS times as many faults as usual.
int rounds() {
  const char* const text = std::getenv("HEDDLE_ROUNDS");
  return text == nullptr ? 1 : std::stoi(text);
}

/// What all plans of a sequence came to.
struct Tally {
  ReplayFaults faults;
  ReplayFaults naive;
  std::map<std::size_t, int> steps;  ///< plans by their number of steps
  std::size_t writes = 0;
  std::size_t second_writes = 0;
  std::size_t interrupted = 0;
  int cleared = 0;

  void add(const WritePlan& plan, const ReplayFaults& found, const ReplayFaults& at_once) {
    for (const auto& [sum, one] : {std::pair(&faults, &found), std::pair(&naive, &at_once)}) {
      sum->states += one->states;
      sum->lost += one->lost;
      sum->circles += one->circles;
      sum->cycles += one->cycles;
      if (sum->first.empty()) sum->first = one->first;
    }
    ++steps[plan.steps.size()];
    writes += plan.writes;
    second_writes += plan.second_writes;
    interrupted += plan.interrupted.size();
    cleared += plan.clears_first ? 1 : 0;
  }
  void print() const {
    std::cout << faults.states << " states; plans by steps:";
    for (const auto& [count, plans] : steps) std::cout << ' ' << count << ':' << plans;
    std::cout << "; " << writes << " writes, " << second_writes << " of them second, " << cleared
              << " plans clear first, " << interrupted
              << " pairs interrupted; naive: " << naive.lost << " lost, " << naive.circles
              << " circles, " << naive.cycles << " cycles\n";
  }
};

/// 8 leaves with 16 hosts each, 8 spines.
Fabric ft2_128_hosts() {
  return *simulation::make_pgft(*simulation::parse_pgft_shape("16,8:1,8:1,1"), {});
}

/// A tree in one lane, kept by sticky repair, whose order proves turns.
class TreeOrderTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, TreeOrderTest,
                         testing::Values(Case{"ft2_k4", support::ft2_k4, 100},
                                         Case{"ft2_k8_parallel2", support::ft2_k8_parallel2, 100},
                                         Case{"ft3_k4", support::ft3_k4, 50},
                                         Case{"ft2_128_hosts", ft2_128_hosts, 15},
                                         Case{"ft3_k8", support::ft3_k8, 5}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(TreeOrderTest, NothingIsLostOrCirclesOrDeadlocksInAnyStateOfARepair) {
  const std::uint64_t seed = support::seed_or(1);
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  TreeRoutes routes(graph, FatTreePlan::make(fabric, graph, *recognise(fabric, graph)), 1);
  const ForbiddenTurn turns = against_order(routes.tree().plan().directions());
  const LevelSets levels;
  const LaneMaps maps;
  Workers workers(1);
  Availability now(graph);
  ASSERT_TRUE(routes.compute(now, workers));
  ForwardingTables tables = routes.ordered_tables();
  Weather weather(seed);
  Tally tally;
  for (int fault = 0; fault < GetParam().faults * rounds(); ++fault) {
    weather.change(graph, now);
    ASSERT_TRUE(routes.repair(now, workers));
    const ForwardingTables& fresh = routes.ordered_tables();
    const auto changes = changed_entries(graph, now, tables, fresh);
    const Lid sm = *graph.terminals().front().lid;
    const auto plan = order_writes(graph, now, tables, changes, turns, {.sm_lid = sm});
    ASSERT_TRUE(plan) << plan.error().message();
    WriteReplay replay(graph, now, tables, levels, maps, WriteReplay::Cycles::kLookFor);
    WriteReplay at_once = replay;
    const ReplayFaults faults = support::replay_plan(replay, *plan, kOrders, seed);
    EXPECT_TRUE(faults.none()) << "fault " << fault << ' ' << faults.first;
    EXPECT_THAT(changed_entries(graph, now, replay.tables(), fresh), IsEmpty());
    at_once.excuse(plan->lost);
    tally.add(*plan, faults,
              support::replay_plan(at_once, naive(graph, now, tables, fresh), 1, seed));
    tables = replay.tables();
  }
  tally.print();
  EXPECT_GT(tally.naive.lost + tally.naive.circles, 0U) << "else this shows nothing";
  EXPECT_EQ(tally.cleared, 0);
}

/// Any engine in one lane or as many as it likes, made live.
class LiveOrderTest : public testing::TestWithParam<std::tuple<Case, std::uint8_t>> {};
std::string live_name(const testing::TestParamInfo<std::tuple<Case, std::uint8_t>>& info) {
  return std::string(std::get<Case>(info.param).name) +
         (std::get<std::uint8_t>(info.param) == 1 ? "_in_one_lane" : "");
}

Fabric small_dragonfly() {
  return *simulation::make_dragonfly(
      {.routers_per_group = 3, .hosts_per_router = 1, .global_links = 1, .groups = 4}, {});
}
Fabric small_torus() { return support::torus({3, 3}, 1); }

const Case kLiveCases[] = {
    {"ft2_k4", support::ft2_k4, 40},
    {"ft3_k4", support::ft3_k4, 30},
    {"ft2_128_hosts", ft2_128_hosts, 4},
    {"dragonfly", small_dragonfly, 30, true},
    {"df_a4h2p2", support::df_a4h2p2, 2, true},
    {"dragonfly_plus", support::dfp_g3, 40},
    {"hybrid", support::hybrid_two_homed, 40},
    {"torus", small_torus, 40, true},
};
INSTANTIATE_TEST_SUITE_P(Fabrics, LiveOrderTest,
                         testing::Combine(testing::ValuesIn(kLiveCases),
                                          testing::Values(std::uint8_t{1}, std::uint8_t{8})),
                         live_name);

/// A fabric that is routed anew when something changes, made live, and written in order.
class LiveFabric {
 public:
  LiveFabric(const Fabric& fabric, std::uint8_t lanes, NewLevels new_levels, std::uint64_t seed)
      : fabric_(support::assign_lids(fabric)),
        graph_(support::graph_of(fabric_)),
        structure_(*recognise(fabric_, graph_)),
        seed_(seed),
        new_levels_(new_levels) {
    options_.max_lanes = lanes;
    before_ = compute_routes(fabric_, graph_, structure_, now_, options_, workers_)->routes;
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Availability& now() { return now_; }

  /// Goes over to what now() is, every state on the way judged.
  WritePlan go_over(Tally& tally) {
    Routes after = compute_routes(fabric_, graph_, structure_, now_, options_, workers_)->routes;
    const LevelSets old_levels(before_.lanes.levels);
    const RoutingState old{before_.tables, old_levels, before_.lanes.maps};
    (void)make_live(graph_, now_, old, RiskOfDeadlock::kRefuse, after, workers_);
    const LevelSets levels(after.lanes.levels);
    const RoutingState fresh{after.tables, levels, after.lanes.maps};
    const WritePlan plan = *order_live_change(graph_, now_, old, fresh, new_levels_, {}, workers_);
    const LevelSets meanwhile = new_levels_ == NewLevels::kMeanwhile
                                    ? levels_in_use(graph_, old, levels)
                                    : levels_until_told(graph_, old, levels);
    WriteReplay replay(graph_, now_, before_.tables, meanwhile, after.lanes.maps,
                       WriteReplay::Cycles::kLookFor);
    WriteReplay at_once = replay;
    const ReplayFaults faults = support::replay_plan(replay, plan, kOrders, seed_);
    EXPECT_TRUE(faults.none()) << faults.first;
    EXPECT_THAT(changed_entries(graph_, now_, replay.tables(), after.tables), IsEmpty());
    at_once.excuse(plan.lost);
    const WritePlan all = naive(graph_, now_, before_.tables, after.tables);
    tally.add(plan, faults, support::replay_plan(at_once, all, 1, seed_));
    after.tables = replay.tables();
    before_ = std::move(after);
    return plan;
  }

 private:
  Fabric fabric_;
  Graph graph_;
  Structure structure_;
  std::uint64_t seed_;
  NewLevels new_levels_;
  ComputeOptions options_;
  Workers workers_{1};
  Availability now_{graph_};
  Routes before_;
};

Tally weather_over(const Case& test, std::uint8_t lanes, NewLevels new_levels, int faults) {
  const std::uint64_t seed = support::seed_or(1);
  LiveFabric fabric(test.make(), lanes, new_levels, seed);
  Weather weather(seed);
  Tally tally;
  for (int fault = 0; fault < faults * rounds(); ++fault) {
    SCOPED_TRACE(testing::Message() << "fault " << fault);
    weather.change(fabric.graph(), fabric.now());
    fabric.go_over(tally);
  }
  tally.print();
  EXPECT_GT(tally.naive.lost + tally.naive.circles, 0U) << "else this shows nothing";
  return tally;
}

TEST_P(LiveOrderTest, NothingIsLostOrCirclesOrDeadlocksInAnyStateOfAChange) {
  const auto& [test, lanes] = GetParam();
  const Tally tally = weather_over(test, lanes, NewLevels::kAfterwards, test.faults);
  if (lanes != 1) {
    EXPECT_LE(tally.cleared * 4, test.faults * rounds()) << "detours of many faults may clash";
  } else if (!test.meshed) {
    EXPECT_EQ(tally.interrupted, 0U);
  }
}

TEST_P(LiveOrderTest, NorIfConnectionsAreOpenedOnNewLevelsMeanwhile) {
  const auto& [test, lanes] = GetParam();
  if (lanes != 1) (void)weather_over(test, lanes, NewLevels::kMeanwhile, (test.faults + 1) / 2);
}

TEST_P(LiveOrderTest, OneCableGoesAndReturnsInFewStepsAndNobodyIsInterrupted) {
  const auto& [test, lanes] = GetParam();
  LiveFabric fabric(test.make(), lanes, NewLevels::kAfterwards, 1);
  const auto arcs = static_cast<std::uint32_t>(fabric.graph().arcs().size());
  Tally tally;
  if (test.meshed && lanes == 1) return;
  for (std::uint32_t a = 0; a < arcs; a += 1 + arcs / 8) {
    fabric.now().take_down(fabric.graph(), ArcIndex{a});
    EXPECT_LE(fabric.go_over(tally).steps.size(), test.meshed ? 6U : 4U);
    fabric.now().bring_back(fabric.graph(), ArcIndex{a});
    EXPECT_LE(fabric.go_over(tally).steps.size(), test.meshed ? 6U : 4U);
  }
  tally.print();
  EXPECT_EQ(tally.interrupted, 0U);
}

TEST(LiveWriteOrderTest, OldAndNewPathsThatClashAreWrittenInRoundsWithoutACycleInAnyState) {
  // A ring of 4. LIDs two switches on turn one way from 0 and 1, the other from 2 and 3, and then
  // the other way round: both tables are good, and together they go round the ring both ways.
  const Graph graph = support::graph_of(support::torus({4}, 1));
  const Availability all(graph);
  const auto with_turns = [&](std::vector<std::uint32_t> onward) {
    ForwardingTables tables = support::shortest_tables(graph, all);
    for (const Destination& destination : graph.destinations()) {
      for (std::uint32_t s = 0; s < 4; ++s) {
        if ((destination.at.value() + 4 - s) % 4 != 2) continue;
        const bool forward = std::ranges::find(onward, s) != onward.end();
        for (const Arc& arc : graph.arcs_of(sw(s))) {
          if ((arc.to.value() == (s + 1) % 4) == forward) {
            Drawing::set(tables, s, destination.lid, arc.exit.value());
          }
        }
      }
    }
    return tables;
  };
  const ForwardingTables before = with_turns({0, 1});
  const ForwardingTables after = with_turns({2, 3});
  const LevelSets levels;
  const LaneMaps maps;
  Workers workers(1);
  const WritePlan plan =
      *order_live_change(graph, all, {before, levels, maps}, {after, levels, maps},
                         NewLevels::kAfterwards, {}, workers);
  EXPECT_GT(plan.steps.size(), 1U);
  EXPECT_THAT(plan.lost, IsEmpty());
  WriteReplay replay(graph, all, before, levels, maps, WriteReplay::Cycles::kLookFor);
  WriteReplay at_once = replay;
  const ReplayFaults faults = support::replay_plan(replay, plan, 24, 1);
  EXPECT_TRUE(faults.none()) << faults.first;
  EXPECT_EQ(replay.tables(), after);
  EXPECT_GT(support::replay_plan(at_once, naive(graph, all, before, after), 24, 1).cycles, 0U);
}

TEST(LiveWriteOrderTest, IsTheSameWhateverTheNumberOfThreads) {
  const Fabric fabric = support::assign_lids(support::df_a4h2p2());
  const Graph graph = support::graph_of(fabric);
  const Structure structure = *recognise(fabric, graph);
  Availability cut(graph);
  const auto steps = [&](std::size_t threads) {
    Workers workers(threads);
    const Routes before =
        compute_routes(fabric, graph, structure, Availability(graph), {}, workers)->routes;
    cut.take_down(graph, ArcIndex{0U});
    Routes after = compute_routes(fabric, graph, structure, cut, {}, workers)->routes;
    const LevelSets old(before.lanes.levels);
    const RoutingState state{before.tables, old, before.lanes.maps};
    (void)make_live(graph, cut, state, RiskOfDeadlock::kRefuse, after, workers);
    const LevelSets fresh(after.lanes.levels);
    return order_live_change(graph, cut, state, {after.tables, fresh, after.lanes.maps},
                             NewLevels::kMeanwhile, {}, workers)
        ->steps;
  };
  const std::vector<WriteStep> one = steps(1);
  ASSERT_FALSE(one.empty());
  const std::vector<WriteStep> four = steps(4);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].writes, four[i].writes);
}

}  // namespace
}  // namespace heddle::routing
