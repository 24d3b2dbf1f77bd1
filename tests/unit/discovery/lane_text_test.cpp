#include "discovery/lane_text.hpp"

#include <gmock/gmock.h>

#include <string>

#include "model/fabric_builder.hpp"

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::Lid;
using model::NodeGuid;
using model::PortNum;
using model::Sl;
using model::SlToVl;
using testing::HasSubstr;

Lid lid(unsigned value) { return Lid{static_cast<std::uint16_t>(value)}; }
Sl sl(unsigned value) { return Sl{static_cast<std::uint8_t>(value)}; }
PortNum port(unsigned value) { return PortNum{static_cast<std::uint8_t>(value)}; }

/// Switch 0x10 of 4 ports with LID 1, hosts with LIDs 2 and 3.
Fabric small_fabric() {
  model::FabricBuilder builder("test");
  const auto add = [&builder](std::uint64_t guid, model::NodeKind kind, std::uint8_t ports,
                              unsigned with_lid) {
    model::Node node;
    node.guid = NodeGuid{guid};
    node.kind = kind;
    node.port_count = ports;
    builder.add_node(node);
    model::Port end;
    end.number = port(kind == model::NodeKind::kSwitch ? 0 : 1);
    end.lid = lid(with_lid);
    builder.set_port(node.guid, end);
  };
  add(0x10, model::NodeKind::kSwitch, 4, 1);
  add(0x20, model::NodeKind::kHostAdapter, 1, 2);
  add(0x30, model::NodeKind::kHostAdapter, 1, 3);
  return std::move(builder).build();
}

std::string error_of_levels(const std::string& text) {
  const auto parsed = parse_path_levels(text, "f", small_fabric(), Strangers::kRefuse);
  return parsed ? "no error" : parsed.error().message();
}

std::string error_of_maps(const std::string& text) {
  const auto parsed = parse_sl_to_vl(text, "f", small_fabric(), Strangers::kRefuse);
  return parsed ? "no error" : parsed.error().message();
}

TEST(PathLevelText, IsReadInEitherBaseAndSorted) {
  const auto levels =
      parse_path_levels("# of the new tables\n\n0x3 2 1\n  2\t3 0x2 # back\r\n3 2 1\n", "f",
                        small_fabric(), Strangers::kRefuse);
  ASSERT_TRUE(levels) << levels.error().message();
  EXPECT_THAT(*levels, testing::ElementsAre(PathLevel{lid(2), lid(3), sl(2)},
                                            PathLevel{lid(3), lid(2), sl(1)}));
  std::string text;
  for (const PathLevel& level : *levels) append_path_level(text, level);
  EXPECT_EQ(text, "2 3 2\n3 2 1\n");
}

TEST(PathLevelText, NamesThePlaceOfWhatCannotBe) {
  EXPECT_EQ(error_of_levels("2 3 1\n2 3 16\n"),
            "f:2: expected a service level from 0 to 15 at column 5, found '16'");
  EXPECT_THAT(error_of_levels("\n2 0xc000 1\n"),
              HasSubstr("f:2: expected the LID of a destination"));
  EXPECT_EQ(error_of_levels("0 3 1\n"), "f:1: LID 0 is nobody's");
  EXPECT_THAT(error_of_levels("2 3\n"), HasSubstr("f:1: expected a service level"));
  EXPECT_THAT(error_of_levels("2 3 1 1\n"), HasSubstr("f:1: expected the end of the line"));
  EXPECT_THAT(error_of_levels("-2 3 1\n"), HasSubstr("f:1: expected the LID of a source"));
  EXPECT_THAT(error_of_levels("0x 3 1\n"), HasSubstr("f:1: expected the LID of a source"));
  EXPECT_EQ(error_of_levels("# a\n2 9 1\n"), "f:2: no port of the fabric has LID 9");
  EXPECT_EQ(error_of_levels("2 3 1\n3 2 1\n2 3 0\n"),
            "f:3: LID 2 to 3 has service level 0 here and 1 in line 1");
}

TEST(PathLevelText, OfAFabricThatHadMoreIsReadWithoutTheRest) {
  const auto levels = parse_path_levels("2 9 1\n2 3 1\n", "f", small_fabric(), Strangers::kSkip);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->size(), 1U);
}

TEST(SlToVlText, IsReadAsItIsWritten) {
  SlToVl mapping{};
  for (std::uint8_t i = 0; i < 16; ++i) mapping[i] = static_cast<std::uint8_t>(15 - i);
  std::string text;
  append_sl_to_vl(text, {NodeGuid{std::uint64_t{0x10}}, port(4), port(0)}, mapping);
  EXPECT_EQ(text, "0x0000000000000010 4 0 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0\n");
  const auto tables = parse_sl_to_vl(text + "# end\n", "f", small_fabric(), Strangers::kRefuse);
  ASSERT_TRUE(tables) << tables.error().message();
  EXPECT_EQ(tables->size(), 1U);
  const SlToVl* const found = tables->find(NodeGuid{std::uint64_t{0x10}}, port(4), port(0));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, mapping);
}

TEST(SlToVlText, NamesThePlaceOfWhatCannotBe) {
  const std::string lanes = " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15";
  EXPECT_EQ(error_of_maps("0x11 1 2" + lanes + "\n"),
            "f:1: the fabric has no switch 0x0000000000000011");
  EXPECT_THAT(error_of_maps("0x20 1 1" + lanes + "\n"), HasSubstr("f:1: the fabric has no switch"));
  EXPECT_EQ(error_of_maps("0x10 1 5" + lanes + "\n"), "f:1: port 5 of a switch that has 4");
  EXPECT_THAT(error_of_maps("\n0x10 1 2 0 1 2\n"), HasSubstr("f:2: expected 16 virtual lanes"));
  EXPECT_THAT(error_of_maps("0x10 1 2" + lanes + " 0\n"),
              HasSubstr("f:1: expected the end of the line"));
  EXPECT_THAT(error_of_maps("0x10 1 2 16" + lanes + "\n"), HasSubstr("found '16 0 1"));
  EXPECT_THAT(error_of_maps("switch 1 2" + lanes + "\n"),
              HasSubstr("f:1: expected the GUID of a switch"));
  EXPECT_THAT(error_of_maps("0x10 1 2" + lanes + "\n0x10 1 2 1" + lanes.substr(2) + "\n"),
              HasSubstr("f:2: another mapping for switch 0x0000000000000010 from port 1"));
  EXPECT_EQ(error_of_maps("0x10 1 2" + lanes + "\n0x10 1 2" + lanes + "\n"), "no error");
}

}  // namespace
}  // namespace heddle::discovery
