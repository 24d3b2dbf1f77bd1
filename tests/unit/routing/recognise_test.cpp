#include "routing/recognise.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fabric_builder.hpp"
#include "simulation/generators.hpp"
#include "support/damage.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::SwitchIndex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = Irregularity::Kind;

Structure recognised(const model::Fabric& fabric, const RecogniseHints& hints = {}) {
  model::Result<Structure> structure = recognise(fabric, support::graph_of(fabric), hints);
  if (!structure) throw std::runtime_error(structure.error().message());
  return std::move(*structure);
}

SwitchIndex switch_named(const model::Fabric& fabric, std::string_view name) {
  return *fabric.switch_index(*fabric.find_node(support::node_named(fabric, name).guid));
}

std::optional<std::uint8_t> level_of(const model::Fabric& fabric, const Structure& structure,
                                     std::string_view name) {
  return structure.level[switch_named(fabric, name).value()];
}
std::optional<std::uint32_t> pod_of(const model::Fabric& fabric, const Structure& structure,
                                    std::string_view name) {
  return structure.pod[switch_named(fabric, name).value()];
}

std::vector<std::string> texts(const Structure& structure, Kind kind) {
  std::vector<std::string> all;
  for (const Irregularity& irregularity : structure.irregularities) {
    if (irregularity.kind == kind) all.push_back(irregularity.text);
  }
  return all;
}

/// `fabric` and what `change` does to it.
template <class Change>
model::Fabric changed(
    const model::Fabric& fabric, const Change& change,
    const std::function<bool(const model::Link&)>& keep = [](const model::Link&) { return true; }) {
  model::FabricBuilder builder(fabric.name());
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const model::NodeIndex node{n};
    builder.add_node(fabric.node(node));
    for (const model::Port& port : fabric.ports_of(node)) {
      builder.set_port(fabric.node(node).guid, port);
    }
  }
  for (const model::Link& link : fabric.links()) {
    if (keep(link)) builder.connect(fabric.key(link.a), fabric.key(link.b));
  }
  change(builder);
  return std::move(builder).build();
}

/// Adds an adapter of `kind` at a port of a switch that is free in `fabric`.
void hang(model::FabricBuilder& builder, const model::Fabric& fabric, std::string_view name,
          std::uint8_t port, model::NodeKind kind, std::uint64_t guid) {
  builder.add_node({.guid = model::NodeGuid{guid},
                    .system_guid = std::nullopt,
                    .kind = kind,
                    .vendor_id = std::nullopt,
                    .device_id = 0,
                    .port_count = 1,
                    .description = "added"});
  builder.connect({model::NodeGuid{guid}, model::PortNum{std::uint8_t{1}}},
                  support::port_at(fabric, name, port));
}

/// 6 pods of 6 leaves (of 12 hosts) and 6 spines, 36 cores; two cables from a leaf to each spine.
model::Fabric tree_432() {
  return *simulation::make_pgft({{12, 6, 6}, {1, 6, 6}, {1, 2, 1}, 40}, {});
}

TEST(Recognise, SmallFatTreesOfTwoAndThreeLevels) {
  const model::Fabric two = support::ft2_k4();
  const Structure flat = recognised(two);
  EXPECT_EQ(flat.shape, Shape::kFatTree);
  EXPECT_EQ(flat.levels, 2);
  EXPECT_EQ(flat.pods, 4U);
  EXPECT_THAT(flat.roots,
              ElementsAre(switch_named(two, "spine-0000"), switch_named(two, "spine-0001")));
  EXPECT_THAT(flat.leaf_order,
              ElementsAre(SwitchIndex{0U}, SwitchIndex{1U}, SwitchIndex{2U}, SwitchIndex{3U}));
  EXPECT_THAT(flat.oversubscription_permille, ElementsAre(1000U));
  EXPECT_THAT(flat.irregularities, IsEmpty());
  EXPECT_THAT(flat.rail, IsEmpty());

  const model::Fabric three = support::ft3_k4();
  const Structure deep = recognised(three);
  EXPECT_EQ(deep.shape, Shape::kFatTree);
  EXPECT_EQ(deep.levels, 3);
  EXPECT_EQ(deep.pods, 4U);
  EXPECT_THAT(deep.roots, SizeIs(4));
  EXPECT_EQ(pod_of(three, deep, "leaf-0003"), 1U);
  EXPECT_EQ(pod_of(three, deep, "spine-01-01"), 1U);
  EXPECT_EQ(pod_of(three, deep, "core-0001"), std::nullopt);
  EXPECT_THAT(deep.irregularities, IsEmpty());
}

