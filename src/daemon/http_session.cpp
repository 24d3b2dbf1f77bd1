#include "daemon/http_session.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_prefix.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <exception>
#include <iterator>

#include "daemon/event_stream.hpp"
#include "daemon/http_fields.hpp"
#include "daemon/http_host.hpp"

namespace heddle::daemon::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using beast::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
/// As much as one write may hold; the client must take some of it within the write time-out.
constexpr std::size_t kWriteBytes = 1U << 20;
constexpr std::size_t kStreamBatch = 64;
/// After the last answer: how much and how long a client may still send.
constexpr std::size_t kMaxDrain = 65536;
constexpr std::chrono::milliseconds kDrainTime{500};

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

std::string head_of(const HttpAnswer& answer, std::size_t body_bytes, bool keep_alive) {
  const auto reason =
      text_of(beast::http::obsolete_reason(beast::http::int_to_status(answer.response.status)));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nServer: heddled\r\nContent-Type: {}\r\nConnection: {}\r\n",
                  answer.response.status, reason, answer.response.content_type,
                  keep_alive ? "keep-alive" : "close");
  // 304 has no body of its own, and a length would be that of the body not sent (RFC 9110, 8.6).
  if (answer.response.status != 304) head += fmt::format("Content-Length: {}\r\n", body_bytes);
  for (const auto& [name, value] : answer.response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + "\r\n";
}

std::string detail_of(const error_code& error) {
  return "the request is not valid HTTP/1.1: " + error.message();
}

/// What the client waits for before it sends the body (RFC 9110, section 10.1.1).
enum class Expects : std::uint8_t { kNothing, kContinue, kSomethingElse };
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

using Message = beast::http::request<beast::http::string_body>;

Expects expectation_of(const Message& message) {
  Expects expects = Expects::kNothing;
  if (message.version() < 11) return expects;  // HTTP/1.0 does not know them
  const auto fields = message.equal_range(beast::http::field::expect);
  for (auto it = fields.first; it != fields.second; ++it) {
    if (!beast::iequals(it->value(), "100-continue")) return Expects::kSomethingElse;
    expects = Expects::kContinue;
  }
  return expects;
}

HttpRequest request_of(const Message& message) {
  namespace http = beast::http;
  HttpRequest request;
  request.request.method = text_of(message.method_string());
  request.request.target = text_of(message.target());
  if (const auto it = message.find(http::field::if_none_match); it != message.end()) {
    request.request.if_none_match = text_of(it->value());
  }
  request.accepts_gzip = accepts(text_of(message[http::field::accept_encoding]), "gzip");
  request.accepts_event_stream =
      accepts(text_of(message[http::field::accept]), "text/event-stream");
  request.last_event_id = last_event_id(text_of(message["Last-Event-ID"]));
  return request;
}

/// One of the places for streams, as long as it lives.
class StreamPlace {
 public:
  StreamPlace(SessionHost& host, std::uint32_t limit) noexcept
      : host_(host), taken_(host.enter_stream(limit)) {}
  ~StreamPlace() {
    if (taken_) host_.leave_stream();
  }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  [[nodiscard]] bool taken() const noexcept { return taken_; }

 private:
  SessionHost& host_;
  bool taken_;
};

}  // namespace

Session::Session(asio::ip::tcp::socket socket, SessionHost& host)
    : stream_(std::move(socket)), wake_(stream_.get_executor()), host_(host) {}

asio::awaitable<void> Session::run(std::shared_ptr<Session> self, Standing& standing) {
  bool threw = true;
  try {
    co_await self->converse(standing);
    threw = false;
  } catch (const std::exception& thrown) {
    host_.failed(thrown.what());
  }
  // An answer that was cut off must not look complete: no orderly end then.
  if (threw && !owes_) {
    abort();
    co_return;
  }
  if (threw) co_await self->answer_failure();
  co_await self->close_gracefully();
}

asio::awaitable<void> Session::answer_failure() {
  keep_alive_ = false;
  HttpAnswer reply;
  reply.response = exporter::problem(500, "Internal error", "the request could not be answered");
  static_cast<void>(co_await answer(std::move(reply), host_.limits()));
  host_.service().finished(target_, 500, {});
}

asio::awaitable<void> Session::turn_away(std::shared_ptr<Session> self) {
  HttpAnswer reply;
  reply.response = exporter::problem(503, "Too many connections",
                                     "as many connections as allowed are open; try later");
  reply.response.headers.emplace_back("Retry-After", "1");
  const bool written = co_await self->answer(std::move(reply), host_.limits());
  host_.service().finished({}, 503, {});
  if (written) co_await self->close_gracefully();
}

