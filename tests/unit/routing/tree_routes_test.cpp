#include "routing/tree_routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "routing/check.hpp"
#include "routing/detour_proof.hpp"
#include "routing/fat_tree_engine.hpp"
#include "routing/recognise.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::Sl;
using model::SwitchIndex;

struct Case {
  const char* name;
  Fabric (*make)();
  std::uint8_t lmc;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"ft2_k4", support::ft2_k4, 0},
    {"ft3_k4", support::ft3_k4, 0},
    {"ft3_k4_lmc_1", support::ft3_k4, 1},
    {"meshed_tree", [] { return support::meshed_tree(2, 3, 3, 3, 1); }, 0},
    {"ft3_k8_partly", support::ft3_k8_partly, 0},
    {"ft3_oversubscribed", support::ft3_oversubscribed, 0},
    {"hybrid_two_homed", support::hybrid_two_homed, 0},
};

/// A fabric, its routes, and what is up.
struct Subject {
  explicit Subject(const Case& c)
      : fabric(support::assign_lids(c.make(), c.lmc)),
        graph(support::graph_of(fabric)),
        structure(*recognise(fabric, graph)),
        now(graph),
        routes(graph, FatTreePlan::make(fabric, graph, structure), 8) {}

  void break_or_mend_something(std::mt19937_64& random) {
    if (random() % 6 == 0) {
      const SwitchIndex sw{static_cast<std::uint32_t>(random() % graph.switch_count())};
      now.up(sw) ? now.take_down(sw) : now.bring_back(sw);
    } else if (random() % 6 == 0) {
      const TerminalIndex host{static_cast<std::uint32_t>(random() % graph.terminals().size())};
      now.usable(graph, host) ? now.take_down(host) : now.bring_back(host);
    } else if (!graph.arcs().empty()) {
      const ArcIndex cable{static_cast<std::uint32_t>(random() % graph.arcs().size())};
      now.usable(graph, cable) ? now.take_down(graph, cable) : now.bring_back(graph, cable);
    }
  }

  Fabric fabric;
  Graph graph;
  Structure structure;
  Availability now;
  TreeRoutes routes;
  Workers workers{1};
};

class TreeRoutesTest : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, TreeRoutesTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Tables and levels as they stand, in one form.
struct State {
  model::ForwardingTables tables;
  PathLevels levels;
};

State state_of(const Subject& subject) {
  State state{subject.routes.ordered_tables(),
              PathLevels(subject.graph.switch_count(), subject.graph.top_lid())};
  for (const DetourEntry& entry : subject.routes.detours()) {
    state.tables.row(entry.sw)[entry.lid.value()] = entry.port;
    state.levels.set(entry.sw, entry.lid, entry.level);
  }
  return state;
}

template <class Visit>
void for_each_pair(const Graph& graph, Visit visit) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const Destination& to : graph.destinations()) visit(SwitchIndex{s}, to.lid);
  }
}

TEST_P(TreeRoutesTest, ARepairGivesWhatRoutingAfreshDoesAndTellsEachChange) {
  Subject subject(GetParam());
  ASSERT_TRUE(subject.routes.compute(subject.now, subject.workers));
  std::mt19937_64 random(support::seed_or(3));
  std::size_t with_detours = 0;
  for (int step = 0; step < 60; ++step) {
    const State before = state_of(subject);
    subject.break_or_mend_something(random);
    const auto change = subject.routes.repair(subject.now, subject.workers);
    ASSERT_TRUE(change) << change.error().message();
    const State after = state_of(subject);
    with_detours += subject.routes.detours().empty() ? 0U : 1U;

    const auto afresh = route_fat_tree(subject.fabric, subject.graph, subject.structure,
                                       subject.now, {}, subject.workers);
    ASSERT_TRUE(afresh);
    ASSERT_EQ(after.tables, afresh->tables) << "step " << step;
    EXPECT_TRUE(std::ranges::equal(subject.routes.undelivered(), afresh->undelivered));
    const Verdict verdict = check_routes(subject.graph, subject.now, afresh->tables, afresh->lanes,
                                         {}, subject.workers);
    EXPECT_TRUE(verdict.good()) << "step " << step;

    std::vector<ChangedEntry> entries;
    std::vector<ChangedLevel> levels;
    for_each_pair(subject.graph, [&](SwitchIndex sw, model::Lid lid) {
      const std::uint8_t was = before.tables.row(sw)[lid.value()];
      const std::uint8_t is = after.tables.row(sw)[lid.value()];
      if (was != is) entries.push_back({sw, lid, was, is});
      if (before.levels.sl(sw, lid) != after.levels.sl(sw, lid)) {
        levels.push_back({sw, lid, before.levels.sl(sw, lid), after.levels.sl(sw, lid)});
      }
      ASSERT_EQ(after.levels.sl(sw, lid), afresh->lanes.levels.sl(sw, lid)) << "step " << step;
    });
    ASSERT_EQ(change->entries, entries) << "step " << step;
    ASSERT_EQ(change->levels, levels) << "step " << step;
  }
  EXPECT_GT(with_detours, 0U) << "the faults never asked for a second lane";
}