TEST(Recognise, LeavesOfNestedPodsStandTogether) {
  const model::Fabric fabric =
      *simulation::make_pgft({{2, 2, 3, 4}, {1, 2, 3, 2}, {1, 1, 1, 1}, std::nullopt}, {});
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.levels, 4);
  EXPECT_EQ(structure.pods, 4U);
  // GUIDs follow the cabling, so topological order is order of GUID.
  ASSERT_THAT(structure.leaf_order, SizeIs(24));
  EXPECT_TRUE(std::ranges::is_sorted(structure.leaf_order));
}

TEST(Recognise, OversubscriptionIsThatOfATypicalSwitch) {
  const model::Fabric fabric =
      *simulation::make_pgft({{24, 18, 6}, {1, 12, 18}, {1, 1, 1}, std::nullopt}, {});
  EXPECT_THAT(recognised(fabric).oversubscription_permille, ElementsAre(2000U, 1000U));
  EXPECT_THAT(
      recognised(support::damaged(fabric, {.cables_permille = 10})).oversubscription_permille[0],
      2000U);
}

TEST(Recognise, DragonfliesByTheirGroups) {
  const model::Fabric fabric = support::df_a4h2p2();
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kDragonfly);
  EXPECT_EQ(structure.levels, 1);
  EXPECT_EQ(structure.pods, 9U);
  EXPECT_THAT(structure.level, Each(std::optional(std::uint8_t{0})));
  EXPECT_EQ(pod_of(fabric, structure, "router-04-03"), 4U);
  EXPECT_THAT(structure.roots, IsEmpty());
  EXPECT_THAT(structure.irregularities, IsEmpty());

  const Structure plus = recognised(support::dfp_g3());
  EXPECT_EQ(plus.shape, Shape::kDragonflyPlus);
  EXPECT_EQ(plus.levels, 2);
  EXPECT_EQ(plus.pods, 3U);
  EXPECT_THAT(plus.irregularities, IsEmpty());
}

TEST(Recognise, AGroupThatLacksItsCableToAnotherIsNamed) {
  EXPECT_THAT(
      texts(recognised(support::df_one_global_down()), Kind::kMissingLink),
      ElementsAre("group 0 (of \"router-00-00\" 0x0002c90200000000) has no cable to group 1 "
                  "(of \"router-01-00\" 0x0002c90200000040)"));
}

TEST(Recognise, TwoHomedHostsOverPodsMakeAHybridWithRails) {
  const model::Fabric fabric = *simulation::make_hybrid({.groups = 4,
                                                         .leaves = 4,
                                                         .spines = 4,
                                                         .super_spines = 8,
                                                         .hosts_per_leaf = 6,
                                                         .two_homed = true},
                                                        {});
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kHybrid);
  EXPECT_EQ(structure.levels, 3);
  EXPECT_EQ(structure.pods, 4U);
  const Graph graph = support::graph_of(fabric);
  ASSERT_THAT(structure.rail, SizeIs(graph.terminals().size()));
  for (std::size_t t = 0; t < structure.rail.size(); ++t) {
    // Port 1 of a host hangs on an even leaf, port 2 on an odd one.
    EXPECT_EQ(structure.rail[t], graph.terminals()[t].leaf.value() % 2);
  }
  EXPECT_EQ(recognised(support::hybrid_two_homed()).shape, Shape::kHybrid);
}

TEST(Recognise, FatTreeGroupsOfTwoShapesAreAHybrid) {
  // Four groups of 4 leaves and 4 spines, four of 4 leaves and 8 spines, under 8 super-spines.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  std::uint32_t next = 8;
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t group = 0; group < 8; ++group) {
    const std::uint32_t spines = group < 4 ? 4 : 8;
    for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
      leaves.push_back(next + leaf);
      for (std::uint32_t s = 0; s < spines; ++s) cables.emplace_back(next + leaf, next + 4 + s);
    }
    for (std::uint32_t s = 0; s < spines; ++s) {
      cables.emplace_back(next + 4 + s, s);
      cables.emplace_back(next + 4 + s, (s + 4) % 8);
    }
    next += 4 + spines;
  }
  const model::Fabric everywhere = support::from_cables(next, 4, cables);
  const model::Fabric fabric = changed(
      everywhere, [](model::FabricBuilder&) {},
      [&](const model::Link& link) {
        for (const model::PortIndex end : {link.a, link.b}) {
          const auto sw = everywhere.switch_index(everywhere.port(end).node);
          if (!sw) continue;
          const bool to_host =
              !everywhere.switch_index(everywhere.port(*everywhere.peer(end)).node);
          if (to_host && std::ranges::find(leaves, sw->value()) == leaves.end()) return false;
        }
        return true;
      });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kHybrid);
  EXPECT_EQ(structure.pods, 8U);
  EXPECT_EQ(structure.levels, 3);
}

