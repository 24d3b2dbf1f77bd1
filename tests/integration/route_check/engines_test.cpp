#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "discovery/topology_text.hpp"
#include "judge.hpp"
#include "simulation/generators.hpp"
#include "support/damage.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

/// What `heddle route` writes, judged from outside. Damage is tried with 2 seeds in every run, with
/// as many as HEDDLE_SEEDS says where it is set (HEDDLE_SEEDS=50 for a long run).
namespace heddle::support {
namespace {

using model::Fabric;

void expect_sound(const std::string& topology, const std::vector<std::string>& options) {
  const Files files(topology, options);
  const Judged ours = files.ours();
  const Counts outside = files.outside().counts;
  EXPECT_EQ(outside, ours.counts);
  EXPECT_GT(outside.pairs, 0U);
  EXPECT_EQ(outside.unreachable, ours.unconnected);
  EXPECT_EQ(outside.looping, 0U);
  EXPECT_FALSE(outside.dependency_cycle);
}

Fabric pgft(const char* shape) {
  return *simulation::make_pgft(*simulation::parse_pgft_shape(shape), {});
}

struct Tried {
  const char* name;
  Fabric (*make)();
  std::vector<const char*> engines;
};
void PrintTo(const Tried& tried, std::ostream* out) { *out << tried.name; }

const std::vector<Tried>& fabrics() {
  static const std::vector<Tried> all{
      {"two_levels", ft2_k4, {"auto", "fat-tree", "up-down", "layered"}},
      {"three_levels", ft3_k4, {"auto", "fat-tree", "up-down", "layered"}},
      {"parallel_cables", ft2_k8_parallel2, {"auto", "fat-tree", "up-down", "layered"}},
      {"oversubscribed", [] { return pgft("6,4:1,2:1,1"); }, {"auto", "fat-tree", "up-down"}},
      {"partly_populated", ft3_k8_partly, {"auto", "fat-tree", "up-down", "layered"}},
      {"oversubscribed_three_levels",
       ft3_oversubscribed,
       {"auto", "fat-tree", "up-down", "layered"}},
      {"oversubscribed_parallel_cables",
       [] { return pgft("8,3,2:1,2,2:1,2,1"); },
       {"auto", "fat-tree", "up-down", "layered"}},
      {"partly_populated_two_levels",
       [] { return pgft("6,5:1,6:1,1"); },
       {"auto", "fat-tree", "up-down", "layered"}},
      {"missing_uplink", ft2_k4_missing_uplink, {"auto", "fat-tree", "layered"}},
      {"meshed_tree", [] { return meshed_tree(3, 3, 2, 3, 3); }, {"auto", "up-down", "layered"}},
      {"dragonfly", df_a4h2p2, {"auto", "dragonfly", "up-down", "layered"}},
      {"dragonfly_cable_cut", df_one_global_down, {"auto", "dragonfly", "layered"}},
      {"dragonfly_plus", dfp_g3, {"auto", "dragonfly-plus", "up-down", "layered"}},
      {"two_homed_hybrid", hybrid_two_homed, {"auto", "hybrid", "up-down", "layered"}},
      {"torus",
       [] {
         return torus({4, 4}, 2);
       },
       {"auto", "up-down", "layered"}},
      {"hypercube", [] { return hypercube(4, 2); }, {"auto", "up-down", "layered"}},
      {"random_regular", [] { return random_regular(16, 4, 2, 1); }, {"auto", "layered"}},
      {"two_stars", [] { return two_stars(4, 3); }, {"auto", "up-down", "layered"}},
      {"one_switch", [] { return from_cables(1, 6, {}); }, {"auto", "up-down", "layered"}}};
  return all;
}

class Engines : public testing::TestWithParam<Tried> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, Engines, testing::ValuesIn(fabrics()),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(Engines, WriteTablesThatDeliverWithoutACycleOfOneLidAndOfFourAPort) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const std::string topology = discovery::format_topology(assign_lids(GetParam().make(), lmc));
    for (const char* const engine : GetParam().engines) {
      SCOPED_TRACE(fmt::format("{} lmc {}", engine, lmc));
      expect_sound(topology, {"--engine", engine, "--lmc", fmt::format("{}", lmc)});
    }
  }
}

TEST_P(Engines, ChosenByThemselvesWriteSoundTablesForWhatDamageLeaves) {
  const std::uint64_t seeds = seeds_or(2);
  const std::uint64_t first = seed_or(1);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    for (const Damage damage :
         {Damage{.cables_permille = 20, .seed = seed}, Damage{.cables_permille = 100, .seed = seed},
          Damage{.switches_permille = 50, .seed = seed}}) {
      const Fabric whole = assign_lids(GetParam().make());
      // Of one switch nothing would be left to route.
      if (damage.switches_permille != 0 && whole.switches().size() == 1) continue;
      SCOPED_TRACE(fmt::format("seed {} cables {} switches {}", seed, damage.cables_permille,
                               damage.switches_permille));
      expect_sound(discovery::format_topology(damaged(whole, damage)), {});
    }
  }
}

TEST(EnginesAtSize, WriteSoundTablesForEightLidsAPortAndFor432And1944Hosts) {
  expect_sound(discovery::format_topology(assign_lids(ft3_k4(), 3)), {"--lmc", "3"});
  expect_sound(discovery::format_topology(assign_lids(pgft("12,12,3:1,12,6:1,1,2"))), {});
  expect_sound(discovery::format_topology(assign_lids(pgft("18,18,6:1,18,9:1,1,2"))), {});
}

TEST(EnginesAtSize, WriteSoundTablesForTreesThatAreOversubscribedOrPartlyPopulatedAndWhatIsLeft) {
  // 432 hosts at 2:1; three pods of six; four hosts on leaves with room for twelve.
  for (const char* const shape :
       {"12,6,6:1,6,6:1,1,1", "12,6,3:1,6,6:1,2,1", "4,6,6:1,6,6:1,2,1"}) {
    const Fabric whole = assign_lids(pgft(shape));
    for (const Damage damage : {Damage{}, Damage{.cables_permille = 50, .seed = seed_or(1)},
                                Damage{.switches_permille = 50, .seed = seed_or(1)}}) {
      SCOPED_TRACE(fmt::format("{} cables {} switches {}", shape, damage.cables_permille,
                               damage.switches_permille));
      expect_sound(discovery::format_topology(damaged(whole, damage)), {});
    }
  }
}

TEST(EnginesAtSize, WriteSoundTablesForRealFabrics) {
  std::size_t tried = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FABRICS)) {
    if (entry.path().extension() != ".topo") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream topology;
    topology << std::ifstream(entry.path()).rdbuf();
    expect_sound(topology.str(), {});
    ++tried;
  }
  EXPECT_GT(tried, 0U);
}

}  // namespace
}  // namespace heddle::support
