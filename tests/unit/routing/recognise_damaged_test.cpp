#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "routing/recognise.hpp"
#include "support/damage.hpp"
#include "support/plain_graphs.hpp"
#include "unit/routing/recognition_truth.hpp"

namespace heddle::routing::testing {
namespace {

/// Seeds of each case. The bench of the routing core demands 50 (HEDDLE_SEEDS=50).
constexpr std::uint64_t kSeeds = 3;

struct Tally {
  std::uint64_t levels = 0;  ///< judged
  std::uint64_t pods = 0;
  std::uint64_t roots = 0;
  std::string mistakes;  ///< the first ones
};

void judge(const Known& known, const model::Fabric& left, std::uint64_t seed, Tally& tally) {
  const Graph graph = support::graph_of(left);
  const model::Result<Structure> structure = recognise(left, graph);
  ASSERT_TRUE(structure) << structure.error().message();
  const Mistakes found = mistakes_in(known, left, graph, *structure);
  tally.levels += found.levels_judged;
  tally.pods += found.pods_judged;
  tally.roots += found.roots_judged;
  constexpr std::size_t kEnough = 800;
  const auto say = [&](std::string_view what, std::string_view text) {
    if (tally.mistakes.size() > kEnough) return;
    tally.mistakes += fmt::format("  seed {}: {} {}\n", seed, what, text);
  };
  if (found.shape) say("shape", to_string(structure->shape));
  for (const std::string& text : found.levels) say("level of", text);
  for (const std::string& text : found.pods) say("pod of", text);
  for (const std::string& text : found.roots) say("root", text);
}

/// `swaps`: pairs of cables that may be swapped before nothing tells any more. In pods of two
/// leaves and two spines one swap makes two pods a ring of eight, which can be cut in several ways;
/// groups of four routers hang together by six cables.
struct Case {
  std::string name;
  Known (*make)();
  std::uint32_t swaps = 4;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class RecogniseDamaged : public ::testing::TestWithParam<Case> {
 protected:
  static void expect_no_mistake(const Known& known, support::Damage damage) {
    Tally tally;
    const std::uint64_t first = support::seed_or(1);
    for (std::uint64_t i = 0; i < support::seeds_or(kSeeds); ++i) {
      damage.seed = first + i;
      judge(known, support::damaged(known.fabric, damage), damage.seed, tally);
    }
    EXPECT_EQ(tally.mistakes, "") << fmt::format(
        "{}: {} permille of cables, {} of switches, {} pairs swapped, {} crossed", known.name,
        damage.cables_permille, damage.switches_permille, damage.swapped_pairs,
        damage.crossed_pairs);
    EXPECT_GT(tally.levels, 0U);
    EXPECT_GT(tally.pods, 0U);
    const bool has_roots = known.shape == Shape::kFatTree || known.shape == Shape::kHybrid;
    EXPECT_EQ(tally.roots != 0, has_roots);
  }
};

TEST_P(RecogniseDamaged, EverySwitchHasItsPlaceWhenCablesAreGone) {
  const Known known = GetParam().make();
  for (const std::uint32_t permille : {0U, 1U, 10U, 50U, 100U}) {
    expect_no_mistake(known, {.cables_permille = permille});
  }
}

TEST_P(RecogniseDamaged, EverySwitchHasItsPlaceWhenSwitchesAreGone) {
  const Known known = GetParam().make();
  for (const std::uint32_t permille : {1U, 10U, 50U, 100U}) {
    expect_no_mistake(known, {.switches_permille = permille});
  }
}

TEST_P(RecogniseDamaged, EverySwitchHasItsPlaceWhenCablesAreSwapped) {
  const Known known = GetParam().make();
  for (std::uint32_t pairs = 1; pairs <= GetParam().swaps; pairs *= 2) {
    expect_no_mistake(known, {.swapped_pairs = pairs});
    expect_no_mistake(known, {.crossed_pairs = pairs});
  }
}

TEST_P(RecogniseDamaged, TheOrderOfTellingChangesNothing) {
  const Known known = GetParam().make();
  const model::Fabric left = support::damaged(
      known.fabric,
      {.cables_permille = 50, .switches_permille = 20, .swapped_pairs = 1, .seed = 7});
  const Graph graph = support::graph_of(left);
  const model::Result<Structure> structure = recognise(left, graph);
  ASSERT_TRUE(structure);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const model::Fabric other = support::told_otherwise(left, seed);
    const Graph again = support::graph_of(other);
    const model::Result<Structure> same = recognise(other, again);
    ASSERT_TRUE(same);
    EXPECT_EQ(*same, *structure);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, RecogniseDamaged,
    ::testing::Values(Case{"two_levels", [] { return known_pgft("18,36:1,18:1,1"); }},
                      Case{"two_levels_parallel", [] { return known_pgft("18,18:1,9:1,2"); }},
                      Case{"two_levels_radix_4", [] { return known_pgft("2,4:1,2:1,1"); }, 1},
                      Case{"three_levels_radix_4", [] { return known_pgft("2,2,4:1,2,2:1,1,1"); },
                           0},
                      Case{"three_levels_radix_8", [] { return known_pgft("4,4,8:1,4,4:1,1,1"); }},
                      Case{"hosts_432", [] { return known_pgft("12,6,6:1,6,6:1,2,1"); }},
                      Case{"hosts_1944", [] { return known_pgft("18,18,6:1,18,9:1,1,2"); }},
                      Case{"oversubscribed", [] { return known_pgft("24,18,6:1,12,18:1,1,1"); }},
                      Case{"partly_populated", [] { return known_pgft("18,18,3:1,18,9:1,1,2"); }},
                      Case{"few_hosts_a_leaf", [] { return known_pgft("3,6,6:1,6,6:1,1,1"); }},
                      Case{"four_levels", [] { return known_pgft("4,4,4,4:1,4,4,4:1,1,1,1"); }},
                      Case{"dragonfly_9x4x2", [] { return known_dragonfly(4, 2, 2, 9); }, 1},
                      Case{"dragonfly_33x8x4", [] { return known_dragonfly(8, 4, 4, 33); }},
                      Case{"dragonfly_plus", [] { return known_dragonfly_plus(9, 8, 8, 8, 8); }},
                      Case{"hybrid_two_homed", [] { return known_hybrid(6, 8, 8, 16, 8, true); }},
                      Case{"hybrid", [] { return known_hybrid(8, 6, 4, 8, 8, false); }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace heddle::routing::testing