TEST(Recognise, GraphsThatAreNeitherTreesNorDragonfliesAreIrregular) {
  for (const model::Fabric& fabric :
       {support::two_switches(), support::two_stars(12, 4), support::torus({4, 4, 4}, 2),
        support::torus({5, 5}, 1), support::hypercube(5, 2), support::random_regular(48, 6, 3, 1),
        support::random_regular(64, 8, 2, 2)}) {
    const Structure structure = recognised(fabric);
    EXPECT_EQ(structure.shape, Shape::kIrregular) << fabric.name();
    EXPECT_THAT(structure.pod, Each(std::optional<std::uint32_t>()));
  }
}

TEST(Recognise, AFullMeshIsADragonflyOfOneGroup) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (std::uint32_t a = 0; a < 6; ++a) {
    for (std::uint32_t b = a + 1; b < 6; ++b) cables.emplace_back(a, b);
  }
  const Structure structure = recognised(support::from_cables(6, 4, cables));
  EXPECT_EQ(structure.shape, Shape::kDragonfly);
  EXPECT_EQ(structure.pods, 1U);
}

TEST(Recognise, OneSwitchAndNone) {
  const Structure one = recognised(support::from_cables(1, 4, {}));
  EXPECT_EQ(one.shape, Shape::kSingleSwitch);
  EXPECT_THAT(one.level, ElementsAre(std::optional(std::uint8_t{0})));
  EXPECT_THAT(one.irregularities, IsEmpty());
  const Structure none = recognised(model::FabricBuilder("none").build());
  EXPECT_EQ(none.shape, Shape::kEmpty);
  EXPECT_EQ(none.components, 0U);
}

TEST(Recognise, SwitchesWithoutAnyHostHaveNoLevel) {
  const Structure structure = recognised(support::from_cables(3, 0, {{0, 1}, {1, 2}}));
  EXPECT_EQ(structure.shape, Shape::kIrregular);
  EXPECT_THAT(structure.level, Each(std::optional<std::uint8_t>()));
}

TEST(Recognise, PartsThatHangApartAreCountedAndNamed) {
  // The tree and, apart from it, two switches that hold on to each other.
  const model::Fabric tree = support::ft2_k4();
  const model::Fabric fabric = changed(tree, [](model::FabricBuilder& builder) {
    for (const std::uint64_t guid : {0xff00ULL, 0xff01ULL}) {
      builder.add_node({.guid = model::NodeGuid{guid},
                        .system_guid = std::nullopt,
                        .kind = model::NodeKind::kSwitch,
                        .vendor_id = std::nullopt,
                        .device_id = 0,
                        .port_count = 2,
                        .description = "apart"});
    }
    builder.connect({model::NodeGuid{std::uint64_t{0xff00}}, model::PortNum{std::uint8_t{1}}},
                    {model::NodeGuid{std::uint64_t{0xff01}}, model::PortNum{std::uint8_t{1}}});
  });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kFatTree);
  EXPECT_EQ(structure.components, 2U);
  EXPECT_THAT(
      texts(structure, Kind::kUnreachable),
      ElementsAre("2 switches with 0 host ports, the first \"apart\" 0x000000000000ff00, are "
                  "not connected to the rest"));
  EXPECT_EQ(structure.level[0], std::nullopt);
}

TEST(Recognise, APodThatIsCutOffStaysAPod) {
  const model::Fabric tree = tree_432();
  const model::Fabric fabric = changed(
      tree, [](model::FabricBuilder&) {},
      [&](const model::Link& link) {
        const auto name = [&](model::PortIndex port) {
          return tree.node(tree.port(port).node).description;
        };
        return !(name(link.a).starts_with("spine-02") && name(link.b).starts_with("core"));
      });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.components, 2U);
  EXPECT_EQ(structure.pods, 6U);
  EXPECT_EQ(level_of(fabric, structure, "spine-02-03"), 1);
  EXPECT_EQ(pod_of(fabric, structure, "spine-02-03"), pod_of(fabric, structure, "leaf-0012"));
  EXPECT_THAT(structure.roots, SizeIs(36));
}

