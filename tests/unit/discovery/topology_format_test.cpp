#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "discovery/topology_text.hpp"
#include "model/fabric_builder.hpp"
#include "support/topologies.hpp"

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::Lid;
using model::NodeGuid;
using model::NodeKind;
using model::Port;
using model::PortGuid;
using model::PortKey;
using model::PortNum;

model::Node node(std::uint64_t guid, NodeKind kind, std::uint8_t ports, std::string name) {
  model::Node made;
  made.guid = NodeGuid{guid};
  made.kind = kind;
  made.port_count = ports;
  made.description = std::move(name);
  return made;
}

/// All that the text can hold of a port: states, MTU, lanes and what is supported are not in it.
auto facts(const Port& port) {
  return std::tuple(port.number, port.guid, port.lid, port.lmc, port.rate);
}

void expect_same(const Fabric& left, const Fabric& right) {
  ASSERT_TRUE(std::ranges::equal(left.nodes(), right.nodes()));
  ASSERT_EQ(left.ports().size(), right.ports().size());
  for (std::size_t i = 0; i < left.ports().size(); ++i) {
    EXPECT_EQ(facts(left.ports()[i]), facts(right.ports()[i])) << "port index " << i;
  }
  const auto ends = [](const model::Link& link) { return std::pair(link.a, link.b); };
  EXPECT_TRUE(std::ranges::equal(left.links(), right.links(), {}, ends, ends));
  const auto loose = [](const model::UnresolvedPeer& peer) {
    return std::tuple(peer.port, peer.peer, peer.peer_port, peer.description);
  };
  EXPECT_TRUE(std::ranges::equal(left.unresolved(), right.unresolved(), {}, loose, loose));
}

void expect_round_trip(const Fabric& fabric) {
  const std::string text = format_topology(fabric);
  const auto back = parse_topology(text, "formatted", fabric.name());
  ASSERT_TRUE(back) << back.error().message() << "\n" << text;
  expect_same(fabric, *back);
  EXPECT_EQ(format_topology(*back), text);
}

std::uint64_t seed() {
  const char* const given = std::getenv("HEDDLE_SEED");
  return given == nullptr ? std::random_device{}() : std::strtoull(given, nullptr, 0);
}

/// Fabrics without sense but with everything that the text can hold.
class RandomFabric {
 public:
  explicit RandomFabric(std::uint64_t seed) : random_(seed) {}

  Fabric make() {
    model::FabricBuilder builder("random");
    const std::size_t count = 1 + pick(30);
    std::vector<PortKey> free;
    for (std::size_t i = 0; i < count; ++i) add_node(builder, NodeGuid{100 + i * 7}, free);
    std::ranges::shuffle(free, random_);
    while (free.size() >= 2 && pick(20) != 0) {
      const PortKey a = take(free);
      const PortKey b = take(free);
      state_end(builder, a);
      state_end(builder, b);
      builder.connect(a, b);
    }
    for (std::size_t i = pick(4); i > 0 && !free.empty(); --i) {
      const PortKey port = take(free);
      state_end(builder, port);
      builder.connect_unresolved(port, NodeGuid{5000 + i}, PortNum{std::uint8_t{9}}, name());
    }
    return std::move(builder).build();
  }

 private:
  std::uint64_t pick(std::uint64_t bound) { return random_() % bound; }

  static PortKey take(std::vector<PortKey>& free) {
    const PortKey key = free.back();
    free.pop_back();
    return key;
  }

  std::string name() {
    constexpr std::string_view kLetters = "ab \"#'=[]()\\lid;:\xc3\xa9\xff-";
    std::string text;
    for (std::size_t i = pick(12); i > 0; --i) text += kLetters[pick(kLetters.size())];
    return text;
  }

  void add_node(model::FabricBuilder& builder, NodeGuid guid, std::vector<PortKey>& free) {
    constexpr std::array kKinds{NodeKind::kSwitch, NodeKind::kHostAdapter, NodeKind::kRouter,
                                NodeKind::kAggregationNode, NodeKind::kUnknown};
    model::Node node;
    node.guid = guid;
    node.kind = kKinds[pick(kKinds.size())];
    if (pick(3) != 0) node.system_guid = model::SystemGuid{pick(3) + 1};
    if (pick(3) != 0) node.vendor_id = static_cast<std::uint32_t>(pick(0xFFFFFF) + 1);
    node.device_id = node.kind == NodeKind::kAggregationNode ? std::uint16_t{0xcf09}
                                                             : static_cast<std::uint16_t>(pick(9));
    node.port_count = static_cast<std::uint8_t>(1 + pick(8));
    node.description = name();
    const bool is_switch = node.kind == NodeKind::kSwitch;
    for (std::uint8_t i = 1; i <= node.port_count; ++i) free.push_back({guid, PortNum{i}});
    builder.add_node(node);
    if (!is_switch) return;
    switches_.insert(guid);
    Port port;
    port.guid = PortGuid{guid.value()};
    if (pick(4) != 0) port.lid = next_lid();
    builder.set_port(guid, port);
  }

