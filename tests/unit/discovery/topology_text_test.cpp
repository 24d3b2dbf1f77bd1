#include "discovery/topology_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "model/fabric.hpp"
#include "support/paths.hpp"

namespace heddle::discovery {
namespace {

using model::AnomalyKind;
using model::Fabric;
using model::Lid;
using model::LinkSpeed;
using model::LinkWidth;
using model::Node;
using model::NodeGuid;
using model::NodeKind;
using model::Port;
using model::PortGuid;
using model::PortKey;
using model::PortNum;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Fabric load(const std::string& name) {
  auto fabric = read_topology(support::checkout_path("tests/data/topologies") / name, "test");
  if (!fabric) throw std::runtime_error(fabric.error().message());
  return *std::move(fabric);
}

Fabric parse(const std::string& text) {
  auto fabric = parse_topology(text, "given", "test");
  if (!fabric) throw std::runtime_error(fabric.error().message());
  return *std::move(fabric);
}

std::string error_of(const std::string& text) {
  const auto fabric = parse_topology(text, "given", "test");
  return fabric ? "no error" : fabric.error().message();
}

PortKey at(std::uint64_t node, std::uint8_t port) { return {NodeGuid{node}, PortNum{port}}; }

const Node& node(const Fabric& fabric, std::uint64_t guid) {
  return fabric.node(fabric.find_node(NodeGuid{guid}).value());
}

const Port& port(const Fabric& fabric, std::uint64_t guid, std::uint8_t number) {
  return fabric.port(fabric.find_port(at(guid, number)).value());
}

std::optional<PortKey> peer(const Fabric& fabric, std::uint64_t guid, std::uint8_t number) {
  const auto other = fabric.peer(fabric.find_port(at(guid, number)).value());
  return other ? std::optional(fabric.key(*other)) : std::nullopt;
}

constexpr std::uint64_t kSpine = 0x0a00000000000010;
constexpr std::uint64_t kLeaf = 0x0a00000000000020;
constexpr std::uint64_t kSharp = 0x0a00000000000012;
constexpr std::uint64_t kHostOne = 0x0a00000000000100;
constexpr std::uint64_t kHostTwo = 0x0a00000000000200;

TEST(TopologyText, reads_ids_kinds_and_names_of_nodes) {
  const Fabric fabric = load("oddities.topo");
  ASSERT_THAT(fabric.nodes(), SizeIs(6));
  const Node& spine = node(fabric, kSpine);
  EXPECT_EQ(spine.kind, NodeKind::kSwitch);
  EXPECT_EQ(spine.vendor_id, 0x2c9U);
  EXPECT_EQ(spine.device_id, 0xd2f0);
  EXPECT_EQ(spine.system_guid, model::SystemGuid{kSpine});
  EXPECT_EQ(spine.port_count, 41);
  EXPECT_EQ(node(fabric, kSharp).kind, NodeKind::kAggregationNode);
  EXPECT_EQ(node(fabric, kHostOne).kind, NodeKind::kHostAdapter);
  EXPECT_EQ(node(fabric, 0x0a00000000000300).kind, NodeKind::kRouter);
  EXPECT_EQ(node(fabric, kLeaf).system_guid, std::nullopt);
}

TEST(TopologyText, takes_a_name_up_to_its_last_quote) {
  EXPECT_EQ(node(load("oddities.topo"), kSpine).description, "MF0;spine \"one\" # a:MQM8700/U1");
}

TEST(TopologyText, takes_an_empty_name_and_a_name_without_quotes) {
  const Fabric fabric = load("oddities.topo");
  EXPECT_EQ(node(fabric, kLeaf).description, "");
  EXPECT_EQ(node(fabric, 0x0a00000000000400).description, "host two");
}

TEST(TopologyText, keeps_bytes_that_are_no_utf8) {
  const Fabric fabric = parse("Ca 1 \"H-0000000000000001\" # \"caf\xe9 \xff\"\n");
  EXPECT_EQ(node(fabric, 1).description, "caf\xe9 \xff");
}

TEST(TopologyText, gives_each_end_its_port_facts) {
  const Fabric fabric = load("oddities.topo");
  EXPECT_EQ(port(fabric, kSpine, 0).lid, Lid{std::uint16_t{3}});
  EXPECT_EQ(port(fabric, kSpine, 0).guid, PortGuid{kSpine});
  const Port& host = port(fabric, kHostOne, 2);
  EXPECT_EQ(host.lid, Lid{std::uint16_t{6}});
  EXPECT_EQ(host.lmc, 1);
  EXPECT_EQ(host.guid, PortGuid{kHostOne + 2});
  EXPECT_EQ(host.physical_state, model::PhysicalState::kLinkUp);
  EXPECT_EQ(host.state, model::PortState::kUnknown);
  EXPECT_EQ(port(fabric, kSpine, 40).physical_state, model::PhysicalState::kUnknown);
}

TEST(TopologyText, joins_cables_from_both_sides_once) {
  const Fabric fabric = load("oddities.topo");
  EXPECT_THAT(fabric.links(), SizeIs(7));
  EXPECT_EQ(peer(fabric, kSpine, 1), at(kLeaf, 1));
  EXPECT_EQ(peer(fabric, kSpine, 41), at(kSharp, 1));
  EXPECT_EQ(peer(fabric, kSpine, 40), std::nullopt);
}

TEST(TopologyText, fills_in_the_end_that_only_its_peer_describes) {
  const Fabric fabric = load("oddities.topo");
  const Port& end = port(fabric, 0x0a00000000000400, 1);
  EXPECT_EQ(end.lid, Lid{std::uint16_t{12}});
  EXPECT_EQ(end.guid, PortGuid{kHostOne + 0x301});
  EXPECT_EQ(end.rate.speed, LinkSpeed::kSdr);
  ASSERT_THAT(fabric.anomalies(), SizeIs(1));
  EXPECT_EQ(fabric.anomalies()[0].kind, model::AnomalyKind::kOneWayCable);
}

TEST(TopologyText, keeps_the_known_half_of_a_rate) {
  const Fabric fabric = load("oddities.topo");
  const model::LinkRate rate = port(fabric, kHostOne, 2).rate;
  EXPECT_EQ(rate.width, LinkWidth::k4x);
  EXPECT_EQ(rate.speed, LinkSpeed::kUnknown);
  EXPECT_EQ(port(fabric, kHostOne, 1).rate, (model::LinkRate{LinkWidth::k4x, LinkSpeed::kFdr10}));
  EXPECT_EQ(port(fabric, kSpine, 2).rate, (model::LinkRate{LinkWidth::k2x, LinkSpeed::kHdr}));
}

TEST(TopologyText, completes_an_unknown_rate_from_the_codes_of_full_output) {
  EXPECT_EQ(port(load("oddities.topo"), kLeaf, 7).rate,
            (model::LinkRate{LinkWidth::k4x, LinkSpeed::kNdr}));
}

TEST(TopologyText, leaves_a_peer_without_a_block_unresolved) {
  const Fabric fabric = load("oddities.topo");
  ASSERT_THAT(fabric.unresolved(), SizeIs(1));
  const model::UnresolvedPeer& peer = fabric.unresolved()[0];
  EXPECT_EQ(fabric.key(peer.port), at(kSpine, 3));
  EXPECT_EQ(peer.peer, NodeGuid{kSpine + 0xef});
  EXPECT_EQ(peer.peer_port, PortNum{std::uint8_t{17}});
  EXPECT_EQ(peer.description, "leaf not in this file");
}

TEST(TopologyText, reads_lines_that_end_with_carriage_return) {
  const Fabric fabric = parse(
      "caguid=0x1\r\nCa 1 \"H-1\" # \"a\"\r\n[1](2) \"S-3\"[4] # lid 5 lmc 0 \"b\" lid 6 "
      "4xEDR\r\n");
  EXPECT_EQ(node(fabric, 1).description, "a");
  EXPECT_EQ(port(fabric, 1, 1).rate.speed, LinkSpeed::kEdr);
}

TEST(TopologyText, reads_netlists_of_ibsim) {
  const Fabric fabric = load("netlist.topo");
  EXPECT_THAT(fabric.nodes(), SizeIs(5));
  EXPECT_THAT(fabric.links(), SizeIs(4));
  EXPECT_EQ(peer(fabric, kSpine, 8), at(kLeaf, 8));
  EXPECT_EQ(peer(fabric, kSpine, 2), at(kHostTwo, 1));
  EXPECT_EQ(node(fabric, kLeaf).description, "second leaf");
  EXPECT_EQ(port(fabric, kLeaf, 0).lid, Lid{std::uint16_t{4}});
  EXPECT_THAT(fabric.anomalies(), IsEmpty());
  EXPECT_THAT(fabric.unresolved(), IsEmpty());
}

TEST(TopologyText, reports_contradictions_as_anomalies_with_their_place) {
  const Fabric fabric = load("contradictions.topo");
  std::vector<std::string> found;
  for (const model::Anomaly& anomaly : fabric.anomalies()) {
    found.push_back(fmt::format("{} {} line {}", to_string(anomaly.kind), to_string(anomaly.where),
                                anomaly.position ? anomaly.position->line : 0));
  }
  EXPECT_THAT(found,
              testing::UnorderedElementsAre("duplicate_node_guid 0x0a00000000000200/0 line 18",
                                            "port_cabled_twice 0x0a00000000000010/2 line 7",
                                            "port_out_of_range 0x0a00000000000010/37 line 8",
                                            "ends_disagree 0x0a00000000000100/1 line 5",
                                            "ends_disagree 0x0a00000000000200/1 line 6"));
}

/// Two switches with three cables, from both ends; `without` and `twice` are parts of lines.
Fabric two_switches(std::string_view without, std::string_view twice) {
  std::string text;
  for (const std::string line :
       {"Switch 4 \"S-000000000000000a\" # \"a\"", "[1] \"S-000000000000000b\"[1]",
        "[2] \"S-000000000000000b\"[2]", "[3] \"S-000000000000000b\"[4]",
        "Switch 4 \"S-000000000000000b\" # \"b\"", "[1] \"S-000000000000000a\"[1]",
        "[2] \"S-000000000000000a\"[2]", "[4] \"S-000000000000000a\"[3]"}) {
    if (line != without) text += line + "\n";
    if (line == twice) text += line + "\n";
  }
  return parse(text);
}

TEST(TopologyText, finds_a_cable_that_one_end_alone_tells_of) {
  const Fabric fabric = two_switches("[4] \"S-000000000000000a\"[3]", "");
  ASSERT_THAT(fabric.anomalies(), SizeIs(1));
  const model::Anomaly& anomaly = fabric.anomalies()[0];
  EXPECT_EQ(anomaly.kind, model::AnomalyKind::kOneWayCable);
  EXPECT_EQ(to_string(anomaly.where), "0x000000000000000a/3");
  EXPECT_EQ(anomaly.position->line, 4U);
  EXPECT_THAT(two_switches("", "").anomalies(), IsEmpty());
}

TEST(TopologyText, reports_a_cable_at_a_port_that_the_node_does_not_have) {
  const auto fabric = parse_topology(
      "Switch 8 \"S-0000000000000010\"\n[1] \"H-0000000000000030\"[1]\n\n"
      "Ca 1 \"H-0000000000000030\"\n[2] \"S-0000000000000010\"[2]\n",
      "netlist", "test");
  ASSERT_TRUE(fabric) << fabric.error().message();
  EXPECT_EQ(fabric->links().size(), 1U);
  ASSERT_FALSE(fabric->anomalies().empty());
  EXPECT_EQ(fabric->anomalies()[0].kind, model::AnomalyKind::kPortOutOfRange);
}

TEST(TopologyText, finds_a_port_that_has_two_lines_that_say_the_same) {
  const Fabric fabric = two_switches("", "[2] \"S-000000000000000a\"[2]");
  ASSERT_THAT(fabric.anomalies(), SizeIs(1));
  const model::Anomaly& anomaly = fabric.anomalies()[0];
  EXPECT_EQ(anomaly.kind, model::AnomalyKind::kPortCabledTwice);
  EXPECT_EQ(to_string(anomaly.where), "0x000000000000000b/2");
  EXPECT_EQ(anomaly.position->line, 8U);
}

TEST(TopologyText, keeps_the_first_of_two_blocks_with_one_guid) {
  const Fabric fabric = load("contradictions.topo");
  EXPECT_EQ(node(fabric, kHostTwo).description, "host two");
  EXPECT_EQ(port(fabric, kHostTwo, 1).lid, Lid{std::uint16_t{6}});
  EXPECT_EQ(peer(fabric, kHostTwo, 1), at(kSpine, 2));
}

TEST(TopologyText, reads_port_lists) {
  const Fabric fabric = load("ports.topo");
  ASSERT_THAT(fabric.nodes(), SizeIs(4));
  EXPECT_THAT(fabric.links(), SizeIs(4));
  EXPECT_THAT(fabric.anomalies(), IsEmpty());
  EXPECT_EQ(node(fabric, kLeaf).description, "leaf - 'A' - low");
  EXPECT_EQ(node(fabric, kLeaf).port_count, 8);
  EXPECT_EQ(port(fabric, kLeaf, 0).lid, Lid{std::uint16_t{4}});
  EXPECT_EQ(node(fabric, kSharp).kind, NodeKind::kAggregationNode);
  EXPECT_EQ(port(fabric, kLeaf, 4).rate, model::LinkRate{}) << "no cable, so no rate";
}

TEST(TopologyText, puts_consecutive_ports_of_one_adapter_together_in_port_lists) {
  const Fabric fabric = load("ports.topo");
  const Node& host = node(fabric, 0x0a00000000000101);
  EXPECT_EQ(host.port_count, 2);
  EXPECT_EQ(host.description, "host one");
  EXPECT_EQ(port(fabric, 0x0a00000000000101, 2).lid, Lid{std::uint16_t{21}});
}

TEST(TopologyText, names_a_peer_that_a_port_list_lacks) {
  const Fabric fabric = load("ports.topo");
  ASSERT_THAT(fabric.unresolved(), SizeIs(1));
  EXPECT_EQ(fabric.unresolved()[0].description, "gone");
}

TEST(TopologyText, reads_a_text_without_nodes_as_an_empty_fabric) {
  EXPECT_THAT(parse("").nodes(), IsEmpty());
  EXPECT_THAT(parse("#\n# Topology file\n\n").nodes(), IsEmpty());
}

struct BrokenText {
  std::string name;
  std::string text;
  std::string error;
};

class BrokenTopologyText : public testing::TestWithParam<BrokenText> {};

TEST_P(BrokenTopologyText, is_an_error_with_its_place) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().error));
}

