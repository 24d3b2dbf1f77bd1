#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/daemon/http_server_fixture.hpp"
#include "unit/daemon/raw_client.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::RawClient;
class HttpConnections : public testing_support::HttpServerTest {};
class HttpExpectations : public testing_support::HttpServerTest {};

TEST_F(HttpConnections, AnswersConnectionsBeyondTheLimitWith503WhereNoneIsIdle) {
  options_.limits.connections = 2;
  start();
  RawClient first(port());
  ASSERT_TRUE(first.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  first.read_to("\r\n\r\n");
  RawClient second(port());
  ASSERT_TRUE(second.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  ASSERT_TRUE(service_.wait_until_slow_is_asked());
  RawClient third(port());
  // Its request, unread, must not make the kernel take the answer back by a reset.
  ASSERT_TRUE(third.send("GET /c HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(third.read_all(),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n"),
                    HasSubstr("application/problem+json"), HasSubstr("Too many connections")));
  EXPECT_TRUE(service_.wait_finished("", 503, 1));
  HttpLimits wider = options_.limits;
  wider.connections = 3;
  server_->set_limits(wider);
  RawClient fourth(port());
  ASSERT_TRUE(fourth.send("GET /d HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(fourth.read_answer().second, "GET /d gzip=false");
  service_.release();
  EXPECT_EQ(second.read_answer().second, "slow");
}

TEST_F(HttpConnections, TheConnectionIdleForTheLongestMakesRoomForANewcomer) {
  options_.limits.connections = 3;
  start();
  RawClient first(port());
  RawClient second(port());
  RawClient third(port());
  ASSERT_TRUE(wait_for_connections(3));
  const auto ask = [](RawClient& client) {
    client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.read_answer().second;
  };
  EXPECT_EQ(ask(first), "GET /a gzip=false");
  RawClient fourth(port());
  EXPECT_EQ(ask(fourth), "GET /a gzip=false");
  EXPECT_TRUE(second.closed_within(milliseconds{2000}));
  EXPECT_EQ(ask(first), "GET /a gzip=false");
  EXPECT_EQ(ask(third), "GET /a gzip=false");
}

TEST_F(HttpConnections, IdleConnectionsDoNotLockNewcomersOutWhereDescriptorsAreFew) {
  options_.limits.connections = 1000;
  options_.limits.idle_timeout = milliseconds{60000};
  options_.open_files = 42;  // 8 beside what the daemon needs, of which 2 for those that leave
  start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 100; ++i) {
    RawClient& client = *clients.emplace_back(std::make_unique<RawClient>(port()));
    ASSERT_TRUE(client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    ASSERT_EQ(client.read_answer().second, "GET /a gzip=false") << i;
    EXPECT_LE(server_->open_connections(), 8U);
  }
  EXPECT_TRUE(wait_for_connections(6));
}

TEST_F(HttpExpectations, AnExpectationOf100ContinueIsMetBeforeTheBodyComes) {
  start();
  RawClient client(port());
  for (const char* value : {"100-continue", "100-Continue"}) {
    ASSERT_TRUE(client.send(fmt::format(
        "POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: {}\r\nContent-Length: 3\r\n\r\n", value)));
    EXPECT_EQ(client.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n") << value;
    ASSERT_TRUE(client.send("abc"));
    const auto [head, body] = client.read_answer();
    EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n")) << value;
    EXPECT_EQ(body, "POST /e gzip=false") << value;
  }
}

TEST_F(HttpExpectations, LeaveToSendABodyIsNotGivenWhereItIsOfNoUse) {
  start();
  // What has no body, is answered without it, has it with it, or knows no such thing (HTTP/1.0).
  const std::vector<std::pair<std::string, const char*>> cases{
      {"GET /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 200 "},
      {"POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
       "101\r\n\r\n",
       "HTTP/1.1 413 "},
      {"POST /e HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: "
       "3\r\n\r\n",
       "HTTP/1.1 421 "},
      {"POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
       "3\r\n\r\nabc",
       "HTTP/1.1 200 "},
      {"POST /e HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
       "HTTP/1.1 200 "}};
  for (const auto& [text, status] : cases) {
    RawClient client(port());
    ASSERT_TRUE(client.send(text));
    EXPECT_THAT(client.read_answer().first, StartsWith(status)) << text;
  }
}

TEST_F(HttpExpectations, AnyOtherExpectationFails) {
  start();
  for (const char* value : {"something", "100-continue, more", ""}) {
    RawClient client(port());
    ASSERT_TRUE(client.send(fmt::format(
        "POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: {}\r\nContent-Length: 3\r\n\r\n", value)));
    EXPECT_THAT(client.read_all(),
                AllOf(StartsWith("HTTP/1.1 417 Expectation Failed\r\n"),
                      HasSubstr("application/problem+json"), HasSubstr("Connection: close")))
        << value;
  }
}

TEST_F(HttpExpectations, AClientThatIsGivenLeaveAndSendsNothingIsEndedInTime) {
  options_.limits.header_timeout = milliseconds{100};
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send(
      "POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
  EXPECT_EQ(client.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(client.closed_within(milliseconds{1500}));
}

}  // namespace
}  // namespace heddle::daemon
