#include "plugins/opensm/options.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "support/paths.hpp"

namespace heddle::plugin {
namespace {

using testing::HasSubstr;

/// For words that name no file.
model::Result<std::string> no_file(const std::string& path) {
  ADD_FAILURE() << path << " is read";
  return model::fail(model::Errc::kUnavailable, "none");
}

Options good(std::string_view text, const ReadOptions& read = no_file) {
  const model::Result<Options> options = parse_options(text, read);
  EXPECT_TRUE(options) << text << ": " << options.error().text;
  return options ? *options : Options{};
}

/// The reason of a refusal.
std::string bad(std::string_view text, const ReadOptions& read = no_file) {
  const model::Result<Options> options = parse_options(text, read);
  EXPECT_FALSE(options) << text;
  if (options) return {};
  EXPECT_EQ(options.error().code, model::Errc::kInvalidInput);
  return options.error().message();
}

/// One file, /etc/h.conf, that holds `text`.
ReadOptions file_of(const std::string& text) {
  return [text](const std::string& path) -> model::Result<std::string> {
    EXPECT_EQ(path, "/etc/h.conf");
    return text;
  };
}

/// A text of the checkout.
std::string checkout_text(std::string_view path) {
  std::ifstream in(support::checkout_path(path));
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Where what follows `begin` in a line of `text` up to `end` is a word of small letters and `_`.
std::set<std::string> keys_in(const std::string& text, const std::string& begin,
                              const std::string& end) {
  std::set<std::string> keys;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t stop = line.find(end, begin.size());
    if (!line.starts_with(begin) || stop == std::string::npos) continue;
    const std::string key = line.substr(begin.size(), stop - begin.size());
    if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos) keys.insert(key);
  }
  return keys;
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
    EXPECT_EQ(options.places, std::nullopt);
  }
}

TEST(OptionsTest, PlacesHaveAnAbsolutePathOrNone) {
  EXPECT_EQ(good("places=/var/p").places, "/var/p");
  EXPECT_EQ(good("places=none").places, "");
  EXPECT_THAT(bad("places=p"), HasSubstr("places=p: neither an absolute path nor 'none'"));
  EXPECT_THAT(bad("places="), HasSubstr("places=: neither"));
}

TEST(OptionsTest, AFileHoldsWordsOnLinesAndComments) {
  const Options options = good("config=/etc/h.conf", file_of("# all of it\n"
                                                             "\tmax_lanes=3 threads=7 # or 8\r\n"
                                                             "\n"
                                                             "#engine=layered\n"
                                                             "places=/var/a#b"));
  EXPECT_EQ(options.max_lanes, 3);
  EXPECT_EQ(options.threads, 7);
  EXPECT_EQ(options.engine, std::nullopt);
  EXPECT_EQ(options.places, "/var/a#b");
  EXPECT_EQ(good("config=/etc/h.conf", file_of("")).max_lanes, 8);
}

TEST(OptionsTest, WordsOutsideTheFileHoldOverIt) {
  const ReadOptions file = file_of("max_lanes=3\nthreads=7\n");
  for (const std::string_view text :
       {"config=/etc/h.conf max_lanes=5", "max_lanes=5 config=/etc/h.conf"}) {
    EXPECT_EQ(good(text, file).max_lanes, 5) << text;
    EXPECT_EQ(good(text, file).threads, 7) << text;
  }
  EXPECT_EQ(good("config=/etc/other config=/etc/h.conf", file).max_lanes, 3);
  EXPECT_EQ(good("config=/etc/h.conf config=none").max_lanes, 8);
}

TEST(OptionsTest, AnErrorInAFileNamesItsLine) {
  const auto error = [](const std::string& text) {
    return bad("config=/etc/h.conf", file_of(text));
  };
  EXPECT_EQ(error("threads=1\n\nthreads=2 max_lanes=many\n"),
            "/etc/h.conf:3: max_lanes=many: not a number from 1 to 15");
  EXPECT_EQ(error("oops"), "/etc/h.conf:1: 'oops': not of the form key=value");
  EXPECT_EQ(error("config=/etc/h.conf"),
            "/etc/h.conf:1: 'config=/etc/h.conf': a file names no other");
  EXPECT_EQ(bad("threads=x config=/etc/h.conf"), "threads=x: not a number from 0 to 1024");
  EXPECT_THAT(bad("config=h.conf"), HasSubstr("config=h.conf: neither an absolute path"));
  EXPECT_THAT(bad("config="), HasSubstr("config=: neither"));
}

TEST(OptionsTest, AFileThatCannotBeReadIsAnError) {
  const model::Result<Options> options = parse_options("config=/nowhere", [](const auto& path) {
    return model::Result<std::string>(
        model::fail(model::Errc::kUnavailable, path + ": cannot be opened"));
  });
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message(), "/nowhere: cannot be opened");
}

void expect_defaults(const Options& options) {
  const Options fresh;
  EXPECT_EQ(options.engine, fresh.engine);
  EXPECT_EQ(options.max_lanes, fresh.max_lanes);
  EXPECT_EQ(options.threads, fresh.threads);
  EXPECT_EQ(options.socket, fresh.socket);
  EXPECT_EQ(options.test_fail, fresh.test_fail);
  EXPECT_EQ(options.test_deaf, fresh.test_deaf);
  EXPECT_EQ(options.fast_repair, fresh.fast_repair);
  EXPECT_EQ(options.fast_repair_file, fresh.fast_repair_file);
  EXPECT_EQ(options.repair_log, fresh.repair_log);
}

TEST(OptionsTest, TheSampleSaysNothingAndItsCommentsTheDefaults) {
  const std::string sample = checkout_text("config/opensm-plugin.conf");
  const Options as_it_is = good("config=/etc/h.conf", file_of(sample));
  expect_defaults(as_it_is);
  EXPECT_EQ(as_it_is.places, std::nullopt);
  std::string active;
  for (const std::string& key : keys_in(sample, "#", "=")) {
    const std::size_t begin = sample.find("\n#" + key + "=") + 2;
    active += sample.substr(begin, sample.find('\n', begin) - begin) + "\n";
  }
  const Options of_comments = good("config=/etc/h.conf", file_of(active));
  expect_defaults(of_comments);
  EXPECT_EQ(of_comments.places, "/var/cache/opensm/heddle-places");
}

TEST(OptionsTest, TheSampleAndTheTableOfTheManualHaveTheSameOptions) {
  std::set<std::string> documented = keys_in(checkout_text("docs/opensm-plugin.md"), "| `", "` |");
  EXPECT_EQ(documented.erase("config"), 1U);
  EXPECT_EQ(keys_in(checkout_text("config/opensm-plugin.conf"), "#", "="), documented);
  EXPECT_GE(documented.size(), 10U);
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
  EXPECT_THAT(bad("repair_log=log"),
              HasSubstr("repair_log=log: neither an absolute path nor 'none'"));
  EXPECT_THAT(bad("fast_repair_file="), HasSubstr("fast_repair_file=: neither"));
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
