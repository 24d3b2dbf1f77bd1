#include "routing/port_sets.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::Lid;
using model::PortNum;
using model::SwitchIndex;
using testing::ElementsAre;
using testing::IsEmpty;

struct Made {
  Made(const Fabric& whole, std::optional<Engine> engine,
       const std::function<void(const Graph&, Availability&)>& damage = nullptr,
       std::size_t threads = 1)
      : fabric(whole),
        graph(support::graph_of(fabric)),
        structure(*recognise(fabric, graph)),
        availability(graph),
        workers(threads) {
    if (damage) damage(graph, availability);
    auto computed =
        compute_routes(fabric, graph, structure, availability, {.engine = engine}, workers);
    if (!computed) throw std::runtime_error(computed.error().text);
    routes = std::move(computed->routes);
  }
  [[nodiscard]] PortSets sets() {
    return minimal_port_sets(fabric, graph, structure, availability, routes, workers);
  }
  [[nodiscard]] SwitchIndex sw(std::string_view name) const {
    return *fabric.switch_index(*fabric.find_node(support::node_named(fabric, name).guid));
  }
  [[nodiscard]] Lid host(std::uint32_t rank) const {
    return *graph.terminal(TerminalIndex{rank}).lid;
  }

  Fabric fabric;
  Graph graph;
  Structure structure;
  Availability availability;
  Workers workers;
  Routes routes;
};

std::vector<unsigned> ports(const PortSets& sets, SwitchIndex sw, Lid lid) {
  const auto found = sets.ports(sw, lid);
  return {found.begin(), found.end()};
}

TEST(PortSetsTest, ALeafMayTakeEveryUplinkAndASwitchAboveOnlyWhatLeadsDown) {
  // ft3_k4: two levels of leaves and spines a pod, hosts on ports 1, 2, uplinks on 3, 4.
  Made made(support::assign_lids(support::ft3_k4()), std::nullopt);
  const PortSets sets = made.sets();
  const Lid far = made.host(15);  // pod 3, leaf 7
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), far), ElementsAre(3, 4));
  EXPECT_THAT(ports(sets, made.sw("spine-00-00"), far), ElementsAre(3, 4));
  EXPECT_THAT(ports(sets, made.sw("core-0000"), far), ElementsAre(4));
  EXPECT_THAT(ports(sets, made.sw("spine-03-01"), far), ElementsAre(2));
  EXPECT_THAT(ports(sets, made.sw("leaf-0007"), far), IsEmpty()) << "it hands the packet over";
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), made.host(1)), IsEmpty());
}

TEST(PortSetsTest, ParallelCablesAreAllInTheSet) {
  Made made(support::assign_lids(support::ft2_k8_parallel2()), std::nullopt);
  const PortSets sets = made.sets();
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), made.host(15)), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(ports(sets, made.sw("spine-0000"), made.host(15)), ElementsAre(4, 8));
}

TEST(PortSetsTest, WhatCannotReachTheDestinationDownwardsIsNoChoice) {
  const auto cut = [](const Graph& graph, Availability& availability) {
    // ft2_k4: leaf 3 (switches are in order of GUID, leaves first) loses spine 0.
    availability.take_down(graph,
                           ArcIndex{graph.target(SwitchIndex{3U}, PortNum{std::uint8_t{3}}).index});
  };
  Made made(support::assign_lids(support::ft2_k4()), std::nullopt, cut);
  const PortSets sets = made.sets();
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), made.host(6)), ElementsAre(4));
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), made.host(5)), ElementsAre(3, 4));
  EXPECT_THAT(ports(sets, made.sw("leaf-0003"), made.host(0)), ElementsAre(4));
}

TEST(PortSetsTest, ADrainedCableIsNoChoiceWhileThereIsAnother) {
  const auto drain = [](const Graph& graph, Availability& availability) {
    availability.set_capacity(
        graph, ArcIndex{graph.target(SwitchIndex{0U}, PortNum{std::uint8_t{3}}).index}, {0});
    for (const std::uint8_t port : {std::uint8_t{3}, std::uint8_t{4}}) {
      availability.set_capacity(graph, ArcIndex{graph.target(SwitchIndex{1U}, PortNum{port}).index},
                                {0});
    }
  };
  Made made(support::assign_lids(support::ft2_k4()), std::nullopt, drain);
  const PortSets sets = made.sets();
  EXPECT_THAT(ports(sets, made.sw("leaf-0000"), made.host(6)), ElementsAre(4));
  EXPECT_THAT(ports(sets, made.sw("leaf-0001"), made.host(6)), ElementsAre(3, 4))
      << "both are drained";
}

