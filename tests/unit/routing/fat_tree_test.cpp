#include "routing/fat_tree.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "routing/ordered_proof.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/tier_structure.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::ForwardingTables;
using model::SwitchIndex;

/// A generated tree with LIDs, ready to be routed.
struct Tree {
  explicit Tree(const std::string& shape_text, std::uint8_t lmc = 0)
      : shape(*simulation::parse_pgft_shape(shape_text)),
        fabric(support::assign_lids(*simulation::make_pgft(shape, {}), lmc)),
        graph(*Graph::from(fabric)),
        structure(support::tier_structure(graph)),
        plan(FatTreePlan::make(fabric, graph, structure)) {}
  explicit Tree(model::Fabric recognised)
      : fabric(std::move(recognised)),
        graph(*Graph::from(fabric)),
        structure(*recognise(fabric, graph)),
        plan(FatTreePlan::make(fabric, graph, structure)) {}

  simulation::PgftShape shape;  ///< of a generated one
  model::Fabric fabric;
  Graph graph;
  Structure structure;
  FatTreePlan plan;
};

ForwardingTables computed(const Tree& tree, const Availability& availability,
                          std::size_t threads = 1) {
  Workers workers(threads);
  FatTree engine(tree.graph, tree.plan);
  engine.compute(availability, workers);
  return engine.tables();
}

OrderedProof proved(const Tree& tree, const Availability& availability,
                    const ForwardingTables& tables) {
  Workers workers(1);
  return prove_ordered(tree.graph, tree.plan.directions(), availability, tables, workers);
}

std::vector<ArcIndex> cables_of(const Graph& graph) {
  std::vector<ArcIndex> cables;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    if (graph.arc(ArcIndex{a}).reverse.value() > a) cables.push_back(ArcIndex{a});
  }
  return cables;
}

constexpr const char* kShapes[] = {
    "4:1:1",                   // one switch
    "2,4:1,2:1,1",             // two levels
    "4,4:1,2:1,2",             // parallel cables
    "6,4:1,3:1,1",             // 2:1
    "2,2,4:1,2,2:1,1,1",       // three levels
    "4,4,8:1,4,4:1,1,1",       //
    "6,6,4:1,6,3:1,1,2",       // parallel cables at the top
    "8,4,3:1,4,2:1,1,1",       // 2:1 at both levels
    "2,2,2,2:1,2,2,2:1,1,1,1"  // four levels
};

class EveryTree : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(FatTree, EveryTree, testing::ValuesIn(kShapes));

/// The port that D-mod-K gives, from the paper's formula and the generator's numbering of ports
/// alone.
class ClosedForm {
 public:
  explicit ClosedForm(const Tree& tree) : tree_(tree) {}

  [[nodiscard]] unsigned port(SwitchIndex sw, TerminalIndex to) const {
    const auto& shape = tree_.shape;
    const unsigned level =
        *tree_.structure.level[sw.value()] + 1U;  // the paper counts hosts as level 0
    const std::uint64_t rank = rank_in_tier(sw);
    const std::uint64_t j = host_rank(to);
    std::uint64_t w_below = 1;  // w_1 ... w_level
    std::uint64_t hosts = 1;    // m_1 ... m_level
    for (unsigned i = 0; i < level; ++i) {
      w_below *= shape.w[i];
      hosts *= shape.m[i];
    }
    const std::uint64_t subtree = rank / w_below;
    if (j / hosts == subtree) {
      const std::uint64_t m = shape.m[level - 1];
      const std::uint64_t child = j / (hosts / m) % m;
      const std::uint64_t w_before = w_below / shape.w[level - 1];
      const std::uint64_t digit =
          j / w_before % (std::uint64_t{shape.w[level - 1]} * shape.p[level - 1]);
      return static_cast<unsigned>(1 + child + digit / shape.w[level - 1] * m);
    }
    const std::uint64_t w = shape.w[level];
    const std::uint64_t digit = j / w_below % (w * shape.p[level]);
    return static_cast<unsigned>(std::uint64_t{shape.m[level - 1]} * shape.p[level - 1] + 1 +
                                 digit % w + digit / w * w);
  }

