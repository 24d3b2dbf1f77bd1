#include "mad/mad.hpp"

#include <gtest/gtest.h>

#include "field_tables.hpp"

namespace heddle::mad {
namespace {

model::PortNum port(int number) { return model::PortNum{static_cast<std::uint8_t>(number)}; }

TEST(MadHeader, IsWhereLibibmadHasIt) {
  std::mt19937_64 random = test::random_source();
  for (int round = 0; round < 200; ++round) {
    const Header header{.base_version = static_cast<std::uint8_t>(random()),
                        .management_class = 0x04,
                        .class_version = static_cast<std::uint8_t>(random()),
                        .method = static_cast<std::uint8_t>(random()),
                        .status = static_cast<std::uint16_t>(random()),
                        .transaction_id = random(),
                        .attribute = static_cast<std::uint16_t>(random()),
                        .modifier = static_cast<std::uint32_t>(random())};
    MadBytes bytes{};
    header_to_wire(header, bytes);
    const auto get = [&](MAD_FIELDS field) { return mad_get_field(bytes.data(), 0, field); };
    EXPECT_EQ(get(IB_MAD_BASEVER_F), header.base_version);
    EXPECT_EQ(get(IB_MAD_MGMTCLASS_F), header.management_class);
    EXPECT_EQ(get(IB_MAD_CLASSVER_F), header.class_version);
    EXPECT_EQ(get(IB_MAD_RESPONSE_F) << 7 | get(IB_MAD_METHOD_F), header.method);
    EXPECT_EQ(get(IB_MAD_STATUS_F), header.status);
    EXPECT_EQ(mad_get_field64(bytes.data(), 0, IB_MAD_TRID_F), header.transaction_id);
    EXPECT_EQ(get(IB_MAD_ATTRID_F), header.attribute);
    EXPECT_EQ(get(IB_MAD_ATTRMOD_F), header.modifier);
    EXPECT_EQ(header_from_wire(bytes), header);
  }
}

TEST(MadHeader, ShowsTheStatusOfADirectedAnswerWithoutItsDirectionBit) {
  const Header header{.management_class = 0x81, .method = 0x81, .status = 0x001C};
  MadBytes bytes{};
  header_to_wire(header, bytes);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_DIRECTION_F), 1U);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_STATUS_F), 0x001CU);
  EXPECT_EQ(header_from_wire(bytes), header);
}

TEST(MadHeader, HasNoDirectionBitInADirectedRequest) {
  MadBytes bytes{};
  header_to_wire({.management_class = 0x81, .method = 0x01}, bytes);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_DIRECTION_F), 0U);
}

TEST(DirectedRoute, IsWrittenBehindAReservedFirstHop) {
  const DirectedRoute route = DirectedRoute{}.then(port(1)).then(port(36)).then(port(255));
  MadBytes bytes;
  bytes.fill(0xAA);
  route_to_wire(route, bytes);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_HOPCNT_F), 3U);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_HOPPTR_F), 0U);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_DRDLID_F), 0xFFFFU);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_DRSMP_DRSLID_F), 0xFFFFU);
  std::array<std::uint8_t, 64> path{};
  mad_get_array(bytes.data(), 0, IB_DRSMP_PATH_F, path.data());
  EXPECT_EQ(path[0], 0);
  EXPECT_EQ(path[1], 1);
  EXPECT_EQ(path[2], 36);
  EXPECT_EQ(path[3], 255);
  EXPECT_EQ(path[4], 0);
  EXPECT_EQ(route_from_wire(bytes), route);
}

TEST(DirectedRoute, MayHave63HopsAndNoMoreFromTheWire) {
  DirectedRoute route;
  while (route.hops() < DirectedRoute::kMaxHops) route = route.then(port(3));
  MadBytes bytes{};
  route_to_wire(route, bytes);
  EXPECT_EQ(route_from_wire(bytes), route);
  bytes[7] = 64;
  EXPECT_FALSE(route_from_wire(bytes).has_value());
  bytes[7] = 255;
  EXPECT_FALSE(route_from_wire(bytes).has_value());
}

TEST(MadStatus, IsExplained) {
  EXPECT_EQ(describe_status(0x001C), "status 0x001c: invalid attribute or modifier");
  EXPECT_EQ(describe_status(0x000C), "status 0x000c: attribute not supported with this method");
  EXPECT_EQ(describe_status(0x0001), "status 0x0001: busy");
  EXPECT_EQ(describe_status(0x0002), "status 0x0002: redirection required");
  EXPECT_EQ(describe_status(0x0100), "status 0x0100");
}

}  // namespace
}  // namespace heddle::mad