TEST(PortSetsTest, LayeredTablesLeaveNoChoice) {
  Made made(support::torus({4, 4}, 1), std::nullopt);
  ASSERT_EQ(made.routes.engine, Engine::kLayered);
  const PortSets sets = made.sets();
  for (const Destination& to : made.graph.destinations()) {
    EXPECT_THAT(ports(sets, SwitchIndex{0U}, to.lid), IsEmpty());
  }
  EXPECT_EQ(sets.distinct(), 1U);
}

TEST(PortSetsTest, NonMinimalLidsOfADragonflyLeaveNoChoice) {
  Made made(support::assign_lids(support::df_a4h2p2(), 1), std::nullopt);
  const PortSets sets = made.sets();
  for (const Destination& to : made.graph.destinations()) {
    if (to.path == 0) continue;
    EXPECT_THAT(ports(sets, SwitchIndex{0U}, to.lid), IsEmpty());
  }
}

/// A fabric, the engine, and damage in cables of a thousand.
struct Case {
  const char* name;
  Fabric (*make)();
  std::optional<Engine> engine;
  std::uint32_t per_mille;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

Fabric dragonfly_plus() {
  return *simulation::make_dragonfly_plus(
      {.groups = 5, .leaves = 4, .spines = 4, .hosts_per_leaf = 2, .global_links = 4}, {});
}
/// Two cables between two groups, so that a router without one has the choice of two others.
Fabric dragonfly_of_five() {
  return *simulation::make_dragonfly(
      {.routers_per_group = 4, .hosts_per_router = 2, .global_links = 2, .groups = 5}, {});
}

const Case kCases[] = {
    {"ft3_k8", support::ft3_k8, std::nullopt, 0},
    {"ft3_k8_damaged", support::ft3_k8, std::nullopt, 80},
    {"ft3_k8_up_down", support::ft3_k8, Engine::kUpDown, 80},
    {"ft2_k8_parallel2_damaged", support::ft2_k8_parallel2, std::nullopt, 100},
    {"dfp_5x4x4", dragonfly_plus, std::nullopt, 0},
    {"dfp_5x4x4_damaged", dragonfly_plus, std::nullopt, 80},
    {"df_5x4", dragonfly_of_five, Engine::kDragonfly, 0},
    {"df_5x4_damaged", dragonfly_of_five, Engine::kDragonfly, 50},
    {"df_a4h2p2_up_down", support::df_a4h2p2, Engine::kUpDown, 0},
    {"hybrid_two_homed", support::hybrid_two_homed, std::nullopt, 0},
};

class PortSetsPropertyTest : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] Made make(std::uint64_t seed, std::size_t threads = 1) const {
    const Case& c = GetParam();
    const auto damage = [&](const Graph& graph, Availability& availability) {
      availability = support::damaged(graph, c.per_mille, seed);
    };
    return {support::assign_lids(c.make()), c.engine, damage, threads};
  }
};
INSTANTIATE_TEST_SUITE_P(Fabrics, PortSetsPropertyTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Depth first, whether what `next` gives never comes back to where it was.
class CircleSearch {
 public:
  explicit CircleSearch(std::vector<std::vector<std::uint32_t>> next)
      : next_(std::move(next)), state_(next_.size()) {}
  [[nodiscard]] bool found() {
    for (std::uint32_t v = 0; v < next_.size(); ++v) {
      if (visit(v)) return true;
    }
    return false;
  }

 private:
  bool visit(std::uint32_t v) {
    if (state_[v] != 0) return state_[v] == 1;
    state_[v] = 1;
    for (const std::uint32_t to : next_[v]) {
      if (visit(to)) return true;
    }
    state_[v] = 2;
    return false;
  }
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint8_t> state_;
};

TEST_P(PortSetsPropertyTest, WhateverSwitchesChoosePacketsArriveWithoutLoopOrDeadlock) {
  const std::uint64_t seed = support::seed_or(17);
  for (std::uint64_t round = 0; round < 2; ++round) {
    Made made = make(seed + round);
    const Graph& graph = made.graph;
    const PortSets sets = made.sets();
    const bool moves_lane = made.routes.engine == Engine::kDragonfly;
    const auto arcs = static_cast<std::uint32_t>(graph.arcs().size());
    // Channels by arc and lane; a dragonfly changes lane where a packet leaves a global cable.
    std::vector<std::vector<std::uint32_t>> waits(std::size_t{2} * arcs);
    const auto is_global = [&](const Arc& arc) {
      return moves_lane &&
             made.structure.pod[arc.from.value()] != made.structure.pod[arc.to.value()];
    };
    std::size_t choices = 0;
    for (const Destination& to : graph.destinations()) {
      std::vector<std::vector<std::uint32_t>> hops(graph.switch_count());
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        const auto set = ports(sets, SwitchIndex{s}, to.lid);
        choices += set.size() > 1 ? 1U : 0U;
        for (const unsigned port : set) {
          const PortTarget target =
              graph.target(SwitchIndex{s}, PortNum{static_cast<std::uint8_t>(port)});
          ASSERT_EQ(target.kind, PortTarget::Kind::kSwitch);
          const ArcIndex in{target.index};
          ASSERT_TRUE(made.availability.usable(graph, in));
          const SwitchIndex next = graph.arc(in).to;
          hops[s].push_back(next.value());
          // A choice leads on to further choices, or to the destination's switch.
          const auto after = ports(sets, next, to.lid);
          ASSERT_TRUE(next == to.at || !after.empty());
          for (const unsigned exit : after) {
            const std::uint32_t out =
                graph.target(next, PortNum{static_cast<std::uint8_t>(exit)}).index;
            const bool moved = is_global(graph.arc(in));
            waits[in.value()].push_back(moved ? arcs + out : out);
            if (!moved) waits[arcs + in.value()].push_back(arcs + out);
          }
        }
      }
      ASSERT_FALSE(CircleSearch(std::move(hops)).found())
          << "LID " << to.lid.value() << " can loop";
    }
    for (std::vector<std::uint32_t>& next : waits) {
      std::ranges::sort(next);
      next.erase(std::unique(next.begin(), next.end()), next.end());
    }
    // What waits in the second lane came there by a global cable only.
    if (moves_lane) {
      std::vector<std::uint8_t> reached(arcs);
      for (std::uint32_t a = 0; a < arcs; ++a) {
        for (const std::uint32_t to : waits[a]) {
          if (to >= arcs) reached[to - arcs] = 1;
        }
      }
      for (std::uint32_t a = 0; a < arcs; ++a) {
        if (reached[a] == 0) waits[arcs + a].clear();
      }
    }
    EXPECT_FALSE(CircleSearch(std::move(waits)).found()) << "round " << round;
    EXPECT_GT(choices, 0U);
  }
}

