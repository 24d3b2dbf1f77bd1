#include <gmock/gmock.h>

#include <set>

#include "fabric_facts.hpp"
#include "simulation/generators.hpp"

namespace heddle::simulation {
namespace {

using testing::HasSubstr;

std::string error_of(const DragonflyShape& shape) {
  const model::Result<model::Fabric> fabric = make_dragonfly(shape, {});
  EXPECT_FALSE(fabric.has_value());
  return fabric ? std::string{} : fabric.error().text;
}

TEST(Dragonfly, OfFullSizeHasOneCableForEveryPairOfGroups) {
  const model::Result<model::Fabric> fabric = make_dragonfly({4, 2, 2, 9}, {});
  ASSERT_TRUE(fabric.has_value());
  EXPECT_EQ(host_count(*fabric), 72U);
  EXPECT_EQ(switch_count(*fabric), 36U);
  EXPECT_EQ(fabric->links().size(), 72U + 9 * 6 + 36);
  const auto between = cables_between_groups(*fabric);
  EXPECT_EQ(between.size(), 36U);
  for (const auto& [pair, cables] : between) EXPECT_EQ(cables, 1U);
  for (const model::NodeIndex router : fabric->switches()) {
    EXPECT_EQ(cabled_ports(*fabric, router), 2U + 3 + 2);
  }
}

TEST(Dragonfly, JoinsAllRoutersOfAGroupToEachOther) {
  const model::Result<model::Fabric> fabric = make_dragonfly({5, 1, 3, 4}, {});
  ASSERT_TRUE(fabric.has_value());
  for (const model::NodeIndex router : fabric->switches()) {
    std::set<std::uint32_t> neighbours;
    for (std::uint8_t port = 2; port <= 5; ++port) {
      const auto peer = fabric->peer(*fabric->find_port(router, model::PortNum{port}));
      ASSERT_TRUE(peer.has_value());
      const model::Node& other = fabric->node(fabric->port(*peer).node);
      EXPECT_EQ(group_name(other), group_name(fabric->node(router)));
      neighbours.insert(fabric->port(*peer).node.value());
    }
    EXPECT_EQ(neighbours.size(), 4U);
  }
}

TEST(Dragonfly, SharesSpareGlobalLinksEvenly) {
  // 15 global ports a group to 6 others: 2 or 3 each. Of the 3 left over one stays free, as seven
  // groups cannot all have an odd number of partners.
  const model::Result<model::Fabric> fabric = make_dragonfly({5, 1, 3, 7}, {});
  ASSERT_TRUE(fabric.has_value());
  const auto between = cables_between_groups(*fabric);
  EXPECT_EQ(between.size(), 21U);
  std::size_t sum = 0;
  for (const auto& [pair, cables] : between) {
    EXPECT_THAT(cables, testing::AnyOf(2U, 3U));
    sum += cables;
  }
  EXPECT_EQ(sum, 7U * 14 / 2);
}

TEST(Dragonfly, OfOneGroupNeedsNoGlobalLinks) {
  const model::Result<model::Fabric> fabric = make_dragonfly({4, 1, 0, 1}, {});
  ASSERT_TRUE(fabric.has_value()) << fabric.error().message();
  EXPECT_EQ(fabric->links().size(), 4U + 6);
}

TEST(Dragonfly, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(error_of({4, 2, 2, 10}), HasSubstr("8 global links of a group cannot reach 9"));
  EXPECT_THAT(error_of({4, 2, 0, 2}), HasSubstr("0 global links"));
  EXPECT_THAT(error_of({0, 0, 2, 0}),
              testing::AllOf(HasSubstr("routers per group"), HasSubstr("hosts per router"),
                             HasSubstr("groups must")));
  EXPECT_THAT(error_of({100, 100, 56, 2}), HasSubstr("router would have 255 ports"));
  EXPECT_THAT(error_of({4294967295U, 4294967295U, 4294967295U, 2}), HasSubstr("at most 254"));
  EXPECT_THAT(error_of({100, 100, 50, 5000}), HasSubstr("1000000 nodes"));
}

}  // namespace
}  // namespace heddle::simulation
