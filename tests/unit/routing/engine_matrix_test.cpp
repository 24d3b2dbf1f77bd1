// What holds of tables whichever engine they come from, tried for all of:
//
//   engines x fabrics   18 fabrics, every engine on every fabric that it takes: 76 pairs
//   x faults            7 kinds, from one cable to 10 % of the switches
//   x seeds             2 in every run, HEDDLE_SEEDS=50 for a long one; HEDDLE_SEED is the first
//   x views             the fault known as one (the fabric remembered as it was), or what is left
//                       recognised as if it had always been so
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "routing/compute.hpp"
#include "routing/memory.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"
#include "support/damage.hpp"
#include "support/plain_graphs.hpp"
#include "support/slow_check.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::PortNum;
using model::SwitchIndex;
using support::Damage;

constexpr std::uint64_t kSeeds = 2;
constexpr std::uint8_t kMostLanes = 8;  ///< what ComputeOptions allows

Fabric pgft(const char* shape) {
  return *simulation::make_pgft(*simulation::parse_pgft_shape(shape), {});
}
Fabric hybrid(bool two_homed) {
  return *simulation::make_hybrid({.groups = 3,
                                   .leaves = 4,
                                   .spines = 2,
                                   .super_spines = 4,
                                   .hosts_per_leaf = 2,
                                   .two_homed = two_homed},
                                  {});
}
Fabric dragonfly(std::uint32_t groups, std::uint32_t routers, std::uint32_t hosts,
                 std::uint32_t global) {
  return *simulation::make_dragonfly({.routers_per_group = routers,
                                      .hosts_per_router = hosts,
                                      .global_links = global,
                                      .groups = groups},
                                     {});
}
Fabric dragonfly_plus(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                      std::uint32_t hosts, std::uint32_t global) {
  return *simulation::make_dragonfly_plus({.groups = groups,
                                           .leaves = leaves,
                                           .spines = spines,
                                           .hosts_per_leaf = hosts,
                                           .global_links = global},
                                          {});
}

/// A fabric, and what it is by its generator.
struct Named {
  const char* name;
  Fabric (*make)();
  Shape shape;
};
constexpr std::array kFabrics{
    Named{"two_switches", support::two_switches, Shape::kIrregular},
    Named{"ft2_k4", support::ft2_k4, Shape::kFatTree},
    Named{"ft3_k4", support::ft3_k4, Shape::kFatTree},
    Named{"ft2_k8_parallel2", support::ft2_k8_parallel2, Shape::kFatTree},
    Named{"ft3_k8_partly", support::ft3_k8_partly, Shape::kFatTree},
    Named{"ft3_oversubscribed", support::ft3_oversubscribed, Shape::kFatTree},
    Named{"oversubscribed_parallel", [] { return pgft("8,3,2:1,2,2:1,2,1"); }, Shape::kFatTree},
    Named{"meshed_tree", [] { return support::meshed_tree(3, 3, 3, 4, 2); }, Shape::kFatTree},
    Named{"hybrid", [] { return hybrid(false); }, Shape::kFatTree},
    Named{"hybrid_two_homed", [] { return hybrid(true); }, Shape::kHybrid},
    Named{"df_a4h2p2", support::df_a4h2p2, Shape::kDragonfly},
    Named{"df_a4h1p2", [] { return dragonfly(5, 4, 2, 1); }, Shape::kDragonfly},
    Named{"dfp_g3", support::dfp_g3, Shape::kDragonflyPlus},
    Named{"dfp_5x4x4", [] { return dragonfly_plus(5, 4, 4, 2, 4); }, Shape::kDragonflyPlus},
    Named{"torus_4x4",
          [] {
            return support::torus({4, 4}, 1);
          },
          Shape::kIrregular},
    Named{"hypercube_4", [] { return support::hypercube(4, 1); }, Shape::kIrregular},
    Named{"random_16x4", [] { return support::random_regular(16, 4, 2, 1); }, Shape::kIrregular},
    Named{"two_stars", [] { return support::two_stars(4, 3); }, Shape::kIrregular}};

constexpr std::array kEngines{Engine::kFatTree, Engine::kDragonfly, Engine::kDragonflyPlus,
                              Engine::kHybrid,  Engine::kUpDown,    Engine::kLayered};
