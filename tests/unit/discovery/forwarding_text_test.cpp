#include "discovery/forwarding_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <string>

#include "model/fabric_builder.hpp"

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::ForwardingTables;
using model::Lid;
using model::NodeGuid;
using model::NodeKind;
using model::Port;
using model::PortGuid;
using model::PortNum;
using model::SwitchIndex;
using testing::HasSubstr;

constexpr SwitchIndex kFirst{0U};
constexpr SwitchIndex kSecond{1U};

Lid lid(unsigned value) { return Lid{static_cast<std::uint16_t>(value)}; }

model::Node node(std::uint64_t guid, NodeKind kind, std::uint8_t ports, std::string name) {
  model::Node made;
  made.guid = NodeGuid{guid};
  made.kind = kind;
  made.port_count = ports;
  made.description = std::move(name);
  return made;
}

/// Switches 0x10 (LID 1) and 0x20 (LID 2), a host 0x100 with LIDs 4 and 5 (LMC 1).
Fabric small_fabric() {
  model::FabricBuilder builder("test");
  for (const std::uint64_t guid : {std::uint64_t{0x10}, std::uint64_t{0x20}}) {
    builder.add_node(node(guid, NodeKind::kSwitch, 4, fmt::format("leaf {}", guid / 16)));
    Port port;
    port.guid = PortGuid{guid};
    port.lid = lid(static_cast<unsigned>(guid / 16));
    builder.set_port(NodeGuid{guid}, port);
  }
  const std::uint64_t host = 0x100;
  builder.add_node(node(host, NodeKind::kHostAdapter, 1, "host"));
  Port port;
  port.number = PortNum{std::uint8_t{1}};
  port.guid = PortGuid{host + 1};
  port.lid = lid(4);
  port.lmc = 1;
  builder.set_port(NodeGuid{host}, port);
  return std::move(builder).build();
}

const std::string kDump =
    "Unicast lids [0x0-0x5] of switch DR path slid 0; dlid 0; 0 guid 0x0000000000000010 (leaf 1):\n"
    "  Lid  Out   Destination\n"
    "       Port     Info \n"
    "0x0001 000 : (Switch portguid 0x0000000000000010: 'leaf 1')\n"
    "0x0002 003 : (Switch portguid 0x0000000000000020: 'leaf 2')\n"
    "0x0004 001 : (Channel Adapter portguid 0x0000000000000101: 'host')\n"
    "0x0005 002 : (path #2 out of 2: portguid 0x0000000000000101)\n"
    "4 valid lids dumped \n";

ForwardingTables parse(const std::string& text) {
  auto tables = parse_forwarding(text, "lfts", small_fabric());
  if (!tables) throw std::runtime_error(tables.error().message());
  return *std::move(tables);
}

TEST(ForwardingText, reads_entries_of_base_lids_and_of_further_paths) {
  const ForwardingTables tables = parse(kDump);
  EXPECT_EQ(tables.row_length(), 6U);
  EXPECT_EQ(tables.port(kFirst, lid(1)), PortNum{});
  EXPECT_EQ(tables.port(kFirst, lid(4)), PortNum{std::uint8_t{1}});
  EXPECT_EQ(tables.port(kFirst, lid(5)), PortNum{std::uint8_t{2}});
  EXPECT_EQ(tables.port(kFirst, lid(3)), std::nullopt);
}

TEST(ForwardingText, leaves_switches_that_are_not_in_the_text_unknown) {
  const ForwardingTables tables = parse(kDump);
  EXPECT_TRUE(tables.known(kFirst));
  EXPECT_FALSE(tables.known(kSecond));
}

TEST(ForwardingText, takes_entries_that_discard_as_no_port) {
  const ForwardingTables tables = parse(
      "Unicast lids [0x0-0x6] of switch Lid 1 guid 0x0000000000000010 (leaf):\n"
      "0x0000 255 : (path #0 - illegal port)\n0x0001 255 : (illegal port)\n"
      "0x0002 077 : (illegal port)\n0x0003 -\n0x0004 UNREACHABLE\n0x0006 004 \n"
      "6 lids dumped \n");
  for (const unsigned value : {0U, 1U, 2U, 3U, 4U}) {
    EXPECT_EQ(tables.port(kFirst, lid(value)), std::nullopt) << value;
  }
  EXPECT_EQ(tables.port(kFirst, lid(6)), PortNum{std::uint8_t{4}});
}