TEST(Recognise, HostsOnSpinesAndRootsMoveNoLevel) {
  const model::Fabric tree = tree_432();
  const model::Fabric fabric = changed(tree, [&](model::FabricBuilder& builder) {
    hang(builder, tree, "spine-01-02", 39, model::NodeKind::kHostAdapter, 0xa1);
    hang(builder, tree, "spine-01-02", 40, model::NodeKind::kHostAdapter, 0xa2);
    for (std::uint8_t port = 31; port <= 34; ++port) {
      hang(builder, tree, "core-0005", port, model::NodeKind::kHostAdapter, 0xb00U + port);
    }
    hang(builder, tree, "core-0004", 40, model::NodeKind::kHostAdapter, 0xc1);
    hang(builder, tree, "spine-03-03", 40, model::NodeKind::kAggregationNode, 0xd1);
    hang(builder, tree, "core-0007", 40, model::NodeKind::kRouter, 0xd2);
  });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kFatTree);
  EXPECT_EQ(structure.level, recognised(tree).level);
  EXPECT_EQ(structure.pod, recognised(tree).pod);
  const std::vector<std::string> found = texts(structure, Kind::kHostOnSpine);
  ASSERT_THAT(found, SizeIs(7));
  EXPECT_EQ(found.front(),
            "\"spine-01-02\" 0x0002c90300000080 port 39 - \"added\" "
            "0x00000000000000a1 port 1: at level 1");
}

TEST(Recognise, HostsOnEverySpineOfATwoLevelTreeMakeNoDragonfly) {
  const model::Fabric tree =
      *simulation::make_pgft({{18, 12}, {1, 18}, {1, 1}, std::uint32_t{40}}, {});
  const model::Fabric fabric = changed(tree, [&](model::FabricBuilder& builder) {
    for (std::uint32_t s = 0; s < 18; ++s) {
      for (std::uint8_t port = 35; port < 40; ++port) {
        hang(builder, tree, fmt::format("spine-{:04}", s), port, model::NodeKind::kHostAdapter,
             0x1000U + s * 16U + port - 32U);
      }
    }
  });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.shape, Shape::kFatTree);
  EXPECT_EQ(structure.level, recognised(tree).level);
}

/// `tree_432()` without the hosts of the leaves for which `gone` holds.
template <class Gone>
model::Fabric without_hosts(const model::Fabric& tree, const Gone& gone) {
  return changed(
      tree, [](model::FabricBuilder&) {},
      [&](const model::Link& link) {
        const std::string& host = tree.node(tree.port(link.a).node).description;
        const std::string& leaf = tree.node(tree.port(link.b).node).description;
        return !(host.starts_with("host") && gone(leaf));
      });
}

TEST(Recognise, LeavesAndPodsWithoutHostsKeepTheirLevels) {
  const model::Fabric tree = tree_432();
  const Structure whole = recognised(tree);
  const model::Fabric some = without_hosts(
      tree, [](const std::string& leaf) { return leaf == "leaf-0007" || leaf == "leaf-0020"; });
  const Structure fewer = recognised(some);
  EXPECT_EQ(fewer.level, whole.level);
  EXPECT_EQ(fewer.pod, whole.pod);
  EXPECT_THAT(texts(fewer, Kind::kSwitchWithoutHosts),
              ElementsAre("\"leaf-0007\" 0x0002c90200000070 is a leaf without hosts",
                          "\"leaf-0020\" 0x0002c90200000140 is a leaf without hosts"));
  // Two pods of six not populated yet: leaves 0000 to 0011.
  const Structure half =
      recognised(without_hosts(tree, [](const std::string& leaf) { return leaf < "leaf-0012"; }));
  EXPECT_EQ(half.level, whole.level);
  EXPECT_EQ(half.pod, whole.pod);
  // The first leaf of a fabric that is being built.
  const Structure first =
      recognised(without_hosts(tree, [](const std::string& leaf) { return leaf != "leaf-0000"; }));
  EXPECT_EQ(first.level, whole.level);
  EXPECT_EQ(first.pod, whole.pod);
}

TEST(Recognise, ALeafWithOneHostIsNoSpine) {
  const model::Fabric tree = tree_432();
  std::set<std::string> seen;
  const model::Fabric fabric = without_hosts(tree, [&](const std::string& leaf) {
    // All hosts but the first of each leaf of the first pod.
    return leaf < "leaf-0006" && !seen.insert(leaf).second;
  });
  EXPECT_EQ(recognised(fabric).level, recognised(tree).level);
}

