#include "exporter/prometheus.hpp"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "model/fabric_builder.hpp"
#include "unit/exporter/exposition.hpp"
#include "unit/exporter/sample_view.hpp"

namespace heddle::exporter::test {
namespace {

using testing::IsEmpty;

constexpr const char* kLeaf = "0x0000000000000020";
constexpr const char* kHostile = "0x0000000000000021";
constexpr const char* kHost = "0x0000000000000100";

Exposition sample_of(Compatibility compatibility) {
  return read_exposition(render_metrics(sample_view(), compatibility).body);
}

class Metrics : public testing::TestWithParam<Compatibility> {};
INSTANTIATE_TEST_SUITE_P(Modes, Metrics,
                         testing::Values(Compatibility::kTreydock, Compatibility::kSckyzo),
                         [](const auto& mode) {
                           return mode.param == Compatibility::kTreydock ? "treydock" : "sckyzo";
                         });

TEST_P(Metrics, KeepTheTextFormatWithEverySeriesOnce) {
  const MetricsText text = render_metrics(sample_view(), GetParam());
  const Exposition read = read_exposition(text.body);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_EQ(read.samples.size(), text.series);
}

TEST_P(Metrics, CarryTheFabricOnEverySample) {
  for (const Sample& sample : sample_of(GetParam()).samples) {
    EXPECT_EQ(sample.labels.at("fabric"), "rail \"one\"") << sample.name;
  }
}

TEST_P(Metrics, AreTheSameBytesEachTime) {
  EXPECT_EQ(render_metrics(sample_view(), GetParam()).body,
            render_metrics(sample_view(), GetParam()).body);
}

TEST_P(Metrics, KeepTheFormatBeforeTheFirstSweep) {
  const MetricsText text = render_metrics(empty_view(), GetParam());
  const Exposition read = read_exposition(text.body);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_EQ(read.value("heddle_ready", {}), "0");
  EXPECT_THAT(read.of("heddle_sweep_duration_seconds"), IsEmpty());
  EXPECT_THAT(read.of("heddle_counters_data_oldest_read_timestamp_seconds"), IsEmpty());
}

TEST_P(Metrics, LeaveOutCountersThatWereNeverRead) {
  View view = sample_view();
  view.counters = nullptr;
  view.tables = nullptr;
  const Exposition read = read_exposition(render_metrics(view, GetParam()).body);
  EXPECT_THAT(read.errors, IsEmpty());
  for (const Sample& sample : read.samples) {
    const bool port_counter =
        sample.name.find("_port_") != std::string::npos && read.types.at(sample.name) == "counter";
    EXPECT_FALSE(port_counter) << sample.name;
  }
  EXPECT_EQ(read.value("infiniband_switch_port_state", {{"guid", kLeaf}, {"port", "3"}}), "1");
  EXPECT_THAT(read.of("infiniband_switch_up"), IsEmpty());
  EXPECT_THAT(read.of("heddle_fabric_subnet_managers"), IsEmpty());
  EXPECT_THAT(read.of("heddle_tables_led_astray"), IsEmpty());
}

TEST_P(Metrics, KeepStateAndCountersOfAPortThatWentDown) {
  const Exposition read = sample_of(GetParam());
  const std::map<std::string, std::string> port{{"guid", kLeaf}, {"port", "6"}};
  EXPECT_EQ(read.value("infiniband_switch_port_state", port), "0");
  EXPECT_EQ(read.value("infiniband_switch_port_link_downed_total", port), "0");
  EXPECT_EQ(read.value("infiniband_switch_port_rate_bytes_per_second", port), "")
      << "a link that is down has no rate, whatever PortInfo still says";
}

TEST_P(Metrics, CountBytesNotWords) {
  const Exposition read = sample_of(GetParam());
  const std::map<std::string, std::string> port{{"guid", kLeaf}, {"port", "3"}};
  EXPECT_EQ(read.value("infiniband_switch_port_transmit_data_bytes_total", port), "140000000000");
  EXPECT_EQ(read.value("infiniband_switch_port_transmit_packets_total", port), "35000000");
  EXPECT_EQ(read.value("infiniband_switch_port_transmit_wait_total", port), "18446744073709551615");
}

TEST_P(Metrics, GiveExactRates) {
  const Exposition read = sample_of(GetParam());
  const std::map<std::string, std::string> port{{"guid", kLeaf}, {"port", "2"}};
  EXPECT_EQ(std::stod(read.value("infiniband_switch_port_rate_bytes_per_second", port)), 6.25e9);
  EXPECT_EQ(std::stod(read.value("infiniband_switch_port_raw_rate_bytes_per_second", port)),
            2 * 25.78125e9 / 8);
}

TEST_P(Metrics, NeverMergeDevicesOfOneName) {
  std::set<std::string> guids;
  for (const Sample& sample : sample_of(GetParam()).of("infiniband_hca_info")) {
    if (sample.labels.at("hca") == "Mellanox Technologies Aggregation Node") {
      guids.insert(sample.labels.at("guid"));
    }
  }
  EXPECT_EQ(guids.size(), 2U);
}

TEST_P(Metrics, TellBothDirectionsOfACable) {
  const Exposition read = sample_of(GetParam());
  EXPECT_EQ(read.value("infiniband_switch_uplink_info", {{"guid", kLeaf},
                                                         {"port", "3"},
                                                         {"switch", "leaf \"A\""},
                                                         {"uplink", "host-1 HCA-1"},
                                                         {"uplink_guid", kHost},
                                                         {"uplink_type", "CA"},
                                                         {"uplink_port", "1"},
                                                         {"uplink_lid", "4"}}),
            "1");
  EXPECT_EQ(read.value("infiniband_hca_uplink_info", {{"guid", kHost},
                                                      {"port", "2"},
                                                      {"hca", "host-1 HCA-1"},
                                                      {"uplink", "leaf \"A\""},
                                                      {"uplink_guid", kLeaf},
                                                      {"uplink_type", "SW"},
                                                      {"uplink_port", "4"},
                                                      {"uplink_lid", "2"}}),
            "1");
}

TEST_P(Metrics, ShowHostileNamesPrintable) {
  const Exposition read = sample_of(GetParam());
  EXPECT_EQ(read.value("infiniband_switch_info",
                       {{"guid", kHostile}, {"switch", "leaf\\x0aB\\xff\\"}, {"lid", "3"}}),
            "1");
}

TEST_P(Metrics, SayWhichTotalsMayBeTooLow) {
  const std::vector<Sample> flags = sample_of(GetParam()).of("heddle_port_at_least_info");
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].labels.at("counter"), "symbol_errors");
  EXPECT_EQ(flags[0].labels.at("port"), "3");
}

