#include "daemon/api_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "model/fabric_summary.hpp"
#include "support/topologies.hpp"

namespace heddle::daemon {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

std::string gunzip(const std::string& zipped) {
  z_stream stream{};
  // 16: expects gzip's frame (zlib.h, inflateInit2).
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return "no zlib";
  std::string in = zipped;
  std::string out(std::size_t{4} << 20, '\0');
  void* source = in.data();
  void* target = out.data();
  stream.next_in = static_cast<Bytef*>(source);
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = static_cast<Bytef*>(target);
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return result == Z_STREAM_END ? out : "not a whole gzip file";
}

class ApiServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto view = std::make_shared<exporter::View>(*published_.load()->view);
    view->fabric = std::make_shared<const model::Fabric>(support::assign_lids(support::ft2_k4()));
    view->summary = std::make_shared<const model::FabricSummary>(model::summarise(*view->fabric));
    view->generation = 1;
    auto next = std::make_shared<Published>(*published_.load());
    next->view = std::move(view);
    auto body = exporter::PreparedBody::make("# the fabric\n" + std::string(5000, '#') + "\n");
    ASSERT_TRUE(body);
    next->metrics = std::make_shared<const exporter::PreparedBody>(std::move(*body));
    next->mad.sent = 77;
    published_.store(std::move(next));
  }
  HttpRequest get(std::string target) const {
    HttpRequest request;
    request.request.method = "GET";
    request.request.target = std::move(target);
    return request;
  }
  HttpAnswer answer(const HttpRequest& request) {
    return std::get<HttpAnswer>(service_.serve(request));
  }
  static std::string header(const HttpAnswer& answer, const std::string& name) {
    for (const auto& [key, value] : answer.response.headers) {
      if (key == name) return value;
    }
    return {};
  }
  void append(int count) {
    for (int i = 0; i < count; ++i) events_.append({});
  }

  PublishedCell published_{nothing_yet("1.2.3", "sim", {})};
  EventLog events_{100};
  OwnMetrics metrics_{"sim"};
  ApiService service_{published_, events_, metrics_};
};

