#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>

#include "daemon/config.hpp"
#include "daemon/http_service.hpp"
#include "model/result.hpp"

namespace heddle::daemon {

/// HTTP/1.1 on one loopback address: threads of its own, a strand a connection, limits on
/// connections, header, body and time, keep-alive, event streams. What is no HTTP is answered with
/// a problem object and the connection is closed. When all places are taken, the connection that
/// has been idle for the longest makes room for a new one; if none is idle, the new one is answered
/// 503.
class HttpServer {
 public:
  struct Options {
    Config::Listen listen;
    HttpLimits limits;
    std::uint32_t threads = 2;
    /// Descriptors that the process may have: limits.connections beyond what they allow is as much.
    std::uint64_t open_files = std::numeric_limits<std::uint64_t>::max();
    std::chrono::milliseconds heartbeat{15000};  ///< of event streams without events
    /// Gets the text of each exception that cost a connection. From the server's threads.
    std::function<void(std::string_view)> failed = [](std::string_view) {};
  };

  /// Binds and starts. `service` outlives the server.
  [[nodiscard]] static model::Result<std::unique_ptr<HttpServer>> start(Options options,
                                                                        HttpService& service);
  /// As stop() with no time to wait.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port in use, also where a free one was asked for.
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// For requests that begin from now on. Any thread.
  void set_limits(HttpLimits limits);
  /// When the server's loop last came round; it does so each half second. Any thread.
  [[nodiscard]] std::chrono::steady_clock::time_point last_beat() const noexcept;
  [[nodiscard]] std::size_t open_connections() const;

  /// Takes no further connection, ends idle ones and streams, lets answers in progress finish for
  /// at most `patience`, then closes what is left and joins the threads. Once, from one thread.
  void stop(std::chrono::milliseconds patience);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::daemon