/// The two of dragonflies want theirs; the others take whatever hangs together.
constexpr bool takes(Engine engine, Shape shape) {
  if (engine == Engine::kDragonfly) return shape == Shape::kDragonfly;
  if (engine == Engine::kDragonflyPlus) return shape == Shape::kDragonflyPlus;
  return true;
}

struct Fault {
  const char* name;
  Damage damage;  ///< a share above 0 takes at least one
};
constexpr std::array kFaults{
    Fault{"nothing", {}},
    Fault{"one cable", {.cables_permille = 1}},
    Fault{"one switch", {.switches_permille = 1}},
    Fault{"3 % of cables", {.cables_permille = 30}},
    Fault{"10 % of cables", {.cables_permille = 100}},
    Fault{"10 % of switches", {.switches_permille = 100}},
    Fault{"5 % of cables and of switches", {.cables_permille = 50, .switches_permille = 50}}};

struct Pair {
  Engine engine;
  Named fabric;
};
std::ostream& operator<<(std::ostream& out, const Pair& pair) {
  return out << to_string(pair.engine) << " on " << pair.fabric.name;
}
std::vector<Pair> pairs(bool taken) {
  std::vector<Pair> all;
  for (const Engine engine : kEngines) {
    for (const Named& fabric : kFabrics) {
      if (takes(engine, fabric.shape) == taken) all.push_back({engine, fabric});
    }
  }
  return all;
}
std::string name_of(const testing::TestParamInfo<Pair>& test) {
  std::string name = fmt::format("{}_on_{}", to_string(test.param.engine), test.param.fabric.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// A fabric as an engine sees it.
struct Seen {
  explicit Seen(Fabric all) : fabric(std::move(all)), graph(support::graph_of(fabric)) {}
  /// All that there is.
  static Seen found(const Fabric& present) { return Seen(present); }
  /// `present` as what is left of `memory`.
  static Seen remembered(const Fabric& present, const Fabric& memory) {
    Seen seen(remember(present, memory));
    seen.availability = present_in(seen.fabric, seen.graph, present);
    return seen;
  }
  [[nodiscard]] model::Result<Computed> routed(std::optional<Engine> engine,
                                               std::size_t threads) const {
    Workers workers(threads);
    return compute_routes(fabric, graph, structure, availability, {.engine = engine}, workers);
  }

  Fabric fabric;
  Graph graph;
  Structure structure = *recognise(fabric, graph);
  Availability availability{graph};
};

/// All that a switch or a path record gets of routes, of fabrics of the same nodes.
bool same_bytes(const Graph& graph, const Routes& a, const Routes& b) {
  if (a.tables != b.tables || a.undelivered != b.undelivered) return false;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (const Destination& to : graph.destinations()) {
      if (a.lanes.levels.sl(sw, to.lid) != b.lanes.levels.sl(sw, to.lid)) return false;
    }
    for (std::uint8_t in = 0; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t out = 0; out <= graph.port_count(sw); ++out) {
        const auto mapping = a.lanes.maps.mapping(sw, PortNum{in}, PortNum{out});
        if (mapping != b.lanes.maps.mapping(sw, PortNum{in}, PortNum{out})) return false;
      }
    }
  }
  return true;
}

class EngineMatrix : public testing::TestWithParam<Pair> {
 protected:
  /// Visits every fault and seed: what is left of the fabric.
  template <class Visit>
  void for_each_fault(Visit visit) {
    const std::uint64_t first = support::seed_or(1);
    for (const Fault& fault : kFaults) {
      for (std::uint64_t i = 0; i < support::seeds_or(kSeeds); ++i) {
        SCOPED_TRACE(fmt::format("{} away, seed {}", fault.name, first + i));
        Damage damage = fault.damage;
        damage.seed = first + i;
        visit(support::damaged(whole_, damage), damage.seed);
        if (HasFatalFailure()) return;
        if (damage.cables_permille + damage.switches_permille == 0) break;  // no chance in it
      }
    }
  }

  Fabric whole_ = support::assign_lids(GetParam().fabric.make());
};
INSTANTIATE_TEST_SUITE_P(All, EngineMatrix, testing::ValuesIn(pairs(true)), name_of);