  void state_end(model::FabricBuilder& builder, PortKey key) {
    Port port;
    port.number = key.port;
    port.rate = {static_cast<model::LinkWidth>(pick(6)), static_cast<model::LinkSpeed>(pick(10))};
    if (!switches_.contains(key.node)) {
      port.guid = PortGuid{key.node.value() * 256 + key.port.value()};
      if (pick(4) != 0) port.lid = next_lid();
      port.lmc = static_cast<std::uint8_t>(pick(3));
    }
    builder.set_port(key.node, port);
  }

  Lid next_lid() {
    lid_ = static_cast<std::uint16_t>(lid_ + 8);
    return Lid{lid_};
  }

  std::mt19937_64 random_;
  std::set<NodeGuid> switches_;
  std::uint16_t lid_ = 0;
};

TEST(TopologyFormat, gives_back_named_fabrics) {
  for (const Fabric& fabric :
       {support::two_switches(), support::ft2_k4(), support::ft3_k8(),
        support::ft2_k4_missing_uplink(), support::ft2_k8_parallel2(), support::df_a4h2p2()}) {
    expect_round_trip(fabric);
  }
}

TEST(TopologyFormat, gives_back_random_fabrics) {
  const std::uint64_t first = seed();
  RecordProperty("seed", fmt::format("{}", first));
  for (std::uint64_t i = 0; i < 200; ++i) {
    SCOPED_TRACE(fmt::format("HEDDLE_SEED={}", first + i));
    expect_round_trip(RandomFabric(first + i).make());
    if (HasFailure()) return;
  }
}

TEST(TopologyFormat, writes_what_ibnetdiscover_writes) {
  model::FabricBuilder builder("f");
  model::Node leaf = node(0x10, NodeKind::kSwitch, 2, "leaf");
  leaf.system_guid = model::SystemGuid{leaf.guid.value()};
  leaf.vendor_id = 0x2c9;
  leaf.device_id = 0xd2f0;
  builder.add_node(leaf);
  model::Node host = node(0x100, NodeKind::kHostAdapter, 1, "host");
  host.vendor_id = 0x2c9;
  host.device_id = 0x1017;
  builder.add_node(host);
  Port management;
  management.guid = PortGuid{leaf.guid.value()};
  management.lid = Lid{std::uint16_t{3}};
  builder.set_port(leaf.guid, management);
  Port end;
  end.number = PortNum{std::uint8_t{1}};
  end.rate = {model::LinkWidth::k4x, model::LinkSpeed::kHdr};
  builder.set_port(leaf.guid, end);
  end.guid = PortGuid{host.guid.value() + 1};
  end.lid = Lid{std::uint16_t{5}};
  builder.set_port(host.guid, end);
  builder.connect({leaf.guid, end.number}, {host.guid, end.number});
  EXPECT_EQ(format_topology(std::move(builder).build()),
            "#\n# Topology file: written by heddle\n#\n\n"
            "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x10\nswitchguid=0x10(10)\n"
            "Switch\t2 \"S-0000000000000010\"\t\t# \"leaf\" enhanced port 0 lid 3 lmc 0\n"
            "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"host\" lid 5 4xHDR\n\n"
            "vendid=0x2c9\ndevid=0x1017\ncaguid=0x100\n"
            "Ca\t1 \"H-0000000000000100\"\t\t# \"host\"\n"
            "[1](101) \t\"S-0000000000000010\"[1]\t\t# lid 5 lmc 0 \"leaf\" lid 3 4xHDR\n");
}

TEST(TopologyFormat, keeps_control_characters_out_of_lines) {
  model::FabricBuilder builder("f");
  builder.add_node(node(1, NodeKind::kHostAdapter, 1, "two\nlines\r\t"));
  const auto back = parse_topology(format_topology(std::move(builder).build()), "given", "f");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->nodes()[0].description, "two lines  ");
}

TEST(TopologyFormat, notes_a_peer_that_told_nothing_in_a_comment) {
  model::FabricBuilder builder("f");
  const model::Node leaf = node(1, NodeKind::kSwitch, 4, "leaf");
  builder.add_node(leaf);
  builder.connect_unresolved({leaf.guid, PortNum{std::uint8_t{2}}}, std::nullopt, std::nullopt,
                             "mute");
  EXPECT_THAT(format_topology(std::move(builder).build()),
              testing::HasSubstr("# [2] is cabled to \"mute\""));
}

}  // namespace
}  // namespace heddle::discovery