 private:
  [[nodiscard]] std::uint64_t rank_in_tier(SwitchIndex sw) const {
    std::uint64_t rank = 0;
    for (std::uint32_t s = 0; s < sw.value(); ++s) {
      if (tree_.structure.level[s] == tree_.structure.level[sw.value()]) ++rank;
    }
    return rank;
  }
  [[nodiscard]] std::uint64_t host_rank(TerminalIndex to) const {
    return tree_.graph.terminal(to).node.value();  // hosts have the lowest GUIDs, in order
  }
  const Tree& tree_;
};

TEST_P(EveryTree, HealthyTablesAreDModKBitForBit) {
  const Tree tree(GetParam());
  const ForwardingTables tables = computed(tree, Availability(tree.graph));
  const ClosedForm form(tree);
  for (std::uint32_t s = 0; s < tree.graph.switch_count(); ++s) {
    for (const Destination& to : tree.graph.destinations()) {
      if (!to.terminal) continue;
      ASSERT_EQ(tables.row(SwitchIndex{s})[to.lid.value()], form.port(SwitchIndex{s}, *to.terminal))
          << "switch " << s << " LID " << to.lid.value();
    }
  }
}

TEST_P(EveryTree, HealthyTablesAreProvedAndLeaveNoHostOrSwitchUndelivered) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const Tree tree(GetParam(), lmc);
    const Availability all(tree.graph);
    const OrderedProof proof = proved(tree, all, computed(tree, all));
    EXPECT_EQ(proof.wrong_entries, 0U);
    EXPECT_TRUE(proof.undelivered.empty());
  }
}

/// What up*/down* connects, the obvious way.
bool connected_up_down(const Tree& tree, const Availability& availability, SwitchIndex from,
                       SwitchIndex to, bool may_go_up) {
  if (!availability.up(from)) return false;
  if (from == to) return true;
  for (std::uint32_t i = 0; i < tree.graph.arcs_of(from).size(); ++i) {
    const ArcIndex index{tree.graph.first_arc(from).value() + i};
    if (!availability.usable(tree.graph, index)) continue;
    const Arc& arc = tree.graph.arc(index);
    const bool up = tree.plan.direction(index) == Direction::kUp;
    if (up && !may_go_up) continue;
    if (connected_up_down(tree, availability, arc.to, to, up)) return true;
  }
  return false;
}

TEST_P(EveryTree, WithRandomFaultsEveryPairThatUpDownConnectsIsDelivered) {
  const Tree tree(GetParam());
  std::mt19937 random(static_cast<std::uint32_t>(support::seed_or(1)));
  for (int round = 0; round < 4; ++round) {
    Availability availability(tree.graph);
    for (const ArcIndex cable : cables_of(tree.graph)) {
      if (random() % 5 == 0) availability.take_down(tree.graph, cable);
    }
    if (round % 2 == 1) {
      availability.take_down(
          SwitchIndex{static_cast<std::uint32_t>(random() % tree.graph.switch_count())});
    }
    const ForwardingTables tables = computed(tree, availability);
    const OrderedProof proof = proved(tree, availability, tables);
    ASSERT_EQ(proof.wrong_entries, 0U) << "round " << round;
    for (std::uint32_t s = 0; s < tree.graph.switch_count(); ++s) {
      for (const Destination& to : tree.graph.destinations()) {
        const bool connected = connected_up_down(tree, availability, SwitchIndex{s}, to.at, true) &&
                               availability.usable(tree.graph, to);
        ASSERT_EQ(tables.port(SwitchIndex{s}, to.lid).has_value(), connected)
            << "round " << round << " switch " << s << " LID " << to.lid.value();
      }
    }
  }
}