TEST(ForwardingText, reads_the_dump_that_opensm_writes_itself) {
  const ForwardingTables tables = parse(
      "Unicast lids [0-20] of switch Lid 3 guid 0x0000000000000020 ('leaf'):\r\n"
      "0x0003 000 # Switch portguid 0x0000000000000020: 'leaf'\r\n"
      "0x0004 001 # Channel Adapter portguid 0x0000000000000101: 'host'\r\n"
      "20 lids dumped\r\n");
  EXPECT_EQ(tables.row_length(), 21U);
  EXPECT_EQ(tables.port(kSecond, lid(4)), PortNum{std::uint8_t{1}});
}

TEST(ForwardingText, reads_brief_tables_without_counts) {
  const ForwardingTables tables =
      parse("# edited by hand\nUnicast lids [0x0-0x4] of switch guid 0x10 (leaf):\n0x0004 001\n");
  EXPECT_EQ(tables.port(kFirst, lid(4)), PortNum{std::uint8_t{1}});
}

struct BrokenText {
  std::string name;
  std::string text;
  std::string error;
};
class BrokenForwardingText : public testing::TestWithParam<BrokenText> {};

TEST_P(BrokenForwardingText, is_an_error_with_its_place) {
  const auto tables = parse_forwarding(GetParam().text, "lfts", small_fabric());
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message(), HasSubstr(GetParam().error));
}

const std::string kHead =
    "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x0000000000000010 (leaf):\n";

INSTANTIATE_TEST_SUITE_P(
    ForwardingText, BrokenForwardingText,
    testing::Values(
        BrokenText{"unknown_switch", "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x30 (x):\n",
                   "lfts:1: the fabric has no switch 0x0000000000000030"},
        BrokenText{"host_as_switch", "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x100 (x):\n",
                   "lfts:1: the fabric has no switch 0x0000000000000100"},
        BrokenText{"entry_first", "0x0001 000\n", "lfts:1: an entry before the line of its switch"},
        BrokenText{"port_too_high", kHead + "0x0001 005\n",
                   "lfts:2: port 5 of a switch that has 4"},
        BrokenText{"bad_lid", kHead + "0xc000 001\n", "lfts:2: expected a unicast LID"},
        BrokenText{"bad_port", kHead + "0x0001 one\n", "lfts:2: expected a port number"},
        BrokenText{"wrong_count", kHead + "0x0001 000\n2 valid lids dumped\n",
                   "lfts:3: 2 LIDs are announced, 1 are there"},
        BrokenText{"cut_table", kDump + "Unicast lids [0x0-0x5] of switch Lid 2 guid 0x20 (y):\n",
                   "lfts:9: the text ends inside the table"},
        BrokenText{"second_table", kDump + kDump, "lfts:9: a second table of switch"},
        BrokenText{"two_entries", kHead + "0x0001 000\n0x0001 001\n",
                   "lfts:1: LID 0x0001 has two entries"},
        BrokenText{"multicast", "Multicast mlids [0xc000-0xc3ff] of switch guid 0x10 (x):\n",
                   "lfts:1: expected a switch, an entry or a count"},
        BrokenText{"no_guid", "Unicast lids [0x0-0x5] of switch Lid 1 (x):\n",
                   "lfts:1: expected a range of LIDs and the GUID"}),
    [](const auto& instance) { return instance.param.name; });

TEST(ForwardingText, writes_what_dump_fts_writes) {
  EXPECT_EQ(format_forwarding(small_fabric(), parse(kDump)),
            "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x0000000000000010 (leaf 1):\n" +
                kDump.substr(kDump.find('\n') + 1));
}

TEST(ForwardingText, gives_back_random_tables) {
  const char* const given = std::getenv("HEDDLE_SEED");
  const std::uint64_t seed =
      given == nullptr ? std::random_device{}() : std::strtoull(given, nullptr, 0);
  SCOPED_TRACE(fmt::format("HEDDLE_SEED={}", seed));
  std::mt19937_64 random(seed);
  const Fabric fabric = small_fabric();
  for (int round = 0; round < 100; ++round) {
    ForwardingTables tables(2, lid(1U + static_cast<unsigned>(random() % 300)));
    for (const SwitchIndex sw : {kFirst, kSecond}) {
      tables.mark_known(sw);
      for (std::uint8_t& entry : tables.row(sw)) {
        const auto port = static_cast<std::uint8_t>(random() % 6);
        entry = port == 5 ? ForwardingTables::kNoPort : port;
      }
    }
    const auto back = parse_forwarding(format_forwarding(fabric, tables), "formatted", fabric);
    ASSERT_TRUE(back) << back.error().message();
    ASSERT_EQ(*back, tables);
  }
}

}  // namespace
}  // namespace heddle::discovery
