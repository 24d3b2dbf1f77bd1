#include <gtest/gtest.h>

#include "mad/smp.hpp"

namespace heddle::mad {
namespace {

using model::LinkRate;
using model::LinkSpeed;
using model::LinkWidth;
using model::PhysicalState;
using model::PortState;

constexpr model::PortNum kPort{std::uint8_t{7}};

struct SpeedCase {
  const char* name;
  std::uint8_t base;
  std::uint8_t ext;
  std::uint8_t ext2;
  LinkSpeed speed;
};

class ActiveSpeed : public testing::TestWithParam<SpeedCase> {};

TEST_P(ActiveSpeed, IsThatOfTheNewestFieldThatSaysSomething) {
  const PortInfo info{.port_state = 4,
                      .link_width_active = 2,
                      .link_speed_active = GetParam().base,
                      .link_speed_ext_active = GetParam().ext,
                      .link_speed_ext2_active = GetParam().ext2};
  EXPECT_EQ(to_port(info, kPort).rate, (LinkRate{LinkWidth::k4x, GetParam().speed}));
}

INSTANTIATE_TEST_SUITE_P(Codes, ActiveSpeed,
                         testing::Values(SpeedCase{"sdr", 1, 0, 0, LinkSpeed::kSdr},
                                         SpeedCase{"ddr", 2, 0, 0, LinkSpeed::kDdr},
                                         SpeedCase{"qdr", 4, 0, 0, LinkSpeed::kQdr},
                                         SpeedCase{"fdr", 4, 1, 0, LinkSpeed::kFdr},
                                         SpeedCase{"edr", 4, 2, 0, LinkSpeed::kEdr},
                                         SpeedCase{"hdr", 4, 4, 0, LinkSpeed::kHdr},
                                         SpeedCase{"ndr", 0, 8, 0, LinkSpeed::kNdr},
                                         SpeedCase{"xdr", 4, 8, 1, LinkSpeed::kXdr},
                                         SpeedCase{"nothing", 0, 0, 0, LinkSpeed::kUnknown},
                                         SpeedCase{"base_3", 3, 0, 0, LinkSpeed::kUnknown},
                                         SpeedCase{"base_8", 8, 0, 0, LinkSpeed::kUnknown},
                                         SpeedCase{"ext_3", 4, 3, 0, LinkSpeed::kUnknown},
                                         SpeedCase{"ext_15", 4, 15, 0, LinkSpeed::kUnknown},
                                         SpeedCase{"ext2_2", 4, 8, 2, LinkSpeed::kUnknown},
                                         SpeedCase{"ext2_3", 4, 8, 3, LinkSpeed::kUnknown}),
                         [](const auto& code) { return std::string(code.param.name); });

TEST(PortCodes, WidthsHaveTheirOwnCodesAndOthersAreUnknown) {
  const auto width = [](std::uint8_t code) {
    return to_port({.port_state = 4, .link_width_active = code}, kPort).rate.width;
  };
  EXPECT_EQ(width(1), LinkWidth::k1x);
  EXPECT_EQ(width(2), LinkWidth::k4x);
  EXPECT_EQ(width(4), LinkWidth::k8x);
  EXPECT_EQ(width(8), LinkWidth::k12x);
  EXPECT_EQ(width(16), LinkWidth::k2x);
  for (const int code : {0, 3, 32, 255}) {
    EXPECT_EQ(width(static_cast<std::uint8_t>(code)), LinkWidth::kUnknown) << code;
  }
}

TEST(PortCodes, StatesThatAreNotDefinedAreUnknown) {
  for (int code = 0; code < 16; ++code) {
    const model::Port port = to_port({.port_state = static_cast<std::uint8_t>(code),
                                      .physical_state = static_cast<std::uint8_t>(code)},
                                     kPort);
    EXPECT_EQ(port.state == PortState::kUnknown, code == 0 || code > 4) << code;
    EXPECT_EQ(port.physical_state == PhysicalState::kUnknown, code == 0 || code > 7) << code;
  }
  EXPECT_EQ(to_port({.port_state = 2}, kPort).state, PortState::kInit);
  EXPECT_EQ(to_port({.physical_state = 2}, kPort).physical_state, PhysicalState::kPolling);
  EXPECT_EQ(to_port({.physical_state = 6}, kPort).physical_state, PhysicalState::kErrorRecovery);
}

TEST(PortCodes, APortThatIsDownHasNoRate) {
  const PortInfo info{.port_state = 1, .link_width_active = 2, .link_speed_ext_active = 4};
  EXPECT_EQ(to_port(info, kPort).rate, LinkRate{});
}

TEST(PortCodes, SupportedAndEnabledSetsComeFromAllThreeFields) {
  const model::Port port = to_port({.link_width_enabled = 2,
                                    .link_width_supported = 0x1F,
                                    .link_speed_supported = 7,
                                    .link_speed_enabled = 5,
                                    .link_speed_ext_supported = 15,
                                    .link_speed_ext_enabled = 12,
                                    .link_speed_ext2_supported = 1,
                                    .link_speed_ext2_enabled = 1},
                                   kPort);
  for (const LinkSpeed speed :
       {LinkSpeed::kSdr, LinkSpeed::kDdr, LinkSpeed::kQdr, LinkSpeed::kFdr, LinkSpeed::kEdr,
        LinkSpeed::kHdr, LinkSpeed::kNdr, LinkSpeed::kXdr}) {
    EXPECT_TRUE(port.speeds_supported.contains(speed)) << to_string(speed);
  }
  EXPECT_FALSE(port.speeds_supported.contains(LinkSpeed::kFdr10));
  EXPECT_FALSE(port.speeds_enabled.contains(LinkSpeed::kDdr));
  EXPECT_FALSE(port.speeds_enabled.contains(LinkSpeed::kEdr));
  EXPECT_TRUE(port.speeds_enabled.contains(LinkSpeed::kHdr));
  EXPECT_EQ(port.speeds_enabled.best_common(port.speeds_supported), LinkSpeed::kXdr);
  EXPECT_TRUE(port.widths_supported.contains(LinkWidth::k2x));
  EXPECT_FALSE(port.widths_enabled.contains(LinkWidth::k1x));
  EXPECT_TRUE(port.widths_enabled.contains(LinkWidth::k4x));
}

TEST(PortCodes, AsSupportedAndDisabledAreNotTakenForBits) {
  const model::Port as_supported = to_port({.link_width_enabled = 255,
                                            .link_width_supported = 3,
                                            .link_speed_supported = 1,
                                            .link_speed_enabled = 15,
                                            .link_speed_ext_supported = 2,
                                            .link_speed_ext_enabled = 31},
                                           kPort);
  EXPECT_EQ(as_supported.speeds_enabled, as_supported.speeds_supported);
  EXPECT_EQ(as_supported.widths_enabled, as_supported.widths_supported);
  const model::Port disabled =
      to_port({.link_speed_ext_supported = 15, .link_speed_ext_enabled = 30}, kPort);
  EXPECT_TRUE(disabled.speeds_enabled.empty());
}

TEST(PortCodes, LidsThatAddressNothingAreNoLids) {
  EXPECT_FALSE(to_port({}, kPort).lid.has_value());
  EXPECT_FALSE(to_port({.lid = model::Lid{std::uint16_t{0xFFFF}}}, kPort).lid.has_value());
  EXPECT_FALSE(to_port({.lid = model::Lid{std::uint16_t{0xC001}}}, kPort).lid.has_value());
  EXPECT_EQ(to_port({.lid = model::Lid{std::uint16_t{0xBFFF}}}, kPort).lid,
            model::Lid{std::uint16_t{0xBFFF}});
}

TEST(PortCodes, MtuAndVlsAreNumbersNotCodes) {
  EXPECT_EQ(to_port({.neighbor_mtu = 1}, kPort).mtu_bytes, 256);
  EXPECT_EQ(to_port({.neighbor_mtu = 5}, kPort).mtu_bytes, 4096);
  EXPECT_EQ(to_port({.neighbor_mtu = 6}, kPort).mtu_bytes, std::nullopt);
  EXPECT_EQ(to_port({.operational_vls = 1}, kPort).operational_vls, 1);
  EXPECT_EQ(to_port({.operational_vls = 5}, kPort).operational_vls, 15);
  EXPECT_EQ(to_port({.operational_vls = 9}, kPort).operational_vls, std::nullopt);
}

TEST(PortCodes, APortSurvivesTheWayToTheWireAndBack) {
  for (const LinkSpeed speed : {LinkSpeed::kSdr, LinkSpeed::kQdr, LinkSpeed::kEdr, LinkSpeed::kHdr,
                                LinkSpeed::kNdr, LinkSpeed::kXdr}) {
    model::Port port;
    port.number = kPort;
    port.lmc = 2;
    port.state = PortState::kActive;
    port.physical_state = PhysicalState::kLinkUp;
    port.is_subnet_manager = true;
    port.operational_vls = 4;
    port.mtu_bytes = 4096;
    port.rate = {LinkWidth::k2x, speed};
    for (const LinkSpeed s : {LinkSpeed::kSdr, LinkSpeed::kEdr, LinkSpeed::kXdr, speed}) {
      port.speeds_supported.insert(s);
    }
    port.speeds_enabled.insert(speed);
    port.widths_supported.insert(LinkWidth::k4x);
    port.widths_supported.insert(LinkWidth::k2x);
    port.widths_enabled.insert(LinkWidth::k2x);
    port.lid = model::Lid{std::uint16_t{0x1234}};
    std::array<std::uint8_t, kSmpDataSize> data{};
    to_wire(to_port_info(port), data);
    EXPECT_EQ(to_port(port_info_from_wire(data), kPort), port) << to_string(speed);
  }
}

TEST(PortCodes, Fdr10ShowsAsQdrInPortInfo) {
  model::Port port;
  port.state = PortState::kActive;
  port.rate = {LinkWidth::k4x, LinkSpeed::kFdr10};
  EXPECT_EQ(to_port(to_port_info(port), kPort).rate, (LinkRate{LinkWidth::k4x, LinkSpeed::kQdr}));
}

}  // namespace
}  // namespace heddle::mad
