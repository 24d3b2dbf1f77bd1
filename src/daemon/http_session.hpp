#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "daemon/config.hpp"
#include "daemon/http_service.hpp"

/// One connection of the HTTP server. Internal to http_*.cpp, the only files that see Beast.
namespace heddle::daemon::http {

using Limits = HttpLimits;

/// What all sessions of one server share; outlives them. Called from any of the server's threads.
class SessionHost {
 public:
  SessionHost() = default;
  SessionHost(const SessionHost&) = delete;
  SessionHost& operator=(const SessionHost&) = delete;
  virtual ~SessionHost() = default;
  [[nodiscard]] virtual HttpService& service() noexcept = 0;
  [[nodiscard]] virtual Limits limits() const = 0;
  [[nodiscard]] virtual std::chrono::milliseconds heartbeat() const noexcept = 0;
  [[nodiscard]] virtual bool stopping() const noexcept = 0;
  /// Takes one of the places for streams; false if there is none left.
  [[nodiscard]] virtual bool enter_stream(std::uint32_t limit) noexcept = 0;
  virtual void leave_stream() noexcept = 0;
  /// Tells of an exception.
  virtual void failed(std::string_view what) noexcept = 0;
};

/// What a session tells its server of itself, from its strand.
class Standing {
 public:
  Standing() = default;
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  virtual ~Standing() = default;
  /// It waits for a request.
  virtual void idle() noexcept = 0;
  /// A request is coming in or being answered.
  virtual void busy() noexcept = 0;
};

/// Everything runs on the strand of `socket`'s executor.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, SessionHost& host);

  /// Serves the connection to its end. An exception costs this connection only: the client gets 500
  /// if nothing of an answer was sent yet. `self` keeps the session alive as long as this runs;
  /// `standing` outlives it.
  boost::asio::awaitable<void> run(std::shared_ptr<Session> self, Standing& standing);
  /// Answers 503, whatever the client asks, and ends the connection. `self` as for run().
  boost::asio::awaitable<void> turn_away(std::shared_ptr<Session> self);
  /// Ends the connection now if no request is coming in or being answered, else after the answer.
  void finish_soon();
  /// Ends the connection now if no answer is in progress, else after it: nobody knows when the rest
  /// of a request comes.
  void finish_answering();
  void abort();

  [[nodiscard]] boost::asio::any_io_executor executor() { return stream_.get_executor(); }

 private:
  using Clock = std::chrono::steady_clock;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  struct ProtocolError {
    unsigned status;
    std::string detail;
    std::string title = "Bad request";
  };
  /// Nothing: the client has left, or stayed silent for too long.
  using Incoming = std::variant<std::monostate, HttpRequest, ProtocolError>;

  boost::asio::awaitable<void> converse(Standing& standing);
  boost::asio::awaitable<void> answer_failure();
  boost::asio::awaitable<Incoming> read_request(Limits limits, Standing& standing);
  boost::asio::awaitable<Incoming> parse_request(Limits limits);
  [[nodiscard]] static Incoming failure_of(const boost::system::error_code& error, Limits limits);
  [[nodiscard]] static std::optional<ProtocolError> refusal_of(const Parser::value_type& message);
  boost::asio::awaitable<bool> answer(HttpAnswer answer, Limits limits);
  boost::asio::awaitable<bool> write(std::span<const boost::asio::const_buffer> parts,
                                     std::chrono::milliseconds timeout);
  boost::asio::awaitable<void> stream_events(EventStream start, Limits limits);
  boost::asio::awaitable<bool> wait_for_event();
  boost::asio::awaitable<void> close_gracefully();

  boost::beast::tcp_stream stream_;
  boost::asio::steady_timer wake_;  ///< of a stream: expires at the next heartbeat or event
  boost::beast::flat_buffer buffer_;
  SessionHost& host_;
  enum class Phase : std::uint8_t { kIdle, kReading, kAnswering };
  Phase phase_ = Phase::kIdle;
  bool leaving_ = false;  ///< the answer in progress is the last
  bool owes_ = false;     ///< a request was read of whose answer nothing was sent
  bool keep_alive_ = false;
  bool head_ = false;
  std::string target_;
};

}  // namespace heddle::daemon::http
