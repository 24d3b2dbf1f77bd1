#include "cli/http_client.hpp"

#include <gmock/gmock.h>

#include <string>

#include "unit/cli/silent_server.hpp"

namespace heddle::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing_support::SilentServer;

TEST(HttpClient, ends_a_stream_whose_server_has_fallen_silent) {
  const SilentServer server(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
      "data: {}\n\n");
  const HttpClient client(server.address(), milliseconds{10'000}, milliseconds{20});
  std::string taken;
  const auto answer = client.stream("/v1/events", [&taken](std::string_view piece) {
    taken += piece;
    return true;
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, model::Errc::kTimeout);
  EXPECT_THAT(answer.error().text, HasSubstr("sent nothing for 0.02 s"));
  EXPECT_EQ(taken, "data: {}\n\n");
}

TEST(HttpClient, gives_up_on_an_answer_that_stops_in_the_middle) {
  const SilentServer server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  const auto answer = HttpClient(server.address(), milliseconds{20}).get("/v1/status");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, model::Errc::kTimeout);
  EXPECT_THAT(answer.error().text, HasSubstr("stopped in the middle of its answer"));
}

TEST(ServerAddress, is_a_host_and_a_port) {
  const auto local = parse_server("http://127.0.0.1:9840");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->host, "127.0.0.1");
  EXPECT_EQ(local->port, "9840");
  const auto plain = parse_server("http://heddle.example/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "heddle.example");
  EXPECT_EQ(plain->port, "80");
}

TEST(ServerAddress, takes_ipv6_in_brackets) {
  const auto address = parse_server("http://[::1]:9840");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, "9840");
}

TEST(ServerAddress, refuses_everything_else) {
  for (const char* const text :
       {"", "127.0.0.1:9840", "https://h:1", "http://", "http://h:", "http://h:0", "http://h:65536",
        "http://h:1/v1", "http://[::1", "http://a b:1", "http://a\x15:1", "http://1]7:1",
        "http://a\xc3\xa4:1"}) {
    const auto address = parse_server(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, model::Errc::kInvalidInput);
    EXPECT_THAT(address.error().text, HasSubstr("--server"));
  }
}

}  // namespace
}  // namespace heddle::cli