asio::awaitable<void> Session::converse(Standing& standing) {
  keep_alive_ = true;
  while (keep_alive_ && !leaving_ && !host_.stopping()) {
    const Limits limits = host_.limits();
    phase_ = Phase::kIdle;
    Incoming incoming = co_await read_request(limits, standing);
    if (std::holds_alternative<std::monostate>(incoming)) break;
    phase_ = Phase::kAnswering;
    const Clock::time_point began = Clock::now();
    owes_ = true;
    HttpAnswer reply;
    if (const auto* wrong = std::get_if<ProtocolError>(&incoming)) {
      keep_alive_ = false;
      reply.response = exporter::problem(wrong->status, wrong->title, wrong->detail);
    } else {
      auto outcome = host_.service().serve(std::get<HttpRequest>(incoming));
      if (auto* start = std::get_if<EventStream>(&outcome); start != nullptr && !head_) {
        if (const StreamPlace place(host_, limits.streams); place.taken()) {
          co_await stream_events(std::move(*start), limits);
          break;
        }
        reply.response = exporter::problem(503, "Too many streams",
                                           "all places for event streams are taken; try later");
      } else if (start != nullptr) {
        reply.response.content_type = "text/event-stream";
      } else {
        reply = std::move(std::get<HttpAnswer>(outcome));
      }
    }
    const unsigned status = reply.response.status;
    if (leaving_ || host_.stopping()) keep_alive_ = false;
    const bool written = co_await answer(std::move(reply), limits);
    host_.service().finished(target_, status, Clock::now() - began);
    if (!written) break;
  }
}

asio::awaitable<Session::Incoming> Session::read_request(Limits limits, Standing& standing) {
  target_.clear();
  head_ = false;
  if (buffer_.size() == 0) {
    standing.idle();
    stream_.expires_after(limits.idle_timeout);
    const auto space = buffer_.prepare(std::size_t{4096});
    const auto [error, bytes] = co_await stream_.async_read_some(space, kNoThrow);
    if (error) co_return std::monostate{};
    buffer_.commit(bytes);
  }
  phase_ = Phase::kReading;
  standing.busy();
  Incoming incoming = co_await parse_request(limits);
  co_return incoming;
}

asio::awaitable<Session::Incoming> Session::parse_request(Limits limits) {
  const Clock::time_point deadline = Clock::now() + limits.header_timeout;
  stream_.expires_at(deadline);
  Parser parser;
  parser.header_limit(limits.header_bytes);
  parser.body_limit(limits.body_bytes);
  const auto [bad_header, header_bytes] =
      co_await beast::http::async_read_header(stream_, buffer_, parser, kNoThrow);
  if (bad_header) co_return failure_of(bad_header, limits);
  const auto& message = parser.get();
  head_ = message.method() == beast::http::verb::head;
  if (auto refusal = refusal_of(message)) co_return std::move(*refusal);
  // A client that has begun to send the body does not wait for leave to do so.
  if (!parser.is_done() && buffer_.size() == 0 && expectation_of(message) == Expects::kContinue) {
    const std::array<asio::const_buffer, 1> parts{asio::buffer(kContinue)};
    const bool written = co_await write(parts, limits.write_timeout);
    if (!written) co_return std::monostate{};
    stream_.expires_at(deadline);
  }
  if (!parser.is_done()) {
    const auto [bad_body, body_bytes] =
        co_await beast::http::async_read(stream_, buffer_, parser, kNoThrow);
    if (bad_body) co_return failure_of(bad_body, limits);
  }
  keep_alive_ = message.keep_alive();
  target_ = text_of(message.target());
  co_return request_of(message);
}

Session::Incoming Session::failure_of(const error_code& error, Limits limits) {
  if (error == beast::http::error::header_limit) {
    return ProtocolError{
        431, fmt::format("the request's header is larger than {} bytes", limits.header_bytes)};
  }
  if (error == beast::http::error::body_limit) {
    return ProtocolError{
        413, fmt::format("the request's body is larger than {} bytes", limits.body_bytes)};
  }
  // The stream closes itself when its time is over, so there is nobody left to tell.
  if (error == beast::error::timeout || error == beast::http::error::end_of_stream ||
      error == beast::http::error::partial_message) {
    return std::monostate{};
  }
  if (error.category() == beast::http::make_error_code(beast::http::error::bad_method).category()) {
    return ProtocolError{400, detail_of(error)};
  }
  return std::monostate{};
}

std::optional<Session::ProtocolError> Session::refusal_of(const Parser::value_type& message) {
  const auto hosts = message.equal_range(beast::http::field::host);
  const auto host_count = std::distance(hosts.first, hosts.second);
  // RFC 9112, section 3.2: HTTP/1.1 wants one, and nothing may have two.
  if (host_count > 1 || (host_count == 0 && message.version() > 10)) {
    return ProtocolError{400, "the request must have one Host header"};
  }
  const std::string host = text_of(message[beast::http::field::host]);
  if (!is_local_host(host) && !(host.empty() && message.version() == 10)) {
    return ProtocolError{421, "the Host header names neither localhost nor a loopback address",
                         "Misdirected request"};
  }
  if (expectation_of(message) == Expects::kSomethingElse) {
    return ProtocolError{417, "the only expectation that is met here is 100-continue",
                         "Expectation failed"};
  }
  return std::nullopt;
}