TEST(Recognise, TwoSwappedCablesAreNamedWithTheirPorts) {
  const model::Fabric tree = tree_432();
  const model::PortKey a = support::port_at(tree, "leaf-0001", 13);
  const model::PortKey b = support::port_at(tree, "leaf-0014", 15);
  const model::PortKey a_spine = tree.key(*tree.peer(*tree.find_port(a)));
  const model::PortKey b_spine = tree.key(*tree.peer(*tree.find_port(b)));
  const model::Fabric fabric = changed(
      tree,
      [&](model::FabricBuilder& builder) {
        builder.connect(a, b_spine);
        builder.connect(b, a_spine);
      },
      [&](const model::Link& link) { return tree.key(link.a) != a && tree.key(link.a) != b; });
  const Structure structure = recognised(fabric);
  EXPECT_EQ(structure.level, recognised(tree).level);
  EXPECT_EQ(structure.pod, recognised(tree).pod);
  EXPECT_THAT(
      texts(structure, Kind::kUnexpectedLink),
      ElementsAre(
          "\"leaf-0001\" 0x0002c90200000010 port 13 - \"spine-02-02\" 0x0002c903000000e0 port 3: "
          "between two pods below the roots; it looks swapped with \"leaf-0014\" "
          "0x0002c902000000e0 "
          "port 15 - \"spine-00-00\" 0x0002c90300000000 port 2",
          "\"leaf-0014\" 0x0002c902000000e0 port 15 - \"spine-00-00\" 0x0002c90300000000 port 2: "
          "between two pods below the roots; it looks swapped with \"leaf-0001\" "
          "0x0002c90200000010 "
          "port 13 - \"spine-02-02\" 0x0002c903000000e0 port 3"));
  EXPECT_THAT(texts(structure, Kind::kUnevenUplinks),
              ElementsAre("\"leaf-0001\" 0x0002c90200000010 has 1 of 2 cables to \"spine-00-00\" "
                          "0x0002c90300000000",
                          "\"leaf-0014\" 0x0002c902000000e0 has 1 of 2 cables to \"spine-02-02\" "
                          "0x0002c903000000e0"));
}

TEST(Recognise, AMissingCableIsNamedWithBothEnds) {
  EXPECT_THAT(texts(recognised(support::ft2_k4_missing_uplink()), Kind::kMissingLink),
              ElementsAre("\"leaf-0000\" 0x0002c90200000000 has no cable to \"spine-0000\" "
                          "0x0002c90300000000, unlike its siblings"));
}

TEST(Recognise, AMissingSpineIsNamedByItsPod) {
  const model::Fabric tree = tree_432();
  const model::Fabric fabric = changed(
      tree, [](model::FabricBuilder&) {},
      [&](const model::Link& link) {
        return tree.node(tree.port(link.a).node).description != "spine-03-01" &&
               tree.node(tree.port(link.b).node).description != "spine-03-01";
      });
  // The switch itself is still there, but nobody's neighbour.
  EXPECT_THAT(texts(recognised(fabric), Kind::kMissingSwitch),
              ElementsAre("pod 3 (of \"leaf-0018\" 0x0002c90200000120) has 5 switches at level 1, "
                          "others have 6"));
}

TEST(Recognise, IrregularitiesAreBoundedByKind) {
  const model::Fabric fabric = support::damaged(tree_432(), {.cables_permille = 300});
  const Structure structure = recognised(fabric);
  const std::vector<std::string> found = texts(structure, Kind::kUnevenUplinks);
  ASSERT_THAT(found, SizeIs(13));
  EXPECT_THAT(found.back(), testing::MatchesRegex("and [0-9]+ more of this kind"));
}

TEST(Recognise, TwoPortsOfOneHostOnOneLeafAreNamed) {
  const model::Fabric fabric = *simulation::make_pgft({{4, 4}, {1, 4}, {1, 1}, 16}, {});
  const model::NodeGuid host = support::node_named(fabric, "host-00005 HCA-1").guid;
  const model::Fabric twice = changed(fabric, [&](model::FabricBuilder& builder) {
    model::Node second;
    second.guid = model::NodeGuid{std::uint64_t{0xe1}};
    second.system_guid = model::SystemGuid{host.value()};
    second.kind = model::NodeKind::kHostAdapter;
    second.port_count = 1;
    second.description = "host-00005 HCA-2";
    builder.add_node(second);
    builder.connect({second.guid, model::PortNum{std::uint8_t{1}}},
                    support::port_at(fabric, "leaf-0001", 16));
  });
  EXPECT_THAT(texts(recognised(twice), Kind::kSameLeaf),
              ElementsAre("\"host-00005 HCA-1\" 0x0002c90100000050 port 1 and \"host-00005 HCA-2\" "
                          "0x00000000000000e1 port 1 of one host are both on \"leaf-0001\" "
                          "0x0002c90200000010"));
}

