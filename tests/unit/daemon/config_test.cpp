#include "daemon/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "support/paths.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> messages(const ParsedConfig& parsed) {
  std::vector<std::string> texts;
  for (const model::Error& error : parsed.errors) texts.push_back(error.message());
  return texts;
}

std::vector<std::string> errors_of(std::string_view text) {
  return messages(parse_config(text, "f.yaml"));
}

std::string file_text(const std::string& name) {
  std::ifstream in(support::checkout_path("config") / name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Config, AnEmptyFileMeansTheDefaults) {
  for (const char* text : {"", "\n# nothing\n", "device:\nperiods:\n", "{}"}) {
    const ParsedConfig parsed = parse_config(text, "f.yaml");
    EXPECT_THAT(messages(parsed), IsEmpty()) << text;
    EXPECT_THAT(changes(parsed.config, Config{}).live, IsEmpty());
    EXPECT_EQ(parsed.config.listen.port, 9840);
  }
}

TEST(Config, EveryKeyIsTaken) {
  const ParsedConfig parsed = parse_config(R"(
fabric: rail-1
device: {name: mlx5_2, port: 2, guid: 0x0002c90300000010}
listen: {address: "::1", port: 0}
periods: {topology: 2m, counters_data: 1s, counters_errors: 5000ms, counters_details: 1h}
tables: {rotation: 7}
mad: {window: 64, device_window: 2, timeout: 50ms, attempts: 1, background_per_second: 0}
suspect: {keep_ratio: 0.25, accept_after: 90s}
metrics: {compat: sckyzo}
history: {frames: 5}
events: {capacity: 100}
http: {connections: 3, streams: 2, header_bytes: 512, body_bytes: 0, header_timeout: 100ms,
       idle_timeout: 200ms, write_timeout: 300ms, threads: 1}
opensm: {socket: /tmp/o.sock, group: sm, mode: 0600}
control: {socket: "", group: operators, mode: 0666}
weights: {file: /tmp/weights, hold: 5s}
log: {level: debug}
)",
                                           "f.yaml");
  ASSERT_THAT(messages(parsed), IsEmpty());
  const Config& c = parsed.config;
  EXPECT_EQ(c.fabric, "rail-1");
  EXPECT_EQ(c.device.device, "mlx5_2");
  EXPECT_EQ(c.device.number, model::PortNum{std::uint8_t{2}});
  EXPECT_EQ(c.device.guid, model::PortGuid{std::uint64_t{0x0002c90300000010}});
  EXPECT_EQ(c.listen.address, "::1");
  EXPECT_EQ(c.listen.port, 0);
  EXPECT_EQ(c.periods.topology, milliseconds{120000});
  EXPECT_EQ(c.periods.counters_data, milliseconds{1000});
  EXPECT_EQ(c.periods.counters_errors, milliseconds{5000});
  EXPECT_EQ(c.periods.counters_details, milliseconds{3600000});
  EXPECT_EQ(c.tables_rotation, 7U);
  EXPECT_EQ(c.mad.window, 64U);
  EXPECT_EQ(c.mad.background_per_second, 0U);
  EXPECT_DOUBLE_EQ(c.suspect.keep_ratio, 0.25);
  EXPECT_EQ(c.suspect.accept_after, milliseconds{90000});
  EXPECT_EQ(c.compat, exporter::Compatibility::kSckyzo);
  EXPECT_EQ(c.history_frames, 5U);
  EXPECT_EQ(c.events_capacity, 100U);
  EXPECT_EQ(c.http,
            (HttpLimits{3, 2, 512, 0, milliseconds{100}, milliseconds{200}, milliseconds{300}}));
  EXPECT_EQ(c.http_threads, 1U);
  EXPECT_EQ(c.opensm, (SocketConfig{"/tmp/o.sock", "sm", 0600}));
  EXPECT_EQ(c.control, (SocketConfig{"", "operators", 0666}));
  EXPECT_EQ(c.weights.file, "/tmp/weights");
  EXPECT_EQ(c.weights.hold, milliseconds{5000});
  EXPECT_EQ(c.log_level, LogLevel::kDebug);
  // Whatever the parser takes, a reload must see: no key keeps its default here.
  const ConfigChange change = changes(Config{}, c);
  EXPECT_EQ(change.live.size() + change.restart.size(), config_keys(c).size());
}