TEST_F(ApiServiceTest, MetricsAreTheFabricsBodyThenOurOwn) {
  service_.finished("/v1/nodes/0x1?x=y", 200, std::chrono::milliseconds{3});
  const HttpAnswer plain = answer(get("/metrics"));
  ASSERT_NE(plain.shared_prefix, nullptr);
  EXPECT_THAT(*plain.shared_prefix, StartsWith("# the fabric\n"));
  EXPECT_EQ(plain.response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(
      plain.response.body,
      AllOf(HasSubstr("heddle_mad_sent_total{fabric=\"sim\"} 77\n"),
            HasSubstr("heddle_api_requests_total{fabric=\"sim\",path=\"/v1/nodes\",status=\"200\"} "
                      "1\n"),
            HasSubstr("process_resident_memory_bytes{fabric=\"sim\"} ")));
}

TEST_F(ApiServiceTest, MetricsComeCompressedWhereThatIsAccepted) {
  HttpRequest request = get("/metrics");
  request.accepts_gzip = true;
  const HttpAnswer zipped = answer(request);
  EXPECT_EQ(header(zipped, "Content-Encoding"), "gzip");
  ASSERT_NE(zipped.shared_prefix, nullptr);
  EXPECT_EQ(answer(request).shared_prefix.get(), zipped.shared_prefix.get()) << "copied for nobody";
  EXPECT_THAT(gunzip(*zipped.shared_prefix + zipped.response.body),
              AllOf(StartsWith("# the fabric\n"), HasSubstr("heddle_mad_sent_total")));
}

TEST_F(ApiServiceTest, MetricsCanOnlyBeRead) {
  HttpRequest request = get("/metrics");
  request.request.method = "POST";
  const HttpAnswer refused = answer(request);
  EXPECT_EQ(refused.response.status, 405U);
  EXPECT_EQ(header(refused, "Allow"), "GET, HEAD");
}

TEST_F(ApiServiceTest, LargeJsonComesCompressedWithAnETagOfItsOwn) {
  HttpRequest request = get("/v1/nodes");
  const HttpAnswer plain = answer(request);
  ASSERT_EQ(plain.response.status, 200U);
  EXPECT_THAT(plain.response.headers, Contains(Pair("Vary", "Accept-Encoding")));
  request.accepts_gzip = true;
  const HttpAnswer zipped = answer(request);
  EXPECT_EQ(header(zipped, "Content-Encoding"), "gzip");
  EXPECT_EQ(gunzip(zipped.response.body), plain.response.body);
  EXPECT_NE(header(zipped, "ETag"), header(plain, "ETag"));
  request.request.if_none_match = header(zipped, "ETag");
  const HttpAnswer unchanged = answer(request);
  EXPECT_EQ(unchanged.response.status, 304U);
  EXPECT_EQ(header(unchanged, "ETag"), header(zipped, "ETag"));
}

TEST_F(ApiServiceTest, SmallAnswersStayPlain) {
  HttpRequest request = get("/healthz");
  request.accepts_gzip = true;
  EXPECT_EQ(header(answer(request), "Content-Encoding"), "");
}

TEST_F(ApiServiceTest, AStreamBeginsWhereTheClientLeftElseWhereItAsksElseNow) {
  append(10);
  HttpRequest request = get("/v1/events");
  request.accepts_event_stream = true;
  EXPECT_EQ(std::get<EventStream>(service_.serve(request)).after, 10U);
  request.request.target = "/v1/events?since=4";
  EXPECT_EQ(std::get<EventStream>(service_.serve(request)).after, 4U);
  request.last_event_id = 7;
  EXPECT_EQ(std::get<EventStream>(service_.serve(request)).after, 7U);
  request.last_event_id = 5000;
  EXPECT_EQ(std::get<EventStream>(service_.serve(request)).after, 0U)
      << "a number of before our restart must not keep the client waiting for its return";
}

TEST_F(ApiServiceTest, EventsWithoutAStreamAreAList) {
  append(3);
  const HttpAnswer list = answer(get("/v1/events"));
  EXPECT_EQ(list.response.status, 200U);
  EXPECT_THAT(list.response.content_type, StartsWith("application/json"));
}

TEST_F(ApiServiceTest, OnlyReadersOfEventsHaveTheLogCopied) {
  append(4);
  const std::string before = header(answer(get("/v1/fabric")), "ETag");
  append(1);
  EXPECT_EQ(header(answer(get("/v1/fabric")), "ETag"), before)
      << "an event says nothing about what is in there";
  const std::string events = header(answer(get("/v1/events")), "ETag");
  append(1);
  EXPECT_NE(header(answer(get("/v1/events")), "ETag"), events);
  EXPECT_THAT(answer(get("/v1/%65vents")).response.body, HasSubstr("\"sequence\":6"));
}

TEST_F(ApiServiceTest, AStreamWithABadFilterIsAProblem) {
  HttpRequest request = get("/v1/events?kind=nonsense");
  request.accepts_event_stream = true;
  EXPECT_EQ(answer(request).response.status, 400U);
}

TEST(EndpointLabel, HasFewValuesWhateverClientsSend) {
  EXPECT_EQ(endpoint_of("/metrics"), "/metrics");
  EXPECT_EQ(endpoint_of("/v1/ports/0x1/2?a=b"), "/v1/ports");
  EXPECT_EQ(endpoint_of("/v1/status"), "/v1/status");
  EXPECT_EQ(endpoint_of("/v1/portsx"), "other");
  EXPECT_EQ(endpoint_of("/etc/passwd"), "other");
  EXPECT_EQ(endpoint_of(""), "none");
}

TEST(OwnMetricsText, CountsRoundTripsCumulatively) {
  mad::MadStats stats;
  stats.round_trip[0] = 2;
  stats.round_trip[15] = 1;
  stats.round_trip_seconds_sum = 0.5;
  const std::string text = OwnMetrics("sim").text(stats, 3);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("heddle_mad_round_trip_seconds_bucket{fabric=\"sim\",le=\"6.4e-05\"} 2"),
            HasSubstr("heddle_mad_round_trip_seconds_bucket{fabric=\"sim\",le=\"+Inf\"} 3"),
            HasSubstr("heddle_mad_round_trip_seconds_sum{fabric=\"sim\"} 0.5")));
  EXPECT_THAT(text, HasSubstr("\nheddle_mad_mute_devices{fabric=\"sim\"} 3\n"));
}

}  // namespace
}  // namespace heddle::daemon