const std::string kNode = "Switch 4 \"S-0000000000000010\" # \"leaf\" base port 0 lid 1 lmc 0\n";

INSTANTIATE_TEST_SUITE_P(
    TopologyText, BrokenTopologyText,
    testing::Values(
        BrokenText{"unknown_line", kNode + "\nwhat is this\n", "given:3: expected a node"},
        BrokenText{"multicast_lid",
                   "Switch 4 \"S-0000000000000010\" # \"leaf\" base port 0 lid 49152 lmc 0\n",
                   "given:1: expected a LID"},
        BrokenText{"port_before_node", "[1] \"S-1\"[1]\n", "given:1: expected a node before"},
        BrokenText{"cut_in_the_peer", kNode + "[1]\t\"H-00000000000",
                   "given:2: expected the id of the peer in quotes"},
        BrokenText{"cut_last_line", kNode + "[1]\t\"H-0000000000000100\"[",
                   "the text ends inside this line"},
        BrokenText{"cut_name", kNode + "[1]\t\"H-0000000000000100\"[1](1) # \"host",
                   "expected a name that ends with a quote"},
        BrokenText{"ends_before_node", kNode + "vendid=0x2c9\ncaguid=0x7\n",
                   "given:3: the text ends before the line of this node"},
        BrokenText{"no_guid", "Switch 8 \"Sw1\"\n", "given:1: the node \"Sw1\" has no GUID"},
        BrokenText{"port_zero", kNode + "[0] \"H-1\"[1]\n", "given:2: expected a port number"},
        BrokenText{"port_too_high", kNode + "[255] \"H-1\"[1]\n",
                   "given:2: expected a port number"},
        BrokenText{"node_without_ports", "Switch 0 \"S-1\"\n",
                   "given:1: expected a number of ports"},
        BrokenText{"bad_vendor", "vendid=0x1000000\n", "given:1: expected a vendor id"},
        BrokenText{"bad_device", "devid=zero\n", "given:1: expected a hexadecimal number"},
        BrokenText{"guid_too_long", "caguid=0x12345678901234567\n",
                   "given:1: expected a hexadecimal number"},
        BrokenText{"two_rates", kNode + "[1] \"H-1\"[1](1) # \"h\" lid 1 4xEDR 4xHDR\n",
                   "given:2: expected the end of the line at column 35"},
        BrokenText{"bad_lid", kNode + "[1] \"H-1\"[1](1) # \"h\" lid x 4xEDR\n",
                   "given:2: expected the peer's LID"},
        BrokenText{"ibsim_directive", "module \"Net1\"\n", "given:1: expected a node"},
        BrokenText{"block_in_port_list", "SW 4 1 0x20 4x SDR 'leaf'\n" + kNode,
                   "given:2: expected a port: type, LID, number and GUID"},
        BrokenText{"port_list_without_names", "SW 4 1 0x20 4x SDR - CA 1 1 0x30 ( 'a' )\n",
                   "given:1: expected the names"}),
    [](const auto& instance) { return instance.param.name; });

TEST(TopologyText, names_the_file_that_cannot_be_read) {
  const auto fabric = read_topology("/nonexistent/fabric.topo", "test");
  ASSERT_FALSE(fabric);
  EXPECT_EQ(fabric.error().code, model::Errc::kUnavailable);
  EXPECT_THAT(fabric.error().message(), HasSubstr("/nonexistent/fabric.topo: cannot be opened"));
}

}  // namespace
}  // namespace heddle::discovery