TEST(Config, AllErrorsAreListedAtOnceInOrderOfLines) {
  EXPECT_THAT(
      errors_of("fabric: 'a b'\n"
                "periods:\n"
                "  topolgy: 10s\n"
                "  counters_data: 10\n"
                "  counters_errors: 1ms\n"
                "listen:\n"
                "  address: 0.0.0.0\n"
                "  port: 65536\n"
                "  port: 1\n"
                "nonsense: 1\n"),
      ElementsAre(
          AllOf(HasSubstr("f.yaml:1: fabric: `a b`"), HasSubstr("letters")),
          AllOf(HasSubstr("f.yaml:3: periods.topolgy: unknown key"),
                HasSubstr("did you mean `topology`?")),
          AllOf(HasSubstr("f.yaml:4: periods.counters_data: `10`"), HasSubstr("10s, 500ms")),
          AllOf(HasSubstr("f.yaml:5: periods.counters_errors: `1ms`"),
                HasSubstr("must be 1s to 24h")),
          AllOf(HasSubstr("f.yaml:7: listen.address: `0.0.0.0`"),
                HasSubstr("no access control yet")),
          AllOf(HasSubstr("f.yaml:8: listen.port: `65536`"), HasSubstr("must be 0 to 65535")),
          HasSubstr("f.yaml:9: listen.port: given twice, first in line 8"),
          HasSubstr("f.yaml:10: nonsense: unknown key")));
}

struct BadCase {
  const char* text;
  const char* error;
};
class ConfigRefuses : public testing::TestWithParam<BadCase> {};