TEST_P(EveryTree, RepairMakesTheTablesThatComputingAfreshWouldMake) {
  const Tree tree(GetParam());
  const std::vector<ArcIndex> cables = cables_of(tree.graph);
  std::mt19937 random(static_cast<std::uint32_t>(support::seed_or(1)));
  Workers workers(2);
  FatTree engine(tree.graph, tree.plan);
  Availability availability(tree.graph);
  engine.compute(availability, workers);
  const ForwardingTables healthy = engine.tables();
  Availability last = availability;
  for (int step = 0; step < 15; ++step) {
    const ForwardingTables before = engine.tables();
    if (!cables.empty() && random() % 4 != 0) {
      const ArcIndex cable = cables[random() % cables.size()];
      if (availability.usable(tree.graph, cable)) {
        availability.take_down(tree.graph, cable);
      } else {
        availability.bring_back(tree.graph, cable);
      }
      if (random() % 8 == 0)
        availability.set_capacity(tree.graph, cable,
                                  {static_cast<std::uint8_t>(random() % 3 * 50)});
    } else {
      const SwitchIndex sw{static_cast<std::uint32_t>(random() % tree.graph.switch_count())};
      if (availability.up(sw)) {
        availability.take_down(sw);
      } else {
        availability.bring_back(sw);
      }
    }
    const std::vector<ChangedEntry> changed = engine.repair(availability, workers);
    ASSERT_EQ(engine.tables(), computed(tree, availability)) << "step " << step;
    EXPECT_TRUE(prove_written(tree.graph, tree.plan.directions(), last, availability,
                              engine.tables(), changed)
                    .good());
    last = availability;
    std::size_t differing = 0;
    for (std::uint32_t s = 0; s < tree.graph.switch_count(); ++s) {
      for (std::size_t lid = 0; lid < before.row_length(); ++lid) {
        differing +=
            before.row(SwitchIndex{s})[lid] != engine.tables().row(SwitchIndex{s})[lid] ? 1U : 0U;
      }
    }
    ASSERT_EQ(changed.size(), differing) << "step " << step;
    for (const ChangedEntry& entry : changed) {
      ASSERT_EQ(before.row(entry.sw)[entry.lid.value()], entry.before);
      ASSERT_EQ(engine.tables().row(entry.sw)[entry.lid.value()], entry.after);
    }
  }
  engine.repair(Availability(tree.graph), workers);
  EXPECT_EQ(engine.tables(), healthy) << "something is left over after everything returned";
}

TEST_P(EveryTree, TheNumberOfThreadsDoesNotShow) {
  const Tree tree(GetParam());
  Availability availability(tree.graph);
  if (!tree.graph.arcs().empty()) availability.take_down(tree.graph, ArcIndex{0U});
  const ForwardingTables one = computed(tree, availability, 1);
  for (const std::size_t threads : {2U, 3U, 8U})
    EXPECT_EQ(computed(tree, availability, threads), one);
}

/// Takes each cable down alone and back.
void expect_cuts_to_move_only_what_they_must(const Tree& tree) {
  Workers workers(1);
  FatTree engine(tree.graph, tree.plan);
  engine.compute(Availability(tree.graph), workers);
  for (const ArcIndex cable : cables_of(tree.graph)) {
    Availability availability(tree.graph);
    engine.repair(availability, workers);
    availability.take_down(tree.graph, cable);
    for (const ChangedEntry& entry : engine.repair(availability, workers)) {
      const PortTarget target = tree.graph.target(entry.sw, model::PortNum{entry.before});
      ASSERT_EQ(target.kind, PortTarget::Kind::kSwitch);
      const bool gone = !availability.usable(tree.graph, ArcIndex{target.index});
      const SwitchIndex next = tree.graph.arc(ArcIndex{target.index}).to;
      const bool came_down = tree.plan.direction(ArcIndex{target.index}) == Direction::kDown;
      const SwitchIndex at = tree.graph.find(entry.lid)->at;
      const bool stuck = came_down ? !engine.reach().down.test(next.value(), at.value())
                                   : !engine.reach().any.test(next.value(), at.value());
      EXPECT_TRUE(gone || stuck) << "switch " << entry.sw.value() << " LID " << entry.lid.value();
    }
  }
}

