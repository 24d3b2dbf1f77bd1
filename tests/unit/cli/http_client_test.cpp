#include "cli/http_client.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>

namespace heddle::cli {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// Takes one connection on the loopback, answers with fixed bytes and then says nothing until the
/// client goes.
class SilentServer {
 public:
  explicit SilentServer(std::string answer)
      : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
        thread_([this, text = std::move(answer)] { serve(text); }) {}
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() { thread_.join(); }

  [[nodiscard]] ServerAddress address() const {
    return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port())};
  }

 private:
  void serve(const std::string& answer) {
    asio::ip::tcp::socket socket = acceptor_.accept();
    std::string request;
    asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n");
    asio::write(socket, asio::buffer(answer));
    boost::system::error_code gone;
    asio::read(socket, asio::dynamic_buffer(request), gone);
  }

  asio::io_context context_;
  asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
};

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
