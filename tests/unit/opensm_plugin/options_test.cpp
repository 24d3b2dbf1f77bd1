#include "plugins/opensm/options.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace heddle::plugin {
namespace {

using testing::HasSubstr;

Options good(std::string_view text) {
  const model::Result<Options> options = parse_options(text);
  EXPECT_TRUE(options) << text << ": " << options.error().text;
  return options ? *options : Options{};
}

/// The reason of a refusal.
std::string bad(std::string_view text) {
  const model::Result<Options> options = parse_options(text);
  EXPECT_FALSE(options) << text;
  if (options) return {};
  EXPECT_EQ(options.error().code, model::Errc::kInvalidInput);
  return options.error().text;
}

TEST(OptionsTest, NothingButBlanksLeavesTheDefaults) {
  for (const std::string_view text : {"", " ", "\t\n \r\n"}) {
    const Options options = good(text);
    EXPECT_EQ(options.engine, std::nullopt);
    EXPECT_EQ(options.max_lanes, 8);
    EXPECT_EQ(options.threads, 0);
    EXPECT_EQ(options.socket, "/run/heddle/opensm.sock");
    EXPECT_FALSE(options.test_fail);
    EXPECT_EQ(options.fast_repair, RepairMode::kObserve);
    EXPECT_EQ(options.fast_repair_file, "");
    EXPECT_EQ(options.repair_log, "");
  }
}

TEST(OptionsTest, FastRepairHasThreeModesAndItsFilesAbsolutePaths) {
  EXPECT_EQ(good("fast_repair=off").fast_repair, RepairMode::kOff);
  EXPECT_EQ(good("fast_repair=observe").fast_repair, RepairMode::kObserve);
  const Options options = good("fast_repair=on fast_repair_file=/run/mode repair_log=/tmp/log");
  EXPECT_EQ(options.fast_repair, RepairMode::kOn);
  EXPECT_EQ(options.fast_repair_file, "/run/mode");
  EXPECT_EQ(options.repair_log, "/tmp/log");
  EXPECT_THAT(bad("fast_repair=yes"), HasSubstr("fast_repair=yes: neither off nor observe nor on"));
  EXPECT_THAT(bad("fast_repair="), HasSubstr("fast_repair=: neither"));
  EXPECT_THAT(bad("repair_log=log"), HasSubstr("repair_log=log: no absolute path"));
  EXPECT_THAT(bad("fast_repair_file="), HasSubstr("fast_repair_file=: no absolute path"));
}

TEST(OptionsTest, EveryKeyIsRead) {
  const Options options = good("  engine=layered\tmax_lanes=3 threads=7\n test_fail=1 ");
  EXPECT_EQ(options.engine, routing::Engine::kLayered);
  EXPECT_EQ(options.max_lanes, 3);
  EXPECT_EQ(options.threads, 7);
  EXPECT_TRUE(options.test_fail);
}

TEST(OptionsTest, EveryEngineThatIsDocumentedHasItsName) {
  for (const std::string_view name :
       {"fat-tree", "dragonfly", "dragonfly-plus", "hybrid", "up-down", "layered"}) {
    const Options options = good("engine=" + std::string(name));
    ASSERT_TRUE(options.engine) << name;
    EXPECT_EQ(routing::to_string(*options.engine), name);
  }
  EXPECT_EQ(good("engine=layered engine=auto").engine, std::nullopt);
}

TEST(OptionsTest, TheSocketIsAPathThatFitsOrNone) {
  EXPECT_EQ(good("socket=/tmp/s").socket, "/tmp/s");
  EXPECT_EQ(good("socket=none").socket, "");
  EXPECT_THAT(bad("socket=s"), HasSubstr("socket=s: neither an absolute path"));
  EXPECT_THAT(bad("socket="), HasSubstr("neither"));
  const std::string longest = "/" + std::string(106, 'x');
  EXPECT_EQ(good("socket=" + longest).socket, longest);
  EXPECT_THAT(bad("socket=" + longest + "x"), HasSubstr("at most 107 octets"));
}

TEST(OptionsTest, TheLastWordOfAKeyHolds) {
  EXPECT_EQ(good("max_lanes=3 max_lanes=5").max_lanes, 5);
}

TEST(OptionsTest, LimitsAreTakenAndNothingBeyondThem) {
  EXPECT_EQ(good("max_lanes=1").max_lanes, 1);
  EXPECT_EQ(good("max_lanes=15").max_lanes, 15);
  EXPECT_EQ(good("threads=0").threads, 0);
  EXPECT_EQ(good("threads=1024").threads, 1024);
  EXPECT_FALSE(good("test_fail=0").test_fail);
  EXPECT_THAT(bad("max_lanes=0"), HasSubstr("max_lanes=0: not a number from 1 to 15"));
  EXPECT_THAT(bad("max_lanes=16"), HasSubstr("from 1 to 15"));
  EXPECT_THAT(bad("threads=1025"), HasSubstr("threads=1025: not a number from 0 to 1024"));
  EXPECT_THAT(bad("test_fail=2"), HasSubstr("test_fail=2: not a number from 0 to 1"));
}

TEST(OptionsTest, WhatIsNoPlainNumberIsNamed) {
  for (const std::string_view value :
       {"", "many", "-1", "+1", "0x4", "4.0", "4,", "256", "65537", "18446744073709551617"}) {
    const std::string word = "max_lanes=" + std::string(value);
    EXPECT_THAT(bad(word), HasSubstr(word + ": not a number")) << value;
  }
}

TEST(OptionsTest, WordsThatAreNoOptionsAreNamed) {
  EXPECT_THAT(bad("max-lanes=3"), HasSubstr("'max-lanes': no such option"));
  EXPECT_THAT(bad("=3"), HasSubstr("'': no such option"));
  EXPECT_THAT(bad("Engine=auto"), HasSubstr("'Engine': no such option"));
  EXPECT_THAT(bad("auto"), HasSubstr("'auto': not of the form key=value"));
  EXPECT_THAT(bad("max_lanes = 3"), HasSubstr("'max_lanes': not of the form key=value"));
  EXPECT_THAT(bad("engine=minhop"), HasSubstr("engine=minhop: no engine has that name"));
  EXPECT_THAT(bad("engine="), HasSubstr("engine=: no engine has that name"));
  EXPECT_THAT(bad("engine=auto threads=2 oops"), HasSubstr("'oops'"));
}

}  // namespace
}  // namespace heddle::plugin
