#include <gmock/gmock.h>

#include "fabric_facts.hpp"
#include "simulation/generators.hpp"

namespace heddle::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const FatTreeShape& shape) {
  const model::Result<PgftShape> tree = pgft_of(shape);
  EXPECT_FALSE(tree.has_value());
  return tree ? std::string{} : tree.error().text;
}

TEST(FatTree, OfEightPodsWithFourParallelLinksIsTheDemosFabric) {
  const model::Result<PgftShape> shape =
      pgft_of({.levels = 2, .radix = 32, .pods = 8, .parallel_links = 4});
  ASSERT_TRUE(shape.has_value()) << shape.error().message();
  const model::Result<model::Fabric> fabric = make_pgft(*shape, {});
  ASSERT_TRUE(fabric.has_value()) << fabric.error().message();
  EXPECT_EQ(host_count(*fabric), 128U);
  EXPECT_EQ(switch_count(*fabric), 12U);
  EXPECT_EQ(fabric->links().size(), 128U + 8 * 16);
}

TEST(FatTree, OfThreeLevelsIsTheClassicKAryTree) {
  const model::Result<PgftShape> shape = pgft_of({.levels = 3, .radix = 24});
  ASSERT_TRUE(shape.has_value());
  EXPECT_THAT(shape->m, ElementsAre(12, 12, 24));
  EXPECT_THAT(shape->w, ElementsAre(1, 12, 12));
  EXPECT_THAT(shape->p, ElementsAre(1, 1, 1));
  EXPECT_EQ(shape->radix, 24U);
}

TEST(FatTree, OfFourLevelsHasHalfItsRadixUpAtEachLevel) {
  const model::Result<PgftShape> shape = pgft_of({.levels = 4, .radix = 4, .parallel_links = 2});
  ASSERT_TRUE(shape.has_value());
  EXPECT_THAT(shape->m, ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(shape->w, ElementsAre(1, 2, 2, 1));
  EXPECT_THAT(shape->p, ElementsAre(1, 1, 1, 2));
}

TEST(FatTree, OfOneLevelIsOneSwitchFullOfHosts) {
  const model::Result<PgftShape> full = pgft_of({.levels = 1, .radix = 36});
  ASSERT_TRUE(full.has_value());
  EXPECT_THAT(full->m, ElementsAre(36));
  const model::Result<PgftShape> some = pgft_of({.levels = 1, .radix = 36, .pods = 5});
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(host_count(*make_pgft(*some, {})), 5U);
}

TEST(FatTree, SplitsTheLeafByItsOversubscription) {
  const model::Result<PgftShape> even = pgft_of({.levels = 2, .radix = 36, .oversubscription = 2});
  ASSERT_TRUE(even.has_value());
  EXPECT_THAT(even->m, ElementsAre(24, 36));
  EXPECT_THAT(even->w, ElementsAre(1, 12));
  // 64 ports at 2:1: 42 hosts, 21 uplinks, one port free.
  const model::Result<PgftShape> uneven =
      pgft_of({.levels = 3, .radix = 64, .oversubscription = 2});
  ASSERT_TRUE(uneven.has_value());
  EXPECT_THAT(uneven->m, ElementsAre(42, 32, 64));
  EXPECT_THAT(uneven->w, ElementsAre(1, 21, 32));
}

TEST(FatTree, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(error_of({.levels = 0}), HasSubstr("levels must be at least 1"));
  EXPECT_THAT(error_of({.levels = 5}), HasSubstr("more than 4 levels"));
  EXPECT_THAT(error_of({.radix = 35}), HasSubstr("radix 35 is odd"));
  EXPECT_THAT(error_of({.radix = 0}), HasSubstr("radix must be at least 1"));
  EXPECT_THAT(error_of({.radix = 256}), HasSubstr("at most 254"));
  EXPECT_THAT(error_of({.radix = 4, .pods = 0}), HasSubstr("pods must be at least 1"));
  EXPECT_THAT(error_of({.radix = 4, .pods = 5}), HasSubstr("room for 4 pods"));
  EXPECT_THAT(error_of({.radix = 32, .pods = 9, .parallel_links = 4}),
              HasSubstr("room for 8 pods"));
  EXPECT_THAT(error_of({.oversubscription = 0}), HasSubstr("oversubscription must be"));
  EXPECT_THAT(error_of({.oversubscription = 36}), HasSubstr("no uplink"));
  EXPECT_THAT(error_of({.oversubscription = 4294967295U}), HasSubstr("no uplink"));
  EXPECT_THAT(error_of({.parallel_links = 0}), HasSubstr("parallel links must be"));
  EXPECT_THAT(error_of({.parallel_links = 5}), HasSubstr("bundles of 5"));
  EXPECT_THAT(error_of({.parallel_links = 36}), HasSubstr("bundles of 36"));
  EXPECT_THAT(error_of({.levels = 1, .parallel_links = 2}), HasSubstr("one level"));
}

TEST(FatTree, NamesAllThatIsWrongAtOnce) {
  const std::string text = error_of({.levels = 0, .radix = 7, .parallel_links = 0});
  EXPECT_THAT(text, HasSubstr("levels"));
  EXPECT_THAT(text, HasSubstr("radix 7"));
  EXPECT_THAT(text, HasSubstr("parallel links"));
}

}  // namespace
}  // namespace heddle::simulation