TEST(Recognise, LmcDoesNotMatter) {
  const model::Fabric fabric = support::ft3_k8();
  const Structure structure = recognised(fabric);
  for (std::uint8_t lmc = 0; lmc <= 3; ++lmc) {
    EXPECT_EQ(recognised(support::assign_lids(fabric, lmc)), structure);
  }
}

TEST(Recognise, GivenRootsRankWhatHangsBelow) {
  const model::Fabric fabric = support::ft3_k4();
  const Structure known = recognised(fabric);
  RecogniseHints hints;
  for (const SwitchIndex root : known.roots) {
    hints.roots.push_back(fabric.node(fabric.node_of(root)).guid);
  }
  EXPECT_EQ(recognised(fabric, hints), known);
  // A ring, ranked from one switch: a tree because the operator says so.
  const model::Fabric ring = support::torus({6}, 2);
  hints.roots = {ring.node(ring.node_of(SwitchIndex{0U})).guid};
  EXPECT_EQ(recognised(ring, hints).shape, Shape::kFatTree);
}

TEST(Recognise, GivenGroupsMakeADragonfly) {
  // Groups of two have nothing that tells local cables from global ones.
  const model::Fabric fabric = *simulation::make_dragonfly(
      {.routers_per_group = 2, .hosts_per_router = 1, .global_links = 1, .groups = 3}, {});
  EXPECT_EQ(recognised(fabric).shape, Shape::kIrregular);
  RecogniseHints hints;
  for (std::uint32_t group = 0; group < 3; ++group) {
    hints.groups.push_back({fabric.node(fabric.node_of(SwitchIndex{2 * group})).guid,
                            fabric.node(fabric.node_of(SwitchIndex{2 * group + 1})).guid});
  }
  const Structure structure = recognised(fabric, hints);
  EXPECT_EQ(structure.shape, Shape::kDragonfly);
  EXPECT_EQ(structure.pods, 3U);
  EXPECT_EQ(structure.pod[3], 1U);
}

TEST(Recognise, GivenGroupsBelowSuperSpinesArePods) {
  const model::Fabric fabric = support::ft3_k4();
  const Structure known = recognised(fabric);
  RecogniseHints hints;
  hints.groups.resize(2);
  for (std::uint32_t s = 0; s < known.pod.size(); ++s) {
    if (known.pod[s]) {
      // All but one leaf, which goes where its cables lead.
      if (SwitchIndex{s} == switch_named(fabric, "leaf-0003")) continue;
      hints.groups[*known.pod[s] / 2].push_back(fabric.node(fabric.node_of(SwitchIndex{s})).guid);
    }
  }
  const Structure structure = recognised(fabric, hints);
  EXPECT_EQ(structure.shape, Shape::kFatTree);
  EXPECT_EQ(structure.level, known.level);
  EXPECT_EQ(structure.pods, 2U);
  EXPECT_EQ(pod_of(fabric, structure, "leaf-0003"), 0U);
  EXPECT_EQ(pod_of(fabric, structure, "spine-02-00"), 1U);
  EXPECT_EQ(pod_of(fabric, structure, "core-0000"), std::nullopt);
}

TEST(Recognise, AHintThatNamesNoSwitchIsAnError) {
  const model::Fabric fabric = support::ft2_k4();
  const Graph graph = support::graph_of(fabric);
  RecogniseHints hints;
  hints.roots = {model::NodeGuid{std::uint64_t{5}}};
  const model::Result<Structure> roots = recognise(fabric, graph, hints);
  ASSERT_FALSE(roots);
  EXPECT_EQ(roots.error().code, model::Errc::kNotFound);
  EXPECT_THAT(roots.error().text, HasSubstr("0x0000000000000005"));
  hints = {.roots = {}, .groups = {{model::NodeGuid{std::uint64_t{6}}}}};
  EXPECT_FALSE(recognise(fabric, graph, hints));
}

}  // namespace
}  // namespace heddle::routing