asio::awaitable<bool> Session::answer(HttpAnswer answer, Limits limits) {
  const std::size_t prefix_bytes = answer.shared_prefix ? answer.shared_prefix->size() : 0;
  const std::string head = head_of(answer, prefix_bytes + answer.response.body.size(), keep_alive_);
  std::array<asio::const_buffer, 3> parts{asio::buffer(head)};
  if (!head_ && answer.response.status != 304) {
    if (answer.shared_prefix) parts[1] = asio::buffer(*answer.shared_prefix);
    parts[2] = asio::buffer(answer.response.body);
  }
  const bool written = co_await write(parts, limits.write_timeout);
  co_return written;
}

asio::awaitable<bool> Session::write(std::span<const asio::const_buffer> parts,
                                     std::chrono::milliseconds timeout) {
  owes_ = false;
  beast::buffers_suffix<std::span<const asio::const_buffer>> rest(parts);
  while (beast::buffer_bytes(rest) != 0) {
    stream_.expires_after(timeout);
    const auto chunk = beast::buffers_prefix(kWriteBytes, rest);
    const auto [error, bytes] = co_await stream_.async_write_some(chunk, kNoThrow);
    if (error) co_return false;
    rest.consume(bytes);
  }
  co_return true;
}

asio::awaitable<void> Session::stream_events(EventStream start, Limits limits) {
  const Clock::time_point began = Clock::now();
  phase_ = Phase::kIdle;
  keep_alive_ = false;
  std::weak_ptr<Session> weak = weak_from_this();
  EventLog& log = host_.service().events();
  // Moving the expiry, instead of cancelling, also wakes a wait that is only about to begin.
  const auto subscription = log.subscribe([weak, executor = stream_.get_executor()] {
    asio::post(executor, [weak] {
      if (const auto session = weak.lock()) session->wake_.expires_after({});
    });
  });
  std::uint64_t cursor = start.after;
  std::string text =
      "HTTP/1.1 200 OK\r\nServer: heddled\r\nContent-Type: text/event-stream\r\n"
      "Cache-Control: no-store\r\nConnection: close\r\n\r\n";
  Clock::time_point next_heartbeat = began + host_.heartbeat();
  bool alive = true;
  while (alive && !host_.stopping()) {
    // Before the look into the log, so that an event that comes after it still ends the wait.
    wake_.expires_at(next_heartbeat);
    const EventLog::Tail tail = log.after(cursor, kStreamBatch);
    text += stream_text(tail, start.filter, cursor);
    if (text.empty() && tail.events.empty()) alive = co_await wait_for_event();
    if (text.empty() && Clock::now() >= next_heartbeat) text = kStreamHeartbeat;
    if (alive && !text.empty()) {
      const std::array<asio::const_buffer, 1> parts{asio::buffer(text)};
      alive = co_await write(parts, limits.write_timeout);
      text.clear();
      next_heartbeat = Clock::now() + host_.heartbeat();
    }
  }
  host_.service().finished(target_, 200, Clock::now() - began);
}

/// False if the client has closed its side or the session is to end.
asio::awaitable<bool> Session::wait_for_event() {
  using asio::experimental::awaitable_operators::operator||;
  std::array<char, 256> ignored;
  // No deadline of its own: the timer beside it ends the read.
  stream_.expires_never();
  const auto first = co_await (wake_.async_wait(kNoThrow) ||
                               stream_.socket().async_read_some(asio::buffer(ignored), kNoThrow));
  if (first.index() == 0) co_return !host_.stopping();
  co_return !std::get<0>(std::get<1>(first));
}

asio::awaitable<void> Session::close_gracefully() {
  phase_ = Phase::kIdle;
  error_code failure;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, failure);
  // What the client still sends must be read, or the kernel resets the connection and the client
  // may lose the last answer.
  std::array<char, 4096> sink;
  stream_.expires_after(kDrainTime);
  std::size_t drained = 0;
  while (!failure && drained < kMaxDrain) {
    const auto [error, bytes] = co_await stream_.async_read_some(asio::buffer(sink), kNoThrow);
    failure = error;
    drained += bytes;
  }
  stream_.close();
}

void Session::finish_soon() {
  leaving_ = true;
  if (phase_ != Phase::kIdle) return;
  wake_.expires_after({});
  abort();
}

void Session::finish_answering() {
  leaving_ = true;
  if (phase_ == Phase::kAnswering) return;
  wake_.expires_after({});
  abort();
}

void Session::abort() { stream_.close(); }

}  // namespace heddle::daemon::http
