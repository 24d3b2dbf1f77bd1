#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "fabric_facts.hpp"
#include "simulation/generators.hpp"
#include "support/topologies.hpp"

namespace heddle::simulation {
namespace {

using support::node_named;
using testing::HasSubstr;

model::Fabric pgft(const PgftShape& shape) {
  model::Result<model::Fabric> fabric = make_pgft(shape, {});
  EXPECT_TRUE(fabric.has_value()) << fabric.error().message();
  return fabric.value_or(model::Fabric{});
}

std::string error_of(const PgftShape& shape) {
  const model::Result<model::Fabric> fabric = make_pgft(shape, {});
  EXPECT_FALSE(fabric.has_value());
  return fabric ? std::string{} : fabric.error().text;
}

struct Known {
  const char* shape;
  std::size_t hosts;
  std::size_t switches;
  std::size_t links;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.shape; }
class KnownPgft : public testing::TestWithParam<Known> {};

// Links: at each level, nodes times cabled down ports.
INSTANTIATE_TEST_SUITE_P(Shape, KnownPgft,
                         testing::Values(Known{"18,18,6:1,18,9:1,1,2", 1944, 378, 3 * 1944},
                                         Known{"18,18,18:1,18,9:1,1,2", 5832, 810, 3 * 5832},
                                         Known{"18,18,36:1,18,18:1,1,1", 11664, 1620, 3 * 11664},
                                         Known{"16,8:1,4:1,4", 128, 12, 256},
                                         Known{"12,12,24:1,12,12:1,1,1", 3456, 720, 3 * 3456}));

TEST_P(KnownPgft, HasTheCountsOfThePapers) {
  const model::Result<PgftShape> shape = parse_pgft_shape(GetParam().shape);
  ASSERT_TRUE(shape.has_value()) << shape.error().message();
  const model::Fabric fabric = pgft(*shape);
  EXPECT_EQ(host_count(fabric), GetParam().hosts);
  EXPECT_EQ(switch_count(fabric), GetParam().switches);
  EXPECT_EQ(fabric.links().size(), GetParam().links);
  EXPECT_EQ(component_count(fabric), 1U);
  EXPECT_TRUE(fabric.anomalies().empty());
}

/// Sends one flow from each host to the host `shift` further on by D-mod-K, whose arithmetic sees
/// ranks and port numbers only, and counts flows by port of departure.
std::map<std::uint32_t, int> shift_permutation(const PgftShape& shape, const model::Fabric& fabric,
                                               std::uint64_t shift) {
  std::map<std::uint32_t, int> flows;
  const std::uint64_t hosts = host_count(fabric);
  for (std::uint64_t source = 0; source < hosts; ++source) {
    const std::uint64_t destination = (source + shift) % hosts;
    model::NodeIndex at{static_cast<std::uint32_t>(source)};
    std::uint8_t exit = 1;
    std::size_t level = 0;
    bool down = false;
    while (true) {
      const model::PortIndex out = *fabric.find_port(at, model::PortNum{exit});
      ++flows[out.value()];
      const model::Port& in = fabric.port(*fabric.peer(out));
      at = in.node;
      if (at.value() == destination) break;
      EXPECT_EQ(fabric.node(at).kind, model::NodeKind::kSwitch);
      if (fabric.node(at).kind != model::NodeKind::kSwitch) return flows;
      level = down ? level - 1 : level + 1;
      std::uint64_t hosts_below = 1;
      std::uint64_t w_below = 1;
      for (std::size_t i = 0; i < level; ++i) hosts_below *= shape.m[i];
      for (std::size_t i = 0; i < level; ++i) w_below *= shape.w[i];
      // The subtrees of all nodes of a level hold consecutive hosts; is it the destination's?
      down = down || source / hosts_below == destination / hosts_below;
      if (down) {
        const std::uint64_t w_child = w_below / shape.w[level - 1];
        const std::uint64_t cable = destination / w_child %
                                    (std::uint64_t{shape.w[level - 1]} * shape.p[level - 1]) /
                                    shape.w[level - 1];
        const std::uint64_t child =
            destination / (hosts_below / shape.m[level - 1]) % shape.m[level - 1];
        exit = static_cast<std::uint8_t>(1 + child + cable * shape.m[level - 1]);
      } else {
        const std::uint64_t up =
            destination / w_below % (std::uint64_t{shape.w[level]} * shape.p[level]);
        exit = static_cast<std::uint8_t>(1 + shape.m[level - 1] * shape.p[level - 1] + up);
      }
    }
  }
  return flows;
}

class FullTree : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shape, FullTree,
                         testing::Values("4,4:1,4:1,1", "4,4:1,2:1,2", "4,8:1,1:1,4",
                                         "2,2,4:1,2,2:1,1,1", "3,3,3:1,3,3:1,1,1",
                                         "4,4,4:1,4,2:1,1,2", "2,2,2,4:1,2,2,2:1,1,1,1"));

TEST_P(FullTree, CarriesEveryShiftPermutationOneFlowALinkByTheTextbooksArithmetic) {
  const PgftShape shape = *parse_pgft_shape(GetParam());
  const model::Fabric fabric = pgft(shape);
  for (std::uint64_t shift = 1; shift < host_count(fabric); ++shift) {
    for (const auto& [port, flows] : shift_permutation(shape, fabric, shift)) {
      ASSERT_EQ(flows, 1) << "shift " << shift << " at "
                          << to_string(fabric.key(model::PortIndex{port}));
    }
  }
}

TEST(Pgft, NamesSwitchesByLevelSubtreeAndPlace) {
  const model::Fabric fabric = pgft({{2, 2, 2, 2}, {1, 2, 2, 2}, {1, 1, 1, 1}});
  EXPECT_EQ(node_named(fabric, "host-00015 HCA-1").guid.value(), 0x0002c901000000f0ULL);
  EXPECT_EQ(node_named(fabric, "leaf-0000").guid.value(), 0x0002c90200000000ULL);
  EXPECT_EQ(node_named(fabric, "spine-03-01").guid.value(), 0x0002c90300000070ULL);
  EXPECT_EQ(node_named(fabric, "upper-spine-01-03").guid.value(), 0x0002c90400000070ULL);
  EXPECT_EQ(node_named(fabric, "core-0007").guid.value(), 0x0002c90500000070ULL);
}

TEST(Pgft, LeavesPortsFreeUpToTheRadix) {
  const model::Fabric fabric = pgft({{2, 2}, {1, 1}, {1, 1}, 8});
  for (const model::NodeIndex sw : fabric.switches()) {
    EXPECT_EQ(fabric.node(sw).port_count, 8);
    EXPECT_LT(cabled_ports(fabric, sw), 8U);
  }
}

TEST(Pgft, GivesHostsAPortForEachParent) {
  const model::Fabric fabric = pgft({{4}, {2}, {2}});
  EXPECT_EQ(host_count(fabric), 4U);
  EXPECT_EQ(switch_count(fabric), 2U);
  const model::NodeIndex host{0U};
  ASSERT_EQ(fabric.ports_of(host).size(), 4U);
  const auto leaf_at = [&](std::uint8_t port) {
    return fabric.port(*fabric.peer(*fabric.find_port(host, model::PortNum{port}))).node;
  };
  EXPECT_EQ(leaf_at(1), leaf_at(3));
  EXPECT_EQ(leaf_at(2), leaf_at(4));
  EXPECT_NE(leaf_at(1), leaf_at(2));
}

TEST(Pgft, RefusesWhatCannotBeBuilt) {
  EXPECT_THAT(error_of({{2, 2}, {1, 1}, {1}}), HasSubstr("2, 2 and 1 numbers"));
  EXPECT_THAT(error_of({{}, {}, {}}), HasSubstr("0 levels"));
  EXPECT_THAT(error_of({{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}), HasSubstr("5 levels"));
  EXPECT_THAT(error_of({{2, 0}, {0, 1}, {1, 1}}), HasSubstr("w1 must be at least 1"));
  EXPECT_THAT(error_of({{2, 0}, {1, 1}, {1, 1}}), HasSubstr("m2 must be at least 1"));
  EXPECT_THAT(error_of({{200, 4}, {1, 55}, {1, 1}}),
              HasSubstr("level 1 would have 255 ports, a switch has at most 254"));
  EXPECT_THAT(error_of({{4294967295U, 4}, {1, 1}, {4294967295U, 1}}), HasSubstr("at most 254"));
  EXPECT_THAT(error_of({{2}, {3}, {3}}), HasSubstr("adapter would have 9 ports"));
  EXPECT_THAT(error_of({{2, 2}, {1, 1}, {1, 1}, 2}), HasSubstr("its radix is 2"));
  EXPECT_THAT(error_of({{100, 100, 200}, {1, 1, 1}, {1, 1, 1}}), HasSubstr("1000000 nodes"));
  EXPECT_THAT(error_of({{2, 2}, {1, 1}, {1, 1}, 0}), HasSubstr("radix"));
}

TEST(Pgft, AcceptsASwitchOf254Ports) { EXPECT_EQ(host_count(pgft({{254}, {1}, {1}})), 254U); }

TEST(PgftShapeText, IsThreeListsOfOneNumberALevel) {
  const model::Result<PgftShape> shape = parse_pgft_shape("18,18,6:1,18,9:1,1,2");
  ASSERT_TRUE(shape.has_value());
  EXPECT_THAT(shape->m, testing::ElementsAre(18, 18, 6));
  EXPECT_THAT(shape->w, testing::ElementsAre(1, 18, 9));
  EXPECT_THAT(shape->p, testing::ElementsAre(1, 1, 2));
}

TEST(PgftShapeText, IsRefusedInAnyOtherForm) {
  for (const char* text : {"", ":", "::", "1:1", "1:1:1:1", "1,2:1:1", "1,:1,1:1,1", "1;1;1",
                           "a:1:1", "-1:1:1", "1 :1:1", "99999999999:1:1", "1:1:1x"}) {
    const model::Result<PgftShape> shape = parse_pgft_shape(text);
    ASSERT_FALSE(shape.has_value()) << text;
    EXPECT_EQ(shape.error().code, model::Errc::kInvalidInput);
    EXPECT_THAT(shape.error().text, HasSubstr("M1,M2"));
  }
}

}  // namespace
}  // namespace heddle::simulation