TEST(FatTreeTest, OneCutMovesOnlyWhatItMust) {
  expect_cuts_to_move_only_what_they_must(Tree("6,6,4:1,6,3:1,1,2"));
  expect_cuts_to_move_only_what_they_must(Tree(support::meshed_tree(2, 4, 4, 4, 4)));
}

TEST(FatTreeTest, SpinesThatAllMeetTheSameCoresShareTheTraffic) {
  // Non-blocking: 4 hosts and 4 spines a leaf, and as many cables above as below. All traffic of a
  // leaf took one spine.
  const Tree tree(support::meshed_tree(2, 4, 4, 4, 4));
  const Availability whole(tree.graph);
  const ForwardingTables tables = computed(tree, whole);
  const OrderedProof proof = proved(tree, whole, tables);
  EXPECT_TRUE(proof.good() && proof.undelivered.empty());
  Workers workers(1);
  EXPECT_EQ(score_routes(tree.graph, whole, tables, {}, workers).shift_max, 1U);
}

TEST(FatTreeTest, ADrainedCableCarriesNothingWhileAnotherWayIsThere) {
  const Tree tree("4,4,8:1,4,4:1,1,1");
  for (const ArcIndex cable : cables_of(tree.graph)) {
    Availability availability(tree.graph);
    availability.set_capacity(tree.graph, cable, {0});
    const ForwardingTables tables = computed(tree, availability);
    const OrderedProof proof = proved(tree, availability, tables);
    ASSERT_EQ(proof.wrong_entries, 0U);
    ASSERT_TRUE(proof.undelivered.empty()) << "draining disconnected something";
    const Arc& arc = tree.graph.arc(cable);
    for (const Destination& to : tree.graph.destinations()) {
      if (!to.terminal || to.at == arc.to || to.at == arc.from) continue;
      const bool from_uses = tables.row(arc.from)[to.lid.value()] == arc.exit.value();
      EXPECT_FALSE(from_uses && tree.plan.direction(cable) == Direction::kUp)
          << "LID " << to.lid.value();
    }
  }
}

TEST(FatTreeTest, ADrainedCableIsUsedWhereNothingElseLeads) {
  const Tree tree("2,2:1,1:1,1");  // one spine: every uplink is the only one
  Availability availability(tree.graph);
  for (const ArcIndex cable : cables_of(tree.graph))
    availability.set_capacity(tree.graph, cable, {0});
  const ForwardingTables tables = computed(tree, availability);
  EXPECT_TRUE(proved(tree, availability, tables).undelivered.empty());
  EXPECT_EQ(tables, computed(tree, Availability(tree.graph)));
}

TEST(FatTreeTest, AReducedCableCarriesAboutItsShare) {
  const Tree tree("16,8:1,16:1,1");
  const std::uint32_t leaf = tree.structure.leaf_order.front().value();
  const ArcIndex cable = tree.graph.first_arc(SwitchIndex{leaf});
  const auto routes_over = [&](std::uint8_t percent) {
    Availability availability(tree.graph);
    availability.set_capacity(tree.graph, cable, {percent});
    const ForwardingTables tables = computed(tree, availability);
    const auto row = tables.row(SwitchIndex{leaf});
    return std::ranges::count(row, tree.graph.arc(cable).exit.value());
  };
  const auto full = routes_over(100);
  EXPECT_GT(routes_over(50), full / 4);
  EXPECT_LT(routes_over(50), full * 3 / 4);
  EXPECT_EQ(routes_over(0), 1) << "the spine's own LID has no other way";
}

TEST(FatTreeTest, AHostThatIsAwayClearsOneEntryAndNothingMoves) {
  const Tree tree("4,4,8:1,4,4:1,1,1");
  Workers workers(1);
  FatTree engine(tree.graph, tree.plan);
  Availability availability(tree.graph);
  engine.compute(availability, workers);
  availability.take_down(TerminalIndex{5U});
  const std::vector<ChangedEntry> changed = engine.repair(availability, workers);
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].sw, tree.graph.terminal(TerminalIndex{5U}).leaf);
  EXPECT_EQ(changed[0].after, ForwardingTables::kNoPort);
  EXPECT_TRUE(proved(tree, availability, engine.tables()).good());
  EXPECT_TRUE(prove_written(tree.graph, tree.plan.directions(), Availability(tree.graph),
                            availability, engine.tables(), changed)
                  .good());
}