/// The number behind a name, which may be written with an exponent.
double number_of(const Exposition& read, const char* name) {
  return std::stod(read.value(name, {}));
}

TEST_P(Metrics, AgesOfCountersGoOnGrowingAfterTheLastSweep) {
  // The body stays as it is when no sweep ends any more; only `time() - timestamp` grows then.
  const Exposition read = sample_of(GetParam());
  EXPECT_EQ(number_of(read, "heddle_counters_data_oldest_read_timestamp_seconds"),
            1'790'000'000 - 600);
  EXPECT_THAT(read.of("heddle_counters_data_age_max_seconds"), IsEmpty());
}

TEST_P(Metrics, TellWhenTheOldestPortAndAlmostAllWereRead) {
  View view = view_of(row_of_switches(20, 10));
  auto table = std::make_shared<model::CounterTable>();
  table->fabric = view.fabric;
  table->published_at = std::chrono::steady_clock::time_point(std::chrono::hours(1));
  table->published_at_wall = std::chrono::system_clock::time_point(std::chrono::seconds(10'000));
  table->ports.resize(view.fabric->ports().size());
  for (std::size_t i = 0; i < table->ports.size(); ++i) {
    table->ports[i].read_at[0] = table->published_at - std::chrono::seconds(i < 4 ? 100 : 3);
  }
  view.counters = table;
  const Exposition read = read_exposition(render_metrics(view, GetParam()).body);
  EXPECT_EQ(number_of(read, "heddle_counters_data_p99_read_timestamp_seconds"), 9'997);
  EXPECT_EQ(number_of(read, "heddle_counters_data_oldest_read_timestamp_seconds"), 9'900);
}

TEST_P(Metrics, ShowTheFieldsDashboardsHowCollectionsGo) {
  const Exposition read = sample_of(GetParam());
  const char* const duration = "infiniband_exporter_collector_duration_seconds";
  EXPECT_EQ(read.value(duration, {{"collector", "ibnetdiscover"}}), "1.234");
  EXPECT_EQ(read.value(duration, {{"collector", "switch"}}), "0.5");
  EXPECT_EQ(read.value(duration, {{"collector", "hca"}}), "0.5");
  const std::string last =
      read.value("infiniband_exporter_last_execution", {{"collector", "switch"}});
  EXPECT_EQ(std::stod(last), 1'790'000'000 - 1);
  const bool treydock = GetParam() == Compatibility::kTreydock;
  EXPECT_EQ(read.of("infiniband_exporter_collect_errors").size(), treydock ? 3U : 0U);
  EXPECT_EQ(read.of("infiniband_exporter_collect_errors_total").size(), treydock ? 0U : 3U);
}

TEST_P(Metrics, CollectionsThatNeverRanHaveNoDuration) {
  View view = sample_view();
  for (JobStatus& job : view.jobs) {
    const std::string name = job.name;
    job = {};
    job.name = name;
  }
  const Exposition read = read_exposition(render_metrics(view, GetParam()).body);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.of("infiniband_exporter_collector_duration_seconds"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_exporter_last_execution"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_exporter_collect_errors"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_hca_collect_timeout"), IsEmpty());
}

TEST_P(Metrics, TellWhichDevicesTheLastSweepGotNoAnswerFrom) {
  const Exposition read = sample_of(GetParam());
  EXPECT_EQ(
      read.value("infiniband_switch_collect_timeout", {{"guid", kLeaf}, {"collector", "switch"}}),
      "0");
  EXPECT_EQ(read.value("infiniband_hca_collect_timeout",
                       {{"guid", "0x0000000000000103"}, {"collector", "hca"}}),
            "1");
}

TEST_P(Metrics, SayNothingOfWhoAnswersWhenTheLastSweepIsLongAgo) {
  View view = sample_view();
  view.data_overdue = true;
  const Exposition read = read_exposition(render_metrics(view, GetParam()).body);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.of("infiniband_switch_collect_timeout"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_hca_collect_timeout"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_switch_up"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_hca_up"), IsEmpty());
}

TEST_P(Metrics, TellWhatBecameOfReadings) {
  const Exposition read = sample_of(GetParam());
  EXPECT_EQ(number_of(read, "heddle_counters_samples_total"), 16560);
  EXPECT_EQ(number_of(read, "heddle_counters_resets_total"), 2);
  EXPECT_EQ(number_of(read, "heddle_counters_implausible_total"), 1);
  EXPECT_EQ(number_of(read, "heddle_counters_late_total"), 4);
  EXPECT_EQ(number_of(read, "heddle_counters_unknown_ports_total"), 3);
}

TEST(MetricsOfTreydock, TellWhetherTheLastRunFailed) {
  const Exposition read = sample_of(Compatibility::kTreydock);
  EXPECT_EQ(read.value("infiniband_exporter_collect_errors", {{"collector", "ibnetdiscover"}}),
            "1");
  EXPECT_EQ(read.value("infiniband_exporter_collect_errors", {{"collector", "switch"}}), "0");
}

TEST(MetricsOfSckyzo, CountTheRunsThatFailed) {
  const Exposition read = sample_of(Compatibility::kSckyzo);
  const char* const errors = "infiniband_exporter_collect_errors_total";
  EXPECT_EQ(read.value(errors, {{"collector", "ibnetdiscover"}}), "1");
  EXPECT_EQ(read.types.at(errors), "counter");
}

TEST(MetricsOfTreydock, LabelCountersByGuidAndPortAlone) {
  const Exposition read = sample_of(Compatibility::kTreydock);
  for (const char* name :
       {"infiniband_switch_port_symbol_error_total", "infiniband_hca_port_symbol_error_total",
        "infiniband_hca_rate_bytes_per_second"}) {
    ASSERT_FALSE(read.of(name).empty()) << name;
    for (const Sample& sample : read.of(name)) EXPECT_EQ(sample.labels.size(), 3U) << name;
  }
  EXPECT_FALSE(read.of("infiniband_switch_port_dli_mapping_errors_total").empty());
  EXPECT_TRUE(read.of("infiniband_switch_up").empty());
}

TEST(MetricsOfSckyzo, CarryNamesOnCounters) {
  const Exposition read = sample_of(Compatibility::kSckyzo);
  EXPECT_EQ(
      read.value(
          "infiniband_hca_port_symbol_error_total",
          {{"guid", kHost}, {"hca", "host-1 HCA-1"}, {"port", "1"}, {"switch", "leaf \"A\""}}),
      "0");
  EXPECT_EQ(read.value("infiniband_switch_port_dlid_mapping_errors_total",
                       {{"guid", kLeaf}, {"port", "3"}, {"switch", "leaf \"A\""}}),
            "3");
  EXPECT_FALSE(read.of("infiniband_hca_port_rate_bytes_per_second").empty());
  EXPECT_TRUE(read.of("infiniband_hca_rate_bytes_per_second").empty());
}

TEST(MetricsOfSckyzo, TellWhichDevicesAnsweredTheLastSweep) {
  const Exposition read = sample_of(Compatibility::kSckyzo);
  EXPECT_EQ(read.value("infiniband_switch_up", {{"guid", kLeaf}}), "1");
  EXPECT_EQ(read.value("infiniband_switch_up", {{"guid", kHostile}}), "1")
      << "one old port does not make a device mute";
  EXPECT_EQ(read.value("infiniband_hca_up", {{"guid", "0x0000000000000103"}}), "0");
}

TEST(MetricsOfUnknownStates, AreAbsent) {
  model::FabricBuilder builder("f");
  model::Node node;
  node.guid = model::NodeGuid{std::uint64_t{1}};
  node.kind = model::NodeKind::kSwitch;
  node.port_count = 2;
  builder.add_node(node);
  const View view = view_of(std::move(builder).build());
  const Exposition read = read_exposition(render_metrics(view, Compatibility::kTreydock).body);
  EXPECT_THAT(read.of("infiniband_switch_port_state"), IsEmpty());
  EXPECT_THAT(read.of("infiniband_switch_port_rate_bytes_per_second"), IsEmpty());
  EXPECT_EQ(read.of("infiniband_switch_info").size(), 1U);
}

/// Names of random bytes read back as printable() shows them.
TEST(MetricsOfRandomNames, ReadBackAsTheyAreShown) {
  const char* const given = std::getenv("HEDDLE_SEED");
  const std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
  SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string name;
    for (auto left = random() % 40; left > 0; --left) {
      static constexpr std::string_view kNasty = "\\\"\n{},= \x80\xff";
      name.push_back(random() % 2 == 0 ? kNasty[random() % kNasty.size()]
                                       : static_cast<char>(random() % 256));
    }
    model::FabricBuilder builder(name);
    model::Node node;
    node.guid = model::NodeGuid{std::uint64_t{7}};
    node.kind = model::NodeKind::kHostAdapter;
    node.description = name;
    builder.add_node(node);
    const View view = view_of(std::move(builder).build());
    const Exposition read = read_exposition(render_metrics(view, Compatibility::kSckyzo).body);
    EXPECT_THAT(read.errors, IsEmpty());
    ASSERT_EQ(read.of("infiniband_hca_info").size(), 1U);
    EXPECT_EQ(read.of("infiniband_hca_info")[0].labels.at("hca"), model::printable(name));
  }
}

}  // namespace
}  // namespace heddle::exporter::test
