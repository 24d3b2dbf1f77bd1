#include <gmock/gmock.h>

#include "fabric_facts.hpp"
#include "simulation/generators.hpp"
#include "support/topologies.hpp"

namespace heddle::simulation {
namespace {

using testing::HasSubstr;

std::string error_of(const DragonflyPlusShape& shape) {
  const model::Result<model::Fabric> fabric = make_dragonfly_plus(shape, {});
  EXPECT_FALSE(fabric.has_value());
  return fabric ? std::string{} : fabric.error().text;
}

TEST(DragonflyPlus, JoinsLeavesToSpinesAndSpinesToOtherGroups) {
  const model::Result<model::Fabric> fabric = make_dragonfly_plus({5, 3, 4, 6, 2}, {});
  ASSERT_TRUE(fabric.has_value()) << fabric.error().message();
  EXPECT_EQ(host_count(*fabric), 5U * 3 * 6);
  EXPECT_EQ(switch_count(*fabric), 5U * 7);
  EXPECT_EQ(fabric->links().size(), 90U + 5 * 12 + 5 * 8 / 2);
  for (const auto& [pair, cables] : cables_between_groups(*fabric)) EXPECT_EQ(cables, 2U);
  EXPECT_EQ(cables_between_groups(*fabric).size(), 10U);
}

TEST(DragonflyPlus, CablesALeafToEachSpineOfItsGroupInOrder) {
  const model::Fabric fabric = support::dfp_g3();
  const auto leaf = fabric.find_node(support::node_named(fabric, "leaf-01-00").guid);
  for (std::uint8_t spine = 0; spine < 2; ++spine) {
    const auto peer =
        fabric.peer(*fabric.find_port(*leaf, model::PortNum{static_cast<std::uint8_t>(3 + spine)}));
    ASSERT_TRUE(peer.has_value());
    EXPECT_EQ(fabric.node(fabric.port(*peer).node).description,
              "spine-01-0" + std::to_string(spine));
  }
}

TEST(DragonflyPlus, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(error_of({10, 4, 4, 4, 2}), HasSubstr("cannot reach 9 other groups"));
  EXPECT_THAT(error_of({0, 0, 0, 0, 0}),
              testing::AllOf(HasSubstr("groups"), HasSubstr("leaves"), HasSubstr("spines"),
                             HasSubstr("hosts per leaf")));
  EXPECT_THAT(error_of({2, 200, 4, 4, 55}), HasSubstr("a spine would have 255 ports"));
  EXPECT_THAT(error_of({2, 4, 200, 55, 4}), HasSubstr("a leaf would have 255 ports"));
}

}  // namespace
}  // namespace heddle::simulation