TEST(FatTreeTest, TheProofFindsAnEntryThatTurnsUpAfterDown) {
  const Tree tree("2,2,4:1,2,2:1,1,1");
  const Availability all(tree.graph);
  ForwardingTables tables = computed(tree, all);
  // A root sends a LID down to a pod that does not have it; its spine sends it up again.
  const SwitchIndex root = tree.plan.order().ascending.back();
  const Destination* far = nullptr;
  for (const Destination& to : tree.graph.destinations()) {
    if (to.terminal && tables.row(root)[to.lid.value()] != 1) far = &to;
  }
  ASSERT_NE(far, nullptr);
  tables.row(root)[far->lid.value()] = 1;
  const OrderedProof proof = proved(tree, all, tables);
  EXPECT_EQ(proof.wrong_entries, 1U);
  ASSERT_TRUE(proof.first_wrong.has_value());
  EXPECT_EQ(proof.first_wrong->sw, root);
  EXPECT_EQ(proof.first_wrong->lid, far->lid);
}

TEST(FatTreeTest, TheProofOfAChangeFindsWhatTheWholeProofFinds) {
  const Tree tree("2,2,4:1,2,2:1,1,1");
  const Availability all(tree.graph);
  const ForwardingTables good = computed(tree, all);
  const SwitchIndex root = tree.plan.order().ascending.back();
  for (const Destination& to : tree.graph.destinations()) {
    for (const std::uint8_t port : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2},
                                    std::uint8_t{4}, ForwardingTables::kNoPort}) {
      ForwardingTables tables = good;
      tables.row(root)[to.lid.value()] = port;
      const std::vector<ChangedEntry> written{{root, to.lid, good.row(root)[to.lid.value()], port}};
      EXPECT_EQ(prove_written(tree.graph, tree.plan.directions(), all, all, tables, written).good(),
                proved(tree, all, tables).good())
          << "LID " << to.lid.value() << " port " << int{port};
    }
  }
  Availability cut(tree.graph);
  cut.take_down(tree.graph, ArcIndex{0U});
  EXPECT_FALSE(prove_written(tree.graph, tree.plan.directions(), all, cut, good, {}).good())
      << "entries still lead over the cable that was cut";
}

TEST(FatTreeTest, TheProofFindsEveryKindOfWrongEntry) {
  const Tree tree("2,4:1,2:1,1");
  const Availability all(tree.graph);
  const ForwardingTables good = computed(tree, all);
  const SwitchIndex leaf = tree.structure.leaf_order.front();
  const Destination* const own = tree.graph.find(*tree.graph.terminals_of(leaf)[0].lid);
  ASSERT_NE(own, nullptr);
  const auto wrong_with = [&](SwitchIndex sw, model::Lid lid, std::uint8_t port) {
    ForwardingTables tables = good;
    tables.row(sw)[lid.value()] = port;
    return proved(tree, all, tables).wrong_entries;
  };
  EXPECT_GE(wrong_with(leaf, own->lid, 2), 1U) << "another host's port";
  EXPECT_GE(wrong_with(leaf, own->lid, 0), 1U) << "the switch itself";
  EXPECT_GE(wrong_with(leaf, own->lid, 200), 1U) << "a port that is not there";
  EXPECT_GE(wrong_with(leaf, own->lid, ForwardingTables::kNoPort), 1U)
      << "users of a cleared entry";
  EXPECT_GE(wrong_with(leaf, *tree.graph.lid(tree.plan.order().ascending.back()), 0), 1U)
      << "a switch that it is not";
  EXPECT_EQ(wrong_with(leaf, own->lid, 1), 0U);
}

}  // namespace
}  // namespace heddle::routing
