#include "model/fabric_lids.hpp"

#include <gmock/gmock.h>

#include "support/topologies.hpp"

namespace heddle::model {
namespace {

using testing::HasSubstr;

std::vector<unsigned> lids_of(const Fabric& fabric) {
  std::vector<unsigned> lids;
  for (const Port& port : fabric.ports()) {
    if (port.lid) lids.push_back(port.lid->value());
  }
  return lids;
}

PortGuid guid_of(const Fabric& fabric, std::size_t end_port) {
  for (const Port& port : fabric.ports()) {
    if (port.guid && end_port-- == 0) return *port.guid;
  }
  throw std::logic_error("no such end port");
}

TEST(FabricLidsTest, NumbersByGuidWhereNothingIsKnown) {
  const Result<Fabric> fabric = with_lids(support::two_switches(), {});
  ASSERT_TRUE(fabric.has_value());
  EXPECT_THAT(lids_of(*fabric), testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(FabricLidsTest, RangesOfAnLmcAreAlignedAndSwitchesHaveOneLid) {
  const Result<Fabric> fabric = with_lids(support::two_switches(), {.lmc = 2, .remembered = {}});
  ASSERT_TRUE(fabric.has_value());
  EXPECT_THAT(lids_of(*fabric), testing::ElementsAre(4, 8, 12, 16, 20, 21));
  EXPECT_TRUE(fabric->find_lid(Lid{std::uint16_t{7}}).has_value());
}

TEST(FabricLidsTest, KeepsItsOwnLidsThenRememberedOnesThenFillsTheGaps) {
  const Fabric plain = support::two_switches();
  const Result<Fabric> remembered = with_lids(
      plain, {.lmc = std::nullopt,
              .remembered = {{guid_of(plain, 0), {Lid{std::uint16_t{2}}, Lid{std::uint16_t{2}}}}}});
  ASSERT_TRUE(remembered.has_value());
  EXPECT_THAT(lids_of(*remembered), testing::ElementsAre(2, 1, 3, 4, 5, 6));
  const Result<Fabric> again = with_lids(
      *remembered,
      {.lmc = std::nullopt,
       .remembered = {{guid_of(plain, 1), {Lid{std::uint16_t{9}}, Lid{std::uint16_t{9}}}}}});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(lids_of(*again), lids_of(*remembered)) << "what the fabric says holds";
}

TEST(FabricLidsTest, AnLmcThatIsAskedForReplacesLidsOfAnother) {
  const Result<Fabric> fabric =
      with_lids(support::assign_lids(support::two_switches()), {.lmc = 1, .remembered = {}});
  ASSERT_TRUE(fabric.has_value());
  EXPECT_THAT(lids_of(*fabric), testing::ElementsAre(2, 4, 6, 8, 10, 11));
}

TEST(FabricLidsTest, RangesThatCollideOrAreNotAlignedAreRefused) {
  const Fabric plain = support::two_switches();
  const auto refused = [&](unsigned first_a, unsigned last_a, unsigned first_b, unsigned last_b) {
    const auto lid = [](unsigned value) { return Lid{static_cast<std::uint16_t>(value)}; };
    const Result<Fabric> fabric =
        with_lids(plain, {.lmc = std::nullopt,
                          .remembered = {{guid_of(plain, 0), {lid(first_a), lid(last_a)}},
                                         {guid_of(plain, 1), {lid(first_b), lid(last_b)}}}});
    return fabric ? std::string() : fabric.error().text;
  };
  EXPECT_THAT(refused(3, 3, 3, 3), HasSubstr("LIDs 3 to 3 belong to another port already"));
  EXPECT_THAT(refused(4, 7, 6, 7), HasSubstr("belong to another port already"));
  EXPECT_THAT(refused(3, 4, 9, 9),
              HasSubstr("LIDs 3 to 4 are no range of a power of two, aligned"));
  EXPECT_THAT(refused(4, 6, 9, 9), HasSubstr("no range of a power of two"));
  EXPECT_THAT(refused(5, 4, 9, 9), HasSubstr("no range of a power of two"));
  EXPECT_EQ(refused(4, 7, 8, 9), "");
}

TEST(FabricLidsTest, AnLmcThatDoesNotExistIsRefused) {
  const Result<Fabric> fabric = with_lids(support::two_switches(), {.lmc = 8, .remembered = {}});
  ASSERT_FALSE(fabric.has_value());
  EXPECT_THAT(fabric.error().text, HasSubstr("LMC 8 is above 7"));
}

TEST(FabricLidsTest, CablesNamesAndStatesStayAsTheyAre) {
  const Fabric before = support::df_a4h2p2();
  const Result<Fabric> after = with_lids(before, {});
  ASSERT_TRUE(after.has_value());
  ASSERT_EQ(after->links().size(), before.links().size());
  for (std::size_t i = 0; i < before.links().size(); ++i) {
    EXPECT_EQ(after->key(after->links()[i].a), before.key(before.links()[i].a));
    EXPECT_EQ(after->key(after->links()[i].b), before.key(before.links()[i].b));
  }
  EXPECT_TRUE(std::ranges::equal(after->nodes(), before.nodes()));
}

}  // namespace
}  // namespace heddle::model
