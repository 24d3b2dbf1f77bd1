#include "daemon/http_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "daemon/http_host.hpp"
#include "unit/daemon/http_server_fixture.hpp"
#include "unit/daemon/raw_client.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::HttpServerTest;
using testing_support::RawClient;

TEST_F(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
  start();
  RawClient client(port());
  for (const char* target : {"/a", "/b"}) {
    ASSERT_TRUE(client.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target)));
    const auto [head, body] = client.read_answer();
    EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("keep-alive")));
    EXPECT_EQ(body, fmt::format("GET {} gzip=false", target));
  }
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  RawClient client(port());
  std::string requests;
  for (int i = 0; i < 50; ++i)
    requests += fmt::format("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", i);
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.read_answer().second, fmt::format("GET /{} gzip=false", i));
  }
}

TEST_F(HttpServerTest, ClosesWhereTheClientWantsIt) {
  start();
  for (const char* text : {"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                           "GET / HTTP/1.0\r\n\r\n"}) {
    RawClient client(port());
    ASSERT_TRUE(client.send(text));
    EXPECT_THAT(client.read_all(), HasSubstr("Connection: close"));
    EXPECT_TRUE(client.closed());
  }
}

TEST_F(HttpServerTest, HeadHasTheLengthButNotTheBody) {
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send("HEAD /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("Content-Length: 8388612"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, NotModifiedHasNeitherLengthNorBody) {
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send("GET /same HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.read_all(),
              AllOf(StartsWith("HTTP/1.1 304 Not Modified"), HasSubstr("ETag: \"7\""),
                    Not(HasSubstr("Content-Length")), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, SendsLargeBodiesWhole) {
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const auto [head, body] = client.read_answer();
  EXPECT_EQ(body.size(), (std::size_t{8} << 20) + 4);
  EXPECT_THAT(body.substr(body.size() - 6), "xxtail");
}

TEST_F(HttpServerTest, KnowsWhetherGzipIsAccepted) {
  start();
  RawClient client(port());
  const std::vector<std::pair<std::string, bool>> cases{
      {"gzip", true},          {"deflate, GZIP;q=0.5", true}, {"gzip;q=0", false},
      {"gzip;q=0.000", false}, {"identity", false},           {"br", false}};
  for (const auto& [header, accepted] : cases) {
    ASSERT_TRUE(client.send(
        fmt::format("GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {}\r\n\r\n", header)));
    EXPECT_EQ(client.read_answer().second, fmt::format("GET / gzip={}", accepted)) << header;
  }
}

TEST_F(HttpServerTest, AnswersWhatIsNoHttpWithAProblemAndCloses) {
  start();
  for (const char* text : {"NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                           "GET /\x01 HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nBad Header: x\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n"}) {
    RawClient client(port());
    ASSERT_TRUE(client.send(text));
    EXPECT_THAT(client.read_all(),
                AllOf(StartsWith("HTTP/1.1 400 Bad Request"), HasSubstr("application/problem+json"),
                      HasSubstr("Connection: close")))
        << text;
    EXPECT_TRUE(client.closed()) << text;
  }
}

TEST_F(HttpServerTest, RefusesAHeaderOrBodyBeyondTheLimit) {
  start();
  RawClient header(port());
  ASSERT_TRUE(header.send("GET / HTTP/1.1\r\nX: " + std::string(2000, 'a') + "\r\n\r\n"));
  EXPECT_THAT(header.read_all(), StartsWith("HTTP/1.1 431 "));
  RawClient body(port());
  ASSERT_TRUE(body.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 101\r\n\r\n"));
  EXPECT_THAT(body.read_all(), StartsWith("HTTP/1.1 413 "));
  RawClient small(port());
  ASSERT_TRUE(small.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"));
  EXPECT_EQ(small.read_answer().second, "POST / gzip=false");
}

TEST_F(HttpServerTest, EndsAClientThatDribblesItsHeader) {
  options_.limits.header_timeout = milliseconds{100};
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send("GET / HT"));
  RawClient other(port());
  ASSERT_TRUE(other.send("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(other.read_answer().second, "GET /other gzip=false");
  const auto began = std::chrono::steady_clock::now();
  // Each byte in time for a per-read deadline, together too late for the header's.
  while (client.send("x") && std::chrono::steady_clock::now() - began < milliseconds{2000}) {
    std::this_thread::sleep_for(milliseconds{20});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds{1500});
}

TEST_F(HttpServerTest, EndsAnIdleConnection) {
  options_.limits.idle_timeout = milliseconds{50};
  start();
  RawClient client(port());
  EXPECT_TRUE(client.closed_within(milliseconds{2000}));
}

TEST_F(HttpServerTest, EndsAClientThatDoesNotTakeItsAnswer) {
  options_.limits.write_timeout = milliseconds{100};
  start();
  RawClient client(port(), 4096);
  ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_TRUE(service_.wait_finished("/big", 200, 1));
  EXPECT_TRUE(wait_for_connections(0));
}

TEST_F(HttpServerTest, AServiceThatThrowsCostsItsConnectionA500AndNoPlace) {
  options_.limits.connections = 2;
  std::atomic<int> told{0};
  options_.failed = [&](std::string_view what) {
    if (what == "no answer for you") ++told;
  };
  start();
  for (int i = 1; i <= 20; ++i) {
    RawClient client(port());
    ASSERT_TRUE(client.send("GET /throws HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_THAT(client.read_all(),
                AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("application/problem+json"),
                      HasSubstr("Connection: close"), Not(HasSubstr("for you"))));
    EXPECT_TRUE(service_.wait_finished("/throws", 500, i));
    EXPECT_EQ(told, i);
    client.finish();
    ASSERT_TRUE(wait_for_connections(0));
  }
  RawClient other(port());
  ASSERT_TRUE(other.send("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(other.read_answer().second, "GET /other gzip=false");
  const auto began = std::chrono::steady_clock::now();
  server_->stop(milliseconds{4000});
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds{1500});
}

TEST_F(HttpServerTest, APageOfAnotherSiteCannotReadByANameThatLeadsHere) {
  start();
  const std::vector<std::pair<std::string, const char*>> cases{
      {"HTTP/1.1\r\nHost: evil.example\r\n", "HTTP/1.1 421 Misdirected Request"},
      {"HTTP/1.1\r\nHost: evil.example:9840\r\n", "HTTP/1.1 421 "},
      {"HTTP/1.0\r\nHost: evil.example\r\n", "HTTP/1.1 421 "},
      {"HTTP/1.1\r\nHost:\r\n", "HTTP/1.1 421 "},
      {"HTTP/1.1\r\n", "HTTP/1.1 400 "},
      {"HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", "HTTP/1.1 400 "},
      {"HTTP/1.1\r\nHost: LocalHost:1\r\nConnection: close\r\n", "HTTP/1.1 200 "},
      {"HTTP/1.1\r\nHost: 127.0.0.1:9840\r\nConnection: close\r\n", "HTTP/1.1 200 "},
      {"HTTP/1.1\r\nHost: [::1]:9840\r\nConnection: close\r\n", "HTTP/1.1 200 "},
      {"HTTP/1.0\r\n", "HTTP/1.1 200 "}};
  for (const auto& [head, status] : cases) {
    RawClient client(port());
    ASSERT_TRUE(client.send("GET /a " + head + "\r\n"));
    EXPECT_THAT(client.read_all(), StartsWith(status)) << head;
  }
}

TEST(LocalHost, IsALoopbackAddressOrLocalhostWithAnyPort) {
  for (const char* host : {"localhost", "LOCALHOST:9840", "127.0.0.1", "127.255.3.4:80", "[::1]",
                           "[::1]:65535", "[0:0:0:0:0:0:0:1]", "localhost:"}) {
    EXPECT_TRUE(http::is_local_host(host)) << host;
  }
  for (const char* host :
       {"", ":80", "x", "localhost.evil.example", "127.0.0.1.evil.example", "128.0.0.1", "10.0.0.1",
        "127.1", "[::1", "::1", "[::2]", "[]", "127.0.0.1:65536", "127.0.0.1:a", "localhost@evil",
        "[::1]evil", "[::1]:80:80", "0.0.0.0", "[::ffff:127.0.0.1]"}) {
    EXPECT_FALSE(http::is_local_host(host)) << host;
  }
}

TEST_F(HttpServerTest, ServesAThousandQuickRequestsFromSeveralClients) {
  start();
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < 4; ++c) {
      clients.emplace_back([&] {
        RawClient client(port());
        for (int i = 0; i < 250; ++i) {
          client.send("GET /q HTTP/1.1\r\nHost: localhost\r\n\r\n");
          if (client.read_answer().second == "GET /q gzip=false") ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 1000);
  EXPECT_TRUE(service_.wait_finished("/q", 200, 1000));
}

TEST_F(HttpServerTest, StreamsOldEventsThenNewOnes) {
  start();
  for (const char* text : {"e1", "e2", "e3"}) append(text);
  RawClient client(port());
  ASSERT_TRUE(client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n"));
  EXPECT_THAT(client.read_to("\r\n\r\n"), HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(client.read_to("\n\n"), StartsWith("id: 2\nevent: service\ndata: {"));
  EXPECT_THAT(client.read_to("\n\n"), StartsWith("id: 3\n"));
  for (int i = 4; i < 30; ++i) {
    append("live");
    EXPECT_THAT(client.read_to("\n\n"), StartsWith(fmt::format("id: {}\n", i)));
  }
}

TEST_F(HttpServerTest, KeepsAQuietStreamAliveByHeartbeats) {
  options_.heartbeat = milliseconds{20};
  options_.limits.idle_timeout = milliseconds{50};
  start();
  RawClient client(port());
  ASSERT_TRUE(client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  client.read_to("\r\n\r\n");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(client.read_to("\n\n"), ": heartbeat\n\n");
}

TEST_F(HttpServerTest, NoticesAStreamsClientThatLeaves) {
  start();
  {
    RawClient client(port());
    ASSERT_TRUE(client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    client.read_to("\r\n\r\n");
    EXPECT_EQ(server_->open_connections(), 1U);
  }
  EXPECT_TRUE(wait_for_connections(0));
}

TEST_F(HttpServerTest, DropsAStreamsClientThatDoesNotReadAndNoOther) {
  // Long enough for the other one under a sanitizer.
  options_.limits.write_timeout = milliseconds{1000};
  start();
  RawClient slow(port(), 4096);
  ASSERT_TRUE(slow.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  RawClient quick(port());
  ASSERT_TRUE(quick.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  quick.read_to("\r\n\r\n");
  ASSERT_TRUE(wait_for_connections(2));
  // More than what the kernel's buffers of both ends hold.
  constexpr int kEvents = 100;
  const std::string text(100000, 'e');
  // One after the other, so that the quick one is never behind, however busy the machine is.
  for (int i = 1; i <= kEvents; ++i) {
    append(text);
    ASSERT_THAT(quick.read_to("\n\n").substr(0, 8), StartsWith(fmt::format("id: {}\n", i)));
  }
  EXPECT_TRUE(wait_for_connections(1));
  append("after");
  EXPECT_THAT(quick.read_to("\n\n"), HasSubstr("after"));
}

TEST_F(HttpServerTest, HasABoundedNumberOfStreams) {
  options_.limits.streams = 1;
  start();
  RawClient first(port());
  ASSERT_TRUE(first.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  first.read_to("\r\n\r\n");
  RawClient second(port());
  ASSERT_TRUE(second.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(second.read_answer().first, StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, LetsAnAnswerInProgressFinishWhenStopped) {
  start();
  RawClient busy(port());
  ASSERT_TRUE(busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  ASSERT_TRUE(service_.wait_until_slow_is_asked());
  RawClient idle(port());
  RawClient stream(port());
  ASSERT_TRUE(stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  stream.read_to("\r\n\r\n");
  std::jthread stopper([&] { server_->stop(milliseconds{4000}); });
  EXPECT_TRUE(idle.closed_within(milliseconds{2000}));
  EXPECT_TRUE(stream.closed_within(milliseconds{2000}));
  service_.release();
  EXPECT_THAT(busy.read_all(), AllOf(HasSubstr("Connection: close"), EndsWith("slow")));
}

TEST_F(HttpServerTest, ARequestThatIsHalfSentDoesNotHoldTheStop) {
  start();
  RawClient half_head(port());
  ASSERT_TRUE(half_head.send("GET /never HTTP/1.1\r\nHost: loc"));
  RawClient half_body(port());
  ASSERT_TRUE(half_body.send(
      "POST /never HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
      "9\r\n\r\n"));
  half_body.read_to("\r\n\r\n");  // the server waits for the body now
  ASSERT_TRUE(wait_for_connections(2));
  const auto began = std::chrono::steady_clock::now();
  server_->stop(milliseconds{10000});
  // Less than the 2 s after which a request that is not whole is given up.
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds{1500});
  EXPECT_TRUE(half_head.closed_within(milliseconds{1000}));
  EXPECT_TRUE(half_body.closed_within(milliseconds{1000}));
}

TEST_F(HttpServerTest, StopsInTimeThoughAClientTakesNothing) {
  start();
  RawClient client(port(), 4096);
  ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  client.read_to("xxx");
  const auto began = std::chrono::steady_clock::now();
  server_->stop(milliseconds{100});
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds{1500});
  EXPECT_FALSE(RawClient(port()).connected());
}

TEST_F(HttpServerTest, ItsLoopKeepsBeating) {
  start();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{3};
  const auto first = server_->last_beat();
  while (server_->last_beat() == first && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds{20});
  }
  EXPECT_GT(server_->last_beat(), first);
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  start();
  HttpServer::Options same = options_;
  same.listen.port = port();
  const auto second = HttpServer::start(same, service_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text,
              AllOf(HasSubstr("127.0.0.1"), HasSubstr(std::to_string(port()))));
}

}  // namespace
}  // namespace heddle::daemon