TEST_P(ConfigRefuses, WithThePlaceAndTheReason) {
  EXPECT_THAT(errors_of(GetParam().text), ElementsAre(HasSubstr(GetParam().error)))
      << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, ConfigRefuses,
    testing::Values(
        BadCase{"- a\n- b\n", "f.yaml:1: the file must be a map"},
        BadCase{"log: info\n", "f.yaml:1: log: must be a map of keys, such as `level: ...`"},
        BadCase{"\nlog: {level: verbose}\n",
                "f.yaml:2: log.level: `verbose` must be one of: debug, info, warning, error"},
        BadCase{"log:\n  level:\n", "f.yaml:2: log.level: needs one plain value"},
        BadCase{"log:\n  level: [info]\n", "f.yaml:2: log.level: needs one plain value"},
        BadCase{"? [a]\n: 1\n", "a key must be a word"},
        BadCase{"fabric: a\nfabric: b\n", "f.yaml:2: fabric: given twice, first in line 1"},
        BadCase{"log: {level: info}\nlog: {level: info}\n", "f.yaml:2: log: given twice"},
        BadCase{"fabric: [\n", "not YAML"},
        BadCase{"fabric: a\n---\nfabric: b\n", "f.yaml:2: more than one"},
        // These once kept the parser busy for ever.
        BadCase{",", "f.yaml:1: not YAML"}, BadCase{",{{[~[", "not YAML"},
        BadCase{"# a\n, fabric: a\n", "f.yaml:2: not YAML"},
        BadCase{"fabric: a\n---\n,", "more than one"},
        BadCase{"listen: {port: -1}\n", "listen.port: `-1` is not a whole number"},
        BadCase{"listen: {port: 9840.5}\n", "is not a whole number"},
        BadCase{"listen: {port: 99999999999999999999}\n", "is not a whole number"},
        BadCase{"listen: {address: localhost}\n", "is not an IP address"},
        BadCase{"listen: {address: \"::\"}\n", "is not a loopback address"},
        BadCase{"listen: {address: 192.168.1.1}\n", "is not a loopback address"},
        BadCase{"suspect: {keep_ratio: 1.5}\n", "keep_ratio: `1.5` must be 0 to 1"},
        BadCase{"suspect: {keep_ratio: half}\n", "is not a number such as 0.5"},
        BadCase{"history: {frames: 1001}\n", "history.frames: `1001` must be 1 to 1000"},
        BadCase{"events: {capacity: 100001}\n", "events.capacity: `100001` must be 16 to 100000"},
        BadCase{"device: {port: 0}\n", "device.port: `0` must be 1 to 254"},
        BadCase{"device: {guid: 0}\n", "is not a GUID"},
        BadCase{"device: {guid: xyz}\n", "is not a GUID"},
        BadCase{"periods: {topology: 99999999999999h}\n", "is not a duration"},
        BadCase{"periods: {topology: 10 s}\n", "is not a duration"},
        BadCase{"periods: {topology: 25h}\n", "must be 1s to 24h"},
        BadCase{"mad: {window: 2}\n", "mad.device_window: 4 is more than mad.window, 2"},
        BadCase{"\nhttp: {connections: 10}\n",
                "f.yaml:2: http.streams: 64 is more than http.connections, 10"},
        BadCase{"http:\n  streams: 9\n  connections: 8\n",
                "f.yaml:2: http.streams: 9 is more than http.connections, 8"},
        BadCase{"listen: {address: \"127.0.0.1\\0.example\"}\n", "holds a zero byte"},
        BadCase{"fabric: ''\n", "must not be empty"},
        BadCase{"metrics: {compat: ufm}\n", "must be one of: treydock, sckyzo"},
        BadCase{"opensm: {socket: run.sock}\n",
                "opensm.socket: `run.sock` is not an absolute path"},
        BadCase{"control: {mode: 0644}\n", "control.mode: `0644` must be one of: 0600, 0660, 0666"},
        BadCase{"control: {group: a b}\n", "control.group: `a b` may hold letters"},
        BadCase{"weights: {file: weights}\n", "weights.file: `weights` is not an absolute path"},
        BadCase{"<<: {fabric: a}\n", "unknown key"}));

TEST(Config, AFileThatCannotBeReadIsAnErrorThatNamesItAndTheReason) {
  EXPECT_THAT(
      messages(read_config("/nonexistent/x.yaml")),
      ElementsAre(HasSubstr("/nonexistent/x.yaml: cannot be read: No such file or directory")));
  EXPECT_THAT(messages(read_config("/")), ElementsAre("/: cannot be read: Is a directory"));
}

TEST(Config, ListenOfTheCommandLineTakesLoopbackOnly) {
  EXPECT_EQ(parse_listen("127.0.0.1:0")->port, 0);
  EXPECT_EQ(parse_listen("[::1]:9000")->address, "::1");
  EXPECT_THAT(parse_listen("0.0.0.0:80").error().text, HasSubstr("no access control"));
  EXPECT_THAT(parse_listen("127.0.0.1").error().text, HasSubstr("ADDRESS:PORT"));
  EXPECT_THAT(parse_listen("127.0.0.1:x").error().text, HasSubstr("not a port"));
  EXPECT_THAT(parse_listen("127.0.0.1:\x1b[2J").error().text, HasSubstr("`\\x1b[2J`"));
  EXPECT_EQ(listen_text({"::1", 80}), "[::1]:80");
  EXPECT_EQ(listen_text({"127.0.0.1", 0}), "127.0.0.1:0");
}

TEST(Config, AChangeSaysWhatNeedsARestart) {
  Config after;
  after.log_level = LogLevel::kDebug;
  after.periods.counters_data = milliseconds{2000};
  after.listen.port = 1;
  const ConfigChange change = changes(Config{}, after);
  EXPECT_THAT(change.live, ElementsAre("periods.counters_data", "log.level"));
  EXPECT_THAT(change.restart, ElementsAre("listen.port"));
}

