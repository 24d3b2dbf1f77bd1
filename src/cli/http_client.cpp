#include "cli/http_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <utility>

#include "cli/finish_within.hpp"
#include "model/ids.hpp"

namespace heddle::cli {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using model::Errc;
using model::fail;
using model::Result;
using model::Status;

namespace {

constexpr std::uint64_t kMaxBody = std::uint64_t{256} << 20U;

struct Lookup {
  beast::error_code error;
  asio::ip::tcp::resolver::results_type endpoints;
};

/// getaddrinfo waits as long as its configuration says, and an Asio context that has it running
/// cannot be destroyed before it ends.
Lookup look_up(const ServerAddress& server) {
  asio::io_context context;
  Lookup lookup;
  lookup.endpoints =
      asio::ip::tcp::resolver(context).resolve(server.host, server.port, lookup.error);
  return lookup;
}

/// A name, an IPv4 address, or what stands in the brackets of an IPv6 address, with its zone.
bool may_stand_in_host(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(".-_:%").find(c) != std::string_view::npos;
}

/// As a URL and the Host field have it.
std::string authority(const ServerAddress& server) {
  const bool ipv6 = server.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", server.host, ipv6 ? "]" : "", server.port);
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// One connection. Deadlines of Beast's stream work with asynchronous operations only, so each step
/// runs the context until its one operation is done.
class Connection {
 public:
  Connection(const ServerAddress& server, std::chrono::milliseconds timeout)
      : name_(authority(server)), timeout_(timeout), stream_(context_) {
    stream_.expires_after(timeout);
  }

  Status open(const ServerAddress& server) {
    const std::optional<Lookup> lookup =
        finish_within<Lookup>(timeout_, [server] { return look_up(server); });
    if (!lookup) return failed("cannot be resolved", beast::error::timeout);
    if (lookup->error) return failed("cannot be resolved", lookup->error);
    beast::error_code error;
    stream_.async_connect(lookup->endpoints,
                          [&error](beast::error_code code, const auto&) { error = code; });
    run();
    return error ? Status(failed("cannot be reached", error)) : Status();
  }

  Status send(const ServerAddress& server, const std::string& target, std::string_view accept) {
    http::request<http::empty_body> request{http::verb::get, target, 11};
    request.set(http::field::host, authority(server));
    request.set(http::field::user_agent, "heddle");
    request.set(http::field::accept, accept);
    request.set(http::field::connection, "close");
    beast::error_code error;
    http::async_write(stream_, request,
                      [&error](beast::error_code code, std::size_t) { error = code; });
    run();
    return error ? Status(failed("does not take the request", error)) : Status();
  }

  template <class Parser>
  Status read_header(Parser& parser) {
    beast::error_code error;
    http::async_read_header(stream_, buffer_, parser,
                            [&error](beast::error_code code, std::size_t) { error = code; });
    run();
    return error ? Status(failed("does not answer", error)) : Status();
  }

  template <class Parser>
  Status read_rest(Parser& parser) {
    beast::error_code error;
    http::async_read(stream_, buffer_, parser,
                     [&error](beast::error_code code, std::size_t) { error = code; });
    run();
    if (error == http::error::need_buffer) error = {};
    return error ? Status(failed("stopped in the middle of its answer", error)) : Status();
  }

  /// What comes next of the body, as soon as there is anything.
  template <class Parser>
  Status read_some(Parser& parser) {
    beast::error_code error;
    http::async_read_some(stream_, buffer_, parser,
                          [&error](beast::error_code code, std::size_t) { error = code; });
    run();
    if (error == http::error::need_buffer) error = {};
    return error ? Status(failed("stopped in the middle of its answer", error)) : Status();
  }

  /// A new deadline, from now on.
  void expire_after(std::chrono::milliseconds time) { stream_.expires_after(time); }

 private:
  void run() {
    context_.restart();
    context_.run();
  }
  [[nodiscard]] tl::unexpected<model::Error> failed(std::string_view what,
                                                    const beast::error_code& error) const {
    const bool late = error == beast::error::timeout;
    return fail(late ? Errc::kTimeout : Errc::kUnavailable,
                fmt::format("http://{} {}: {}", name_, what,
                            late ? std::string("no answer in time") : error.message()));
  }

  std::string name_;
  std::chrono::milliseconds timeout_;
  asio::io_context context_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
};

}  // namespace

Result<ServerAddress> parse_server(std::string_view url) {
  const auto wrong = [url](std::string_view why) {
    return fail(Errc::kInvalidInput, fmt::format("--server: '{}' {}", url, why));
  };
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) return wrong("asks for TLS, which is not supported");
  if (!url.starts_with(kScheme)) return wrong("is not of the form http://HOST:PORT");
  std::string_view rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  ServerAddress address{std::string(rest), "80"};
  // An IPv6 address stands in brackets, since it holds colons itself.
  const std::size_t host_end = rest.starts_with('[') ? rest.find(']') : std::size_t{0};
  if (host_end == std::string_view::npos) return wrong("lacks the bracket behind its address");
  const std::size_t colon = rest.find(':', host_end);
  if (colon != std::string_view::npos) {
    address.host = std::string(rest.substr(0, colon));
    address.port = std::string(rest.substr(colon + 1));
    const auto port = model::parse_decimal(address.port, 65535);
    if (!port || *port == 0) return wrong("has no port of 1 to 65535 behind its colon");
  }
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || !std::ranges::all_of(address.host, may_stand_in_host)) {
    return wrong("is not of the form http://HOST:PORT");
  }
  return address;
}

Result<HttpAnswer> HttpClient::get(const std::string& target) const {
  Connection connection(server_, timeout_);
  if (const Status status = connection.open(server_); !status) return fail(status.error());
  if (const Status status = connection.send(server_, target, "application/json"); !status) {
    return fail(status.error());
  }
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxBody);
  if (const Status status = connection.read_rest(parser); !status) return fail(status.error());
  return HttpAnswer{parser.get().result_int(), std::move(parser.get().body())};
}

Result<HttpAnswer> HttpClient::stream(const std::string& target,
                                      const std::function<bool(std::string_view)>& take) const {
  Connection connection(server_, timeout_);
  if (const Status status = connection.open(server_); !status) return fail(status.error());
  if (const Status status = connection.send(server_, target, "text/event-stream"); !status) {
    return fail(status.error());
  }
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  if (const Status status = connection.read_header(parser); !status) return fail(status.error());
  const bool streams = parser.get().result() == http::status::ok;
  HttpAnswer answer{parser.get().result_int(), {}};
  std::array<char, 4096> piece{};
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    parser.get().body().more = true;
    if (streams) connection.expire_after(silence_);
    if (const Status status = connection.read_some(parser); !status) {
      if (!streams || status.error().code != Errc::kTimeout) return fail(status.error());
      return fail(Errc::kTimeout, fmt::format("http://{} sent nothing for {:.3g} s",
                                              authority(server_), seconds(silence_)));
    }
    const std::string_view text(piece.data(), piece.size() - parser.get().body().size);
    if (text.empty()) continue;
    if (!streams) {
      answer.body.append(text);
      if (answer.body.size() > kMaxBody) break;
    } else if (!take(text)) {
      break;
    }
  }
  return answer;
}

}  // namespace heddle::cli
