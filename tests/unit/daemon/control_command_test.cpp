#include "daemon/control_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::daemon {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using What = ControlCommand::What;

constexpr model::PortKey kEnd{model::NodeGuid{std::uint64_t{0x10}},
                              model::PortNum{std::uint8_t{3}}};

TEST(ControlCommand, TakesWhatTheCommandLineSends) {
  EXPECT_EQ(parse_control("drain 0x10/3"), (ControlCommand{What::kDrain, kEnd, 0, {}}));
  EXPECT_EQ(parse_control("drain 0x0000000000000010/3 percent=50 seconds=600"),
            (ControlCommand{What::kDrain, kEnd, 50, seconds{600}}));
  EXPECT_EQ(parse_control("undrain 0x10/3"), (ControlCommand{What::kUndrain, kEnd, 0, {}}));
}

struct BadCase {
  const char* line;
  const char* error;
};
class ControlCommandRefuses : public testing::TestWithParam<BadCase> {};

TEST_P(ControlCommandRefuses, WithTheReason) {
  const auto parsed = parse_control(GetParam().line);
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, ControlCommandRefuses,
    testing::Values(BadCase{"", "no command"}, BadCase{"reboot 0x10/3", "no such command"},
                    BadCase{"drain", "no link"}, BadCase{"drain 0x10", "0x10"},
                    BadCase{"drain 0x10/3 percent=100", "percent is not a number from 0 to 99"},
                    BadCase{"drain 0x10/3 percent=", "percent"},
                    BadCase{"drain 0x10/3 seconds=0", "seconds is not"},
                    BadCase{"drain 0x10/3 seconds=99999999999", "seconds is not"},
                    BadCase{"drain 0x10/3 now", "'now': no such option"},
                    BadCase{"undrain 0x10/3 percent=1", "undrain takes a link alone"}));

}  // namespace
}  // namespace heddle::daemon