// The sample shows every key with its default, commented out: without the marks it is a file that
// changes nothing, but for the device, which has no default.
TEST(ConfigSample, ShowsEveryKeyWithItsDefault) {
  const std::string sample = file_text("heddled.yaml");
  EXPECT_THAT(errors_of(sample), IsEmpty());
  std::string all;
  std::istringstream lines(sample);
  const std::regex commented("^( *)#([a-z_]+:.*)$");
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, commented)) {
      line = match[1].str() + match[2].str();
      ++count;
    }
    all += line + "\n";
  }
  const ParsedConfig parsed = parse_config(all, "sample");
  EXPECT_THAT(messages(parsed), IsEmpty());
  EXPECT_EQ(count, config_keys(Config{}).size());
  const ConfigChange change = changes(Config{}, parsed.config);
  EXPECT_THAT(change.live, IsEmpty());
  EXPECT_THAT(change.restart, ElementsAre("device.name", "device.port", "device.guid",
                                          "opensm.group", "control.group", "weights.file"));
}

/// The leaves of the schema by path; each section must refuse keys that it does not name.
void collect(const boost::json::object& properties, const std::string& prefix,
             std::map<std::string, boost::json::object>& leaves) {
  for (const auto& [name, value] : properties) {
    const boost::json::object& schema = value.as_object();
    const std::string path = prefix + std::string(name.data(), name.size());
    if (const auto* inner = schema.if_contains("properties")) {
      EXPECT_FALSE(schema.at("additionalProperties").as_bool()) << path;
      collect(inner->as_object(), path + ".", leaves);
    } else {
      leaves[path] = schema;
    }
  }
}

double number_of(const boost::json::value& value) { return value.to_number<double>(); }

std::string text_of(const boost::json::value& value) {
  return value.is_string() ? std::string(value.as_string().c_str()) : boost::json::serialize(value);
}

TEST(ConfigSchema, HasExactlyTheKeysOfTheParserWithTheirRangesAndDefaults) {
  const auto schema = boost::json::parse(file_text("heddled.schema.json")).as_object();
  EXPECT_FALSE(schema.at("additionalProperties").as_bool());
  std::map<std::string, boost::json::object> leaves;
  collect(schema.at("properties").as_object(), "", leaves);
  for (const ConfigKey& key : config_keys(Config{})) {
    ASSERT_TRUE(leaves.contains(key.path)) << key.path << " is missing in the schema";
    const boost::json::object leaf = leaves[key.path];
    leaves.erase(key.path);
    if (key.kind == ConfigKey::Kind::kNumber || key.kind == ConfigKey::Kind::kRatio) {
      EXPECT_EQ(number_of(leaf.at("minimum")), key.min) << key.path;
      EXPECT_EQ(number_of(leaf.at("maximum")), key.max) << key.path;
      EXPECT_EQ(leaf.at("type").as_string(),
                key.kind == ConfigKey::Kind::kNumber ? "integer" : "number");
    }
    if (key.kind == ConfigKey::Kind::kChoice) {
      std::vector<std::string> choices;
      for (const auto& choice : leaf.at("enum").as_array()) choices.push_back(text_of(choice));
      EXPECT_EQ(choices, key.choices) << key.path;
    }
    if (key.kind == ConfigKey::Kind::kDuration) {
      EXPECT_TRUE(leaf.contains("pattern")) << key.path;
    }
    const auto* by_default = leaf.if_contains("default");
    EXPECT_EQ(by_default != nullptr, !key.value.empty()) << key.path;
    if (by_default != nullptr) {
      const std::string shown =
          by_default->is_double() ? "0.5" : text_of(*by_default);  // 5E-1 when serialized
      EXPECT_EQ(shown, key.value) << key.path;
    }
  }
  for (const auto& [path, leaf] : leaves) ADD_FAILURE() << path << " is not a key of the parser";
}

}  // namespace
}  // namespace heddle::daemon