/// Whoever sends, terminals deliver, and nothing turns in circles.
void expect_sound(const Seen& seen, const Computed& computed) {
  const auto judged = [&](support::SlowSources sources) {
    return support::slow_check(seen.graph, seen.availability, computed.routes.tables,
                               computed.routes.lanes, sources);
  };
  const support::SlowVerdict verdict = judged(support::SlowSources::kTerminals);
  EXPECT_EQ(verdict.unreachable, 0U);
  EXPECT_EQ(verdict.pairs, computed.verdict.pairs);
  EXPECT_EQ(verdict.unconnected, computed.verdict.unconnected);
  EXPECT_TRUE(computed.verdict.good());
  EXPECT_LT(verdict.lanes_used, 1U << kMostLanes);
  const support::SlowVerdict with_management = judged(support::SlowSources::kTerminalsAndSwitches);
  EXPECT_EQ(with_management.looping, 0U);
  EXPECT_FALSE(with_management.cyclic);
}

TEST_P(EngineMatrix, DeliversAllThatIsConnectedWithoutALoopOrACycle) {
  for_each_fault([&](const Fabric& left, std::uint64_t) {
    const Seen remembered = Seen::remembered(left, whole_);
    const model::Result<Computed> known = remembered.routed(GetParam().engine, 1);
    ASSERT_TRUE(known) << known.error().message();
    expect_sound(remembered, *known);

    const Seen found = Seen::found(left);
    const model::Result<Computed> as_found = found.routed(GetParam().engine, 1);
    if (as_found) {
      expect_sound(found, *as_found);
    } else {
      EXPECT_FALSE(takes(GetParam().engine, found.structure.shape)) << as_found.error().message();
    }
  });
}

TEST_P(EngineMatrix, GivesTheSameBytesHoweverToldAndByAnyNumberOfThreads) {
  std::size_t threads = 1;
  for_each_fault([&](const Fabric& left, std::uint64_t seed) {
    const Fabric told = support::told_otherwise(left, seed);
    for (const bool known : {false, true}) {
      threads = threads % 8 + 1;  // 2 to 8, then 1
      SCOPED_TRACE(fmt::format("{}, {} threads", known ? "remembered" : "found", threads));
      const Seen seen = known ? Seen::remembered(left, whole_) : Seen::found(left);
      const Seen other = known ? Seen::remembered(told, support::told_otherwise(whole_, seed + 1))
                               : Seen::found(told);
      const model::Result<Computed> one = seen.routed(GetParam().engine, 1);
      const model::Result<Computed> same = other.routed(GetParam().engine, threads);
      ASSERT_EQ(same.has_value(), one.has_value());
      EXPECT_TRUE(!one || same_bytes(seen.graph, one->routes, same->routes));
    }
  });
}

TEST_P(EngineMatrix, KeepsNothingOfAFaultThatIsOver) {
  const Engine engine = GetParam().engine;
  const Seen at_first = Seen::found(whole_);
  const model::Result<Computed> before = at_first.routed(engine, 1);
  ASSERT_TRUE(before) << before.error().message();
  Fabric memory = whole_;  // of all faults so far
  for_each_fault([&](const Fabric& left, std::uint64_t) {
    const Seen afresh = Seen::remembered(left, whole_);
    const Seen after_others = Seen::remembered(left, memory);
    EXPECT_TRUE(same_bytes(afresh.graph, afresh.routed(engine, 1)->routes,
                           after_others.routed(engine, 1)->routes));
    memory = after_others.fabric;
    const Seen back = Seen::remembered(whole_, memory);
    EXPECT_TRUE(same_bytes(at_first.graph, before->routes, back.routed(engine, 1)->routes));
  });
}

class EngineRefusals : public testing::TestWithParam<Pair> {};
INSTANTIATE_TEST_SUITE_P(All, EngineRefusals, testing::ValuesIn(pairs(false)), name_of);

TEST_P(EngineRefusals, SayWhatTheFabricIsInstead) {
  const Seen seen = Seen::found(support::assign_lids(GetParam().fabric.make()));
  const model::Result<Computed> refused = seen.routed(GetParam().engine, 1);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(
      refused.error().text.ends_with(fmt::format("but {}", to_string(GetParam().fabric.shape))))
      << refused.error().text;
}

}  // namespace
}  // namespace heddle::routing
