#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

#include "cli/links.hpp"
#include "cli/status.hpp"

namespace heddle::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kLinks = R"([
 {"id":"0x0000000000000010/1",
  "a":{"guid":"0x0000000000000010","port":1,"name":"leaf","kind":"switch","lid":3,
       "state":"active","physical_state":"link_up",
       "errors":[{"counter":"symbol_errors","value":"12","at_least":true}]},
  "b":{"guid":"0x0000000000000100","port":1,"name":"","kind":"host_adapter","lid":5,
       "state":"init","physical_state":"link_up","errors":[]},
  "rate":"4xDDR","data_rate_bits_per_second":16000000000,"degraded":true,
  "expected_rate":"4xEDR","against":"siblings",
  "a_to_b_bytes_per_second":1500000000,"b_to_a_bytes_per_second":null}])";

TEST(LinksTable, shows_both_ends_rates_and_errors) {
  EXPECT_EQ(
      render_links(boost::json::parse(kLinks).as_array(), Colour::kOff),
      "LINK                  RATE            STATE        A            B                         "
      "   A TO B  B TO A  ERRORS\n"
      "0x0000000000000010/1  4xDDR of 4xEDR  active/init  leaf port 1  0x0000000000000100 port 1"
      "  1.5 GB/s       -  a:symbol_errors >=12\n");
}

TEST(LinksTable, marks_a_degraded_link_in_colour) {
  EXPECT_THAT(render_links(boost::json::parse(kLinks).as_array(), Colour::kOn),
              HasSubstr("\x1b[31m4xDDR of 4xEDR\x1b[0m"));
}

TEST(LinksTable, has_headings_only_without_links) {
  EXPECT_EQ(render_links({}, Colour::kOff), "LINK  RATE  STATE  A  B  A TO B  B TO A  ERRORS\n");
}

const char* const kStatus = R"({"version":"0.1.0","fabric":"rail0",
 "started_at":"2026-01-05T10:00:00Z","uptime_seconds":125,"ready":true,"not_ready_reason":null,
 "stale":false,"stale_reason":null,"generation":7,"published_at":"2026-01-05T10:02:05Z",
 "ports_asked":96,"ports_fresh":95,"metric_series":12345,"events_dropped":0,
 "jobs":[{"name":"sweep","completed":12,"failed":1,"last_completed_at":null,
          "last_duration_seconds":0.5,"last_error":"timeout"}]})";
const char* const kFabric = R"({"nodes":{"switch":6,"host_adapter":16,"router":0},"ports":64,
 "ports_down":2,"links":32,"links_by_rate":{"4xHDR":32},"switches_by_level":[4,2],
 "anomalies":[],"degraded_links":[],"unresolved_peers":[],"sweep":{"mute":[]}})";

std::string status_text(const char* status, Colour colour) {
  return render_status(boost::json::parse(status).as_object(),
                       boost::json::parse(kFabric).as_object(), colour);
}

TEST(StatusTable, shows_the_service_and_its_fabric) {
  EXPECT_EQ(status_text(kStatus, Colour::kOff),
            "state     ready\n"
            "fabric    rail0, generation 7 of 2026-01-05T10:02:05Z\n"
            "nodes     6 switch, 16 host_adapter\n"
            "levels    4 / 2\n"
            "links     32 (32 4xHDR)\n"
            "ports     64, 2 down\n"
            "findings  none\n"
            "counters  95 of 96 ports fresh\n"
            "series    12345\n"
            "service   heddled 0.1.0, up 2 min 5 s\n"
            "\n"
            "JOB    DONE  FAILED   TOOK  LAST   ERROR\n"
            "sweep    12       1  0.5 s  never  timeout\n");
}

TEST(StatusTable, says_why_the_service_is_not_ready) {
  EXPECT_THAT(status_text(R"({"ready":false,"not_ready_reason":"no sweep yet"})", Colour::kOff),
              HasSubstr("state     not ready: no sweep yet\n"));
  EXPECT_THAT(
      status_text(R"({"ready":true,"stale":true,"stale_reason":"lost half"})", Colour::kOff),
      HasSubstr("state     stale: lost half\n"));
}

TEST(StatusTable, takes_an_empty_answer) {
  EXPECT_THAT(render_status({}, {}, Colour::kOff), Not(HasSubstr("JOB")));
}

}  // namespace
}  // namespace heddle::cli
