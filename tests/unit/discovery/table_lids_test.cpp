#include "discovery/table_lids.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"
#include "support/topologies.hpp"

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::Lid;
using model::NodeGuid;
using model::PortNum;
using testing::HasSubstr;

/// Tables of a fabric in which every LID has an entry at every switch.
std::string tables_of(const Fabric& fabric) {
  Lid top{};
  for (const model::Port& port : fabric.ports()) {
    if (!port.lid) continue;
    const unsigned last = port.lid->value() + (1U << port.lmc) - 1U;
    top = std::max(top, Lid{static_cast<std::uint16_t>(last)});
  }
  model::ForwardingTables tables(fabric.switches().size(), top);
  for (std::uint32_t s = 0; s < fabric.switches().size(); ++s) {
    tables.mark_known(model::SwitchIndex{s});
    for (std::uint16_t lid = 1; lid <= top.value(); ++lid) {
      if (fabric.find_lid(Lid{lid})) tables.row(model::SwitchIndex{s})[lid] = 1;
    }
  }
  return format_forwarding(fabric, tables);
}

bool same_lids(const Fabric& a, const Fabric& b) {
  if (a.ports().size() != b.ports().size()) return false;
  for (std::size_t i = 0; i < a.ports().size(); ++i) {
    if (a.ports()[i].lid != b.ports()[i].lid || a.ports()[i].lmc != b.ports()[i].lmc) return false;
  }
  return true;
}

TEST(TableLids, GivesAFabricWithoutLidsThoseThatTheTablesName) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const Fabric with = support::assign_lids(support::hybrid_two_homed(), lmc);
    const auto made = add_table_lids(support::hybrid_two_homed(), tables_of(with), "f");
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_TRUE(same_lids(*made, with));
    EXPECT_EQ(made->links().size(), with.links().size());
  }
}

TEST(TableLids, LeavesAFabricAsItIsWhereBothAgree) {
  const Fabric with = support::assign_lids(support::ft2_k4());
  const auto made = add_table_lids(with, tables_of(with), "f");
  ASSERT_TRUE(made);
  EXPECT_TRUE(same_lids(*made, with));
}

TEST(TableLids, RefusesTablesOfAnotherNumbering) {
  const Fabric with = support::assign_lids(support::ft2_k4());
  const Fabric other = support::assign_lids(support::ft2_k4(), 1);
  const auto made = add_table_lids(with, tables_of(other), "f");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("f:4: LID 2 is that of port GUID"));
}

TEST(TableLids, SaysWhatIsMissingWhereNothingNamesALid) {
  const std::string text =
      "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0002c90000000000 (leaf):\n"
      "0x0001 000\n0x0002 001\n2 valid lids dumped\n";
  const auto made = add_table_lids(support::ft2_k4(), text, "f");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("f:1: nothing says whose the LIDs are"));
}

TEST(TableLids, RefusesLidsOfAPortThatAreNoRange) {
  const Fabric bare = support::two_switches();
  const std::string guid = fmt::format("{}", *bare.port(model::PortIndex{0U}).guid);
  const auto notes = [&guid](std::initializer_list<unsigned> lids) {
    std::string text;
    for (const unsigned lid : lids) {
      text += fmt::format("0x{:04x} 001 : (Channel Adapter portguid {}: 'h')\n", lid, guid);
    }
    return text;
  };
  EXPECT_TRUE(add_table_lids(bare, notes({4, 5, 6, 7}), "f"));
  for (const auto& lids : {notes({4, 5, 6}), notes({4, 6}), notes({5, 6})}) {
    const auto made = add_table_lids(bare, lids, "f");
    ASSERT_FALSE(made) << lids;
    EXPECT_THAT(made.error().message(), HasSubstr("f:1: the "));
    EXPECT_THAT(made.error().message(), HasSubstr("are no range of an LMC"));
  }
}

TEST(TableLids, PassesOverPortsThatAreGone) {
  const Fabric bare = support::two_switches();
  const std::string guid = fmt::format("{}", *bare.port(model::PortIndex{0U}).guid);
  const auto made = add_table_lids(
      bare,
      "0x0009 001 : (Switch portguid 0xdead: 'gone')\n0x0004 001 : (x portguid " + guid + ")\n",
      "f");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->port(model::PortIndex{0U}).lid, Lid{std::uint16_t{4}});
}

TEST(ForwardingTextOfBefore, IsReadWithoutTheTablesOfSwitchesThatAreGone) {
  const Fabric whole = support::assign_lids(support::two_switches());
  const std::string text = tables_of(whole);
  const auto rest = parse_topology(
      "Switch 4 \"S-" + fmt::format("{:016x}", whole.node(whole.switches()[1]).guid.value()) +
          "\" # \"leaf\" base port 0 lid 6 lmc 0\n",
      "t", "t");
  ASSERT_TRUE(rest);
  EXPECT_FALSE(parse_forwarding(text, "f", *rest));
  const auto tables = parse_forwarding(text, "f", *rest, Strangers::kSkip);
  ASSERT_TRUE(tables) << tables.error().message();
  EXPECT_TRUE(tables->known(model::SwitchIndex{0U}));
  EXPECT_EQ(tables->port(model::SwitchIndex{0U}, Lid{std::uint16_t{1}}), PortNum{std::uint8_t{1}});
}

}  // namespace
}  // namespace heddle::discovery
