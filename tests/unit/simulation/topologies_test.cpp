#include "support/topologies.hpp"

#include <gmock/gmock.h>

#include <ostream>
#include <stdexcept>

#include "fabric_facts.hpp"

namespace heddle::simulation {
namespace {

struct Drawn {
  const char* name;
  model::Fabric (*make)();
  std::size_t hosts;
  std::size_t switches;
  std::size_t cables;
};
void PrintTo(const Drawn& drawn, std::ostream* out) { *out << drawn.name; }
class NamedTopology : public testing::TestWithParam<Drawn> {};

INSTANTIATE_TEST_SUITE_P(
    Named, NamedTopology,
    testing::Values(Drawn{"two_switches", support::two_switches, 4, 2, 5},
                    Drawn{"ft2_k4", support::ft2_k4, 8, 6, 16},
                    Drawn{"ft3_k4", support::ft3_k4, 16, 20, 48},
                    Drawn{"ft3_k8", support::ft3_k8, 128, 80, 384},
                    Drawn{"ft2_k4_missing_uplink", support::ft2_k4_missing_uplink, 8, 6, 15},
                    Drawn{"ft2_k8_parallel2", support::ft2_k8_parallel2, 16, 6, 32},
                    Drawn{"df_a4h2p2", support::df_a4h2p2, 72, 36, 162},
                    Drawn{"df_one_global_down", support::df_one_global_down, 72, 36, 161},
                    Drawn{"dfp_g3", support::dfp_g3, 12, 12, 30},
                    Drawn{"hybrid_two_homed", support::hybrid_two_homed, 4, 10, 20}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(NamedTopology, HasWhatItsDrawingSays) {
  const model::Fabric fabric = GetParam().make();
  EXPECT_EQ(host_count(fabric), GetParam().hosts);
  EXPECT_EQ(switch_count(fabric), GetParam().switches);
  EXPECT_EQ(fabric.links().size(), GetParam().cables);
  EXPECT_EQ(component_count(fabric), 1U);
  EXPECT_TRUE(fabric.anomalies().empty());
}

TEST_P(NamedTopology, GetsALidForEveryEndPortAndSwitch) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const model::Fabric fabric = support::assign_lids(GetParam().make(), lmc);
    EXPECT_TRUE(fabric.anomalies().empty());
    for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
      const model::PortIndex index{i};
      const model::Port& port = fabric.port(index);
      const bool is_end = fabric.node(port.node).kind != model::NodeKind::kSwitch ||
                          port.number == model::PortNum{};
      ASSERT_EQ(port.lid.has_value(), is_end);
      if (!is_end) continue;
      EXPECT_EQ(fabric.find_lid(*port.lid), index);
    }
  }
}

TEST(DfOneGlobalDown, LacksTheCableBetweenTheFirstTwoGroups) {
  const auto whole = cables_between_groups(support::df_a4h2p2());
  const auto cut = cables_between_groups(support::df_one_global_down());
  EXPECT_TRUE(whole.contains({"00", "01"}));
  EXPECT_FALSE(cut.contains({"00", "01"}));
  EXPECT_EQ(cut.size(), whole.size() - 1);
}

TEST(Ft2K4MissingUplink, HasBothEndsOfTheCableDown) {
  const model::Fabric fabric = support::ft2_k4_missing_uplink();
  for (const model::PortKey key :
       {support::port_at(fabric, "leaf-0000", 3), support::port_at(fabric, "spine-0000", 1)}) {
    EXPECT_EQ(fabric.port(*fabric.find_port(key)).state, model::PortState::kDown);
    EXPECT_FALSE(fabric.peer(*fabric.find_port(key)).has_value());
  }
}

TEST(WithoutCable, ThrowsWhereThereIsNone) {
  const model::Fabric fabric = support::two_switches();
  EXPECT_THROW((void)support::without_cable(fabric, support::port_at(fabric, "leaf-0000", 4)),
               std::logic_error);
}

}  // namespace
}  // namespace heddle::simulation