TEST_P(PortSetsPropertyTest,
       EveryHostPairThatTheOrderConnectsHasASetAndAWholeFabricsTablesChooseFromIt) {
  Made made = make(support::seed_or(23));
  const PortSets sets = made.sets();
  std::size_t with = 0;
  std::size_t without = 0;
  for (const Destination& to : made.graph.destinations()) {
    if (!to.terminal) continue;
    for (std::uint32_t s = 0; s < made.graph.switch_count(); ++s) {
      const SwitchIndex sw{s};
      if (sw == to.at || made.graph.terminals_of(sw).empty()) continue;
      if (made.routes.lanes.levels.sl(sw, to.lid) != model::Sl{}) continue;  // a detour
      const auto set = ports(sets, sw, to.lid);
      (set.empty() ? without : with) += 1;
      if (GetParam().per_mille == 0) {
        EXPECT_THAT(set, testing::Contains(made.routes.tables.port(sw, to.lid)->value()));
      }
    }
  }
  EXPECT_GT(with, 0U);
  if (GetParam().per_mille == 0) {
    EXPECT_EQ(without, 0U);
  }
}

TEST_P(PortSetsPropertyTest, TheSameWithAnyNumberOfThreads) {
  Made one = make(5, 1);
  Made three = make(5, 3);
  const PortSets a = one.sets();
  const PortSets b = three.sets();
  EXPECT_EQ(a.distinct(), b.distinct());
  for (const Destination& to : one.graph.destinations()) {
    for (std::uint32_t s = 0; s < one.graph.switch_count(); ++s) {
      ASSERT_EQ(ports(a, SwitchIndex{s}, to.lid), ports(b, SwitchIndex{s}, to.lid));
    }
  }
}

}  // namespace
}  // namespace heddle::routing