TEST_P(TreeRoutesTest, NothingIsLeftOverWhenAllIsBack) {
  Subject subject(GetParam());
  ASSERT_TRUE(subject.routes.compute(subject.now, subject.workers));
  const State whole = state_of(subject);
  std::mt19937_64 random(support::seed_or(4));
  for (int step = 0; step < 30; ++step) {
    subject.break_or_mend_something(random);
    ASSERT_TRUE(subject.routes.repair(subject.now, subject.workers));
  }
  ASSERT_TRUE(subject.routes.repair(Availability(subject.graph), subject.workers));
  const State back = state_of(subject);
  EXPECT_EQ(back.tables, whole.tables);
  for_each_pair(subject.graph, [&](SwitchIndex sw, model::Lid lid) {
    ASSERT_EQ(back.levels.sl(sw, lid), whole.levels.sl(sw, lid));
  });
}

TEST_P(TreeRoutesTest, ARehearsalLeavesEverythingAsItWas) {
  Subject subject(GetParam());
  std::mt19937_64 random(support::seed_or(5));
  for (int step = 0; step < 3; ++step) subject.break_or_mend_something(random);
  ASSERT_TRUE(subject.routes.compute(subject.now, subject.workers));
  const State before = state_of(subject);
  ASSERT_TRUE(subject.routes.rehearse(subject.workers));
  const State after = state_of(subject);
  EXPECT_EQ(after.tables, before.tables);
  for_each_pair(subject.graph, [&](SwitchIndex sw, model::Lid lid) {
    ASSERT_EQ(after.levels.sl(sw, lid), before.levels.sl(sw, lid));
  });
}

/// Detours of ft3_k4 without one cable from a spine to a core.
struct WithDetours : Subject {
  WithDetours() : Subject(kCases[1]) {
    now.take_down(graph, graph.first_arc(structure.roots.front()));
    if (!routes.compute(now, workers)) throw std::logic_error("not routed");
    entries.assign(routes.detours().begin(), routes.detours().end());
  }
  [[nodiscard]] bool good() const {
    return !find_wrong_detour(graph, now, routes.ordered_tables(), entries);
  }
  std::vector<DetourEntry> entries;
};

TEST(DetourProofTest, TakesWhatIsGoodAndFindsADetourThatLeadsNowhere) {
  WithDetours subject;
  ASSERT_FALSE(subject.entries.empty());
  EXPECT_TRUE(subject.good());
  for (std::size_t i = 0; i < subject.entries.size(); ++i) {
    WithDetours wrong;
    wrong.entries[i].port = model::ForwardingTables::kNoPort;
    EXPECT_FALSE(wrong.good()) << i;
  }
}

TEST(DetourProofTest, FindsDetoursThatLeadOverWhatIsDown) {
  WithDetours subject;
  const PortTarget first =
      subject.graph.target(subject.entries[0].sw, model::PortNum{subject.entries[0].port});
  subject.now.take_down(subject.graph, ArcIndex{first.index});
  EXPECT_FALSE(subject.good());
}

TEST(DetourProofTest, FindsChannelsThatWaitForEachOtherInACircle) {
  // Four switches in a ring, each with one host; everybody sends two switches on, clockwise.
  const Fabric fabric = support::assign_lids(support::torus({4}, 1));
  const Graph graph = support::graph_of(fabric);
  const Availability whole(graph);
  const auto clockwise = [&](std::uint32_t s) {
    for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
      if (arc.to.value() == (s + 1) % 4) return arc.exit.value();
    }
    throw std::logic_error("no ring");
  };
  model::ForwardingTables tables(graph.switch_count(), graph.top_lid());
  std::vector<DetourEntry> entries;
  for (const Destination& to : graph.destinations()) {
    tables.row(to.at)[to.lid.value()] = graph.last_exit(to).value();
    if (!to.terminal) continue;
    const std::uint32_t at = to.at.value();
    std::vector<std::uint32_t> before{(at + 2) % 4, (at + 3) % 4};
    std::ranges::sort(before);
    for (const std::uint32_t s : before) {
      entries.push_back({SwitchIndex{s}, to.lid, clockwise(s), Sl{std::uint8_t{1}}});
    }
  }
  ASSERT_EQ(entries.size(), 8U);
  EXPECT_TRUE(find_wrong_detour(graph, whole, tables, entries)->ends_with("in a circle"));
  std::erase_if(entries, [&](const DetourEntry& e) { return e.lid == entries[0].lid; });
  EXPECT_FALSE(find_wrong_detour(graph, whole, tables, entries).has_value());
}

}  // namespace
}  // namespace heddle::routing
