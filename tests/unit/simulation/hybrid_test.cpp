#include <gmock/gmock.h>

#include <set>

#include "fabric_facts.hpp"
#include "simulation/generators.hpp"

namespace heddle::simulation {
namespace {

using testing::HasSubstr;

std::string error_of(const HybridShape& shape) {
  const model::Result<model::Fabric> fabric = make_hybrid(shape, {});
  EXPECT_FALSE(fabric.has_value());
  return fabric ? std::string{} : fabric.error().text;
}

TEST(Hybrid, JoinsSpinesOfEqualPlaceByTheirSuperSpines) {
  const model::Result<model::Fabric> fabric = make_hybrid({3, 4, 2, 4, 5, false}, {});
  ASSERT_TRUE(fabric.has_value()) << fabric.error().message();
  EXPECT_EQ(host_count(*fabric), 3U * 4 * 5);
  EXPECT_EQ(switch_count(*fabric), 3U * 6 + 4);
  EXPECT_EQ(fabric->links().size(), 60U + 3 * 4 * 2 + 4 * 3);
  for (const model::NodeIndex sw : fabric->switches()) {
    const std::string& name = fabric->node(sw).description;
    if (!name.starts_with("super-spine-")) continue;
    const int place = std::stoi(name.substr(12)) % 2;
    for (std::uint8_t group = 0; group < 3; ++group) {
      const auto peer = fabric->peer(
          *fabric->find_port(sw, model::PortNum{static_cast<std::uint8_t>(group + 1)}));
      ASSERT_TRUE(peer.has_value());
      EXPECT_EQ(fabric->node(fabric->port(*peer).node).description,
                "spine-0" + std::to_string(group) + "-0" + std::to_string(place));
    }
  }
}

TEST(Hybrid, PutsThePortsOfATwoHomedHostOnTwoLeavesOfOneGroup) {
  const model::Result<model::Fabric> fabric = make_hybrid({2, 4, 2, 2, 3, true}, {});
  ASSERT_TRUE(fabric.has_value()) << fabric.error().message();
  EXPECT_EQ(host_count(*fabric), 2U * 2 * 3);
  for (std::uint32_t i = 0; i < host_count(*fabric); ++i) {
    const model::NodeIndex host{i};
    ASSERT_EQ(fabric->ports_of(host).size(), 2U);
    std::set<std::uint32_t> leaves;
    std::set<std::string> groups;
    for (std::uint8_t port = 1; port <= 2; ++port) {
      const auto peer = fabric->peer(*fabric->find_port(host, model::PortNum{port}));
      ASSERT_TRUE(peer.has_value());
      leaves.insert(fabric->port(*peer).node.value());
      groups.insert(group_name(fabric->node(fabric->port(*peer).node)));
    }
    EXPECT_EQ(leaves.size(), 2U);
    EXPECT_EQ(groups.size(), 1U);
  }
}

TEST(Hybrid, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(error_of({4, 4, 4, 6, 4, false}),
              HasSubstr("6 super-spines are no multiple of the 4"));
  EXPECT_THAT(error_of({4, 3, 2, 2, 4, true}), HasSubstr("3 are odd"));
  EXPECT_THAT(error_of({255, 4, 2, 2, 4, false}), HasSubstr("super-spine would have 255 ports"));
  EXPECT_THAT(error_of({2, 4, 127, 127, 128, false}), HasSubstr("a leaf would have 255 ports"));
  EXPECT_THAT(error_of({2, 254, 1, 1, 1, false}), HasSubstr("a spine would have 255 ports"));
  EXPECT_THAT(error_of({0, 0, 0, 0, 0, false}),
              testing::AllOf(HasSubstr("groups"), HasSubstr("leaves"), HasSubstr("super-spines")));
}

}  // namespace
}  // namespace heddle::simulation
