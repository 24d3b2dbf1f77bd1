#include "simulation/generators.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <ostream>

#include "fabric_facts.hpp"

// What holds of every generated fabric, whatever its family.
namespace heddle::simulation {
namespace {

struct Family {
  const char* name;
  std::function<model::Result<model::Fabric>(const GeneratorOptions&)> make;
};
void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

class EveryGenerator : public testing::TestWithParam<Family> {
 protected:
  [[nodiscard]] static model::Fabric make(const GeneratorOptions& options = {}) {
    model::Result<model::Fabric> fabric = GetParam().make(options);
    EXPECT_TRUE(fabric.has_value()) << fabric.error().message();
    return fabric.value_or(model::Fabric{});
  }
};

INSTANTIATE_TEST_SUITE_P(
    Family, EveryGenerator,
    testing::Values(Family{"one_switch",
                           [](const GeneratorOptions& o) {
                             return make_pgft({{4}, {1}, {1}}, o);
                           }},
                    Family{"two_levels",
                           [](const GeneratorOptions& o) {
                             return make_pgft({{4, 4}, {1, 2}, {1, 2}}, o);
                           }},
                    Family{"three_levels",
                           [](const GeneratorOptions& o) {
                             return make_pgft({{3, 3, 2}, {1, 3, 3}, {1, 1, 2}}, o);
                           }},
                    Family{"four_levels",
                           [](const GeneratorOptions& o) {
                             return make_pgft({{2, 2, 2, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}, 8}, o);
                           }},
                    Family{"two_port_hosts",
                           [](const GeneratorOptions& o) {
                             return make_pgft({{4, 2}, {2, 2}, {1, 1}}, o);
                           }},
                    Family{"dragonfly",
                           [](const GeneratorOptions& o) {
                             return make_dragonfly({4, 2, 2, 9}, o);
                           }},
                    Family{"uneven_dragonfly",
                           [](const GeneratorOptions& o) {
                             return make_dragonfly({5, 1, 3, 7}, o);
                           }},
                    Family{"dragonfly_plus",
                           [](const GeneratorOptions& o) {
                             return make_dragonfly_plus({5, 3, 4, 3, 2}, o);
                           }},
                    Family{"hybrid",
                           [](const GeneratorOptions& o) {
                             return make_hybrid({4, 4, 2, 4, 3, false}, o);
                           }},
                    Family{"two_homed_hybrid",
                           [](const GeneratorOptions& o) {
                             return make_hybrid({4, 4, 2, 4, 3, true}, o);
                           }}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(EveryGenerator, MakesOneConnectedFabricWithoutAnomaly) {
  const model::Fabric fabric = make();
  EXPECT_EQ(component_count(fabric), 1U);
  EXPECT_TRUE(fabric.anomalies().empty());
  EXPECT_TRUE(fabric.unresolved().empty());
}

TEST_P(EveryGenerator, MakesTheSameFabricAgain) { EXPECT_TRUE(same(make(), make())); }

TEST_P(EveryGenerator, CablesNoNodeToItself) {
  const model::Fabric fabric = make();
  for (const model::Link& link : fabric.links()) {
    EXPECT_NE(fabric.port(link.a).node, fabric.port(link.b).node);
  }
}

TEST_P(EveryGenerator, BringsUpCabledPortsAndNoOthers) {
  const model::Fabric fabric = make();
  for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
    const model::Port& port = fabric.port(model::PortIndex{i});
    if (port.number == model::PortNum{}) continue;
    const bool cabled = fabric.peer(model::PortIndex{i}).has_value();
    EXPECT_EQ(port.state, cabled ? model::PortState::kActive : model::PortState::kDown);
    EXPECT_EQ(port.physical_state,
              cabled ? model::PhysicalState::kLinkUp : model::PhysicalState::kPolling);
    EXPECT_EQ(port.rate == GeneratorOptions{}.rate, cabled);
    EXPECT_TRUE(port.speeds_supported.contains(GeneratorOptions{}.rate.speed));
    EXPECT_TRUE(port.widths_supported.contains(GeneratorOptions{}.rate.width));
    EXPECT_FALSE(port.lid.has_value());
  }
}

TEST_P(EveryGenerator, CablesEveryPortOfEveryHost) {
  const model::Fabric fabric = make();
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    const model::NodeIndex node{i};
    if (fabric.node(node).kind != model::NodeKind::kHostAdapter) continue;
    EXPECT_EQ(cabled_ports(fabric, node), fabric.node(node).port_count);
  }
}

TEST_P(EveryGenerator, OrdersHostsByLeafAndPort) {
  const model::Fabric fabric = make();
  std::pair<std::uint32_t, std::uint8_t> before{0, std::uint8_t{0}};
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    const model::NodeIndex node{i};
    if (fabric.node(node).kind != model::NodeKind::kHostAdapter) break;
    const model::Port& leaf_port = fabric.port(*fabric.peer(fabric.first_port(node)));
    const std::pair at{leaf_port.node.value(), leaf_port.number.value()};
    EXPECT_GT(at, before);
    before = at;
  }
}

TEST_P(EveryGenerator, PutsHostsOnTheFirstPortsOfALeaf) {
  const model::Fabric fabric = make();
  for (const model::NodeIndex sw : fabric.switches()) {
    bool hosts_ended = false;
    for (std::uint32_t i = 1; i < fabric.ports_of(sw).size(); ++i) {
      const auto peer = fabric.peer(model::PortIndex{fabric.first_port(sw).value() + i});
      const bool is_host =
          peer && fabric.node(fabric.port(*peer).node).kind == model::NodeKind::kHostAdapter;
      EXPECT_FALSE(is_host && hosts_ended) << fabric.node(sw).description << " port " << i;
      hosts_ended = hosts_ended || !is_host;
    }
  }
}

TEST_P(EveryGenerator, GivesPortsTheNodesGuidAndTheirNumber) {
  const model::Fabric fabric = make();
  for (const model::Port& port : fabric.ports()) {
    const model::Node& node = fabric.node(port.node);
    EXPECT_EQ(node.system_guid, model::SystemGuid{node.guid.value()});
    EXPECT_EQ(node.vendor_id, 0x2c9U);
    if (node.kind == model::NodeKind::kHostAdapter || port.number == model::PortNum{}) {
      EXPECT_EQ(port.guid, model::PortGuid{node.guid.value() + port.number.value()});
    } else {
      EXPECT_FALSE(port.guid.has_value());
    }
  }
}

TEST_P(EveryGenerator, GivesHostsTheLowestGuids) {
  const model::Fabric fabric = make();
  const auto last_host = fabric.nodes()[host_count(fabric) - 1];
  EXPECT_EQ(last_host.kind, model::NodeKind::kHostAdapter);
  EXPECT_EQ(last_host.device_id, 0x1017U);
  for (const model::NodeIndex sw : fabric.switches()) {
    EXPECT_GT(fabric.node(sw).guid, last_host.guid);
    EXPECT_EQ(fabric.node(sw).device_id, 0xd2f0U);
  }
}

TEST_P(EveryGenerator, ObeysItsOptions) {
  const GeneratorOptions options{.fabric_name = "rail-3",
                                 .rate = {model::LinkWidth::k2x, model::LinkSpeed::kNdr},
                                 .guid_base = 0x0011220000000000ULL};
  const model::Fabric fabric = make(options);
  EXPECT_EQ(fabric.name(), "rail-3");
  for (const model::Node& node : fabric.nodes()) EXPECT_GE(node.guid.value(), options.guid_base);
  const model::Port& port = fabric.port(fabric.links().front().a);
  EXPECT_EQ(port.rate, options.rate);
  EXPECT_TRUE(port.speeds_supported.contains(model::LinkSpeed::kHdr));
  EXPECT_FALSE(port.speeds_supported.contains(model::LinkSpeed::kXdr));
  EXPECT_FALSE(port.speeds_supported.contains(model::LinkSpeed::kFdr10));
}

TEST_P(EveryGenerator, RefusesAnUnknownRateAndGuidsPastTheirEnd) {
  const auto no_rate = GetParam().make({.fabric_name = "x", .rate = {}});
  ASSERT_FALSE(no_rate.has_value());
  EXPECT_THAT(no_rate.error().text, testing::HasSubstr("rate"));
  const auto too_high = GetParam().make({.fabric_name = "x", .guid_base = 0xFFFFFFFF00000000ULL});
  ASSERT_FALSE(too_high.has_value());
  EXPECT_THAT(too_high.error().text, testing::HasSubstr("64 bits"));
}

}  // namespace
}  // namespace heddle::simulation
