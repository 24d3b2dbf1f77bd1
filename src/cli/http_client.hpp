#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::cli {

/// `http://host:port`, taken apart.
struct ServerAddress {
  std::string host;
  std::string port;
};
/// Port 80 where the text has none; no path, no TLS.
[[nodiscard]] model::Result<ServerAddress> parse_server(std::string_view url);

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

/// How long a stream may say nothing; heddled sends a heartbeat every 15 s.
inline constexpr std::chrono::milliseconds kStreamSilence{45'000};

/// A blocking HTTP/1.1 client: one connection a request, each with a deadline. Not for use from
/// several threads at once.
class HttpClient {
 public:
  HttpClient(ServerAddress server, std::chrono::milliseconds timeout,
             std::chrono::milliseconds silence = kStreamSilence)
      : server_(std::move(server)), timeout_(timeout), silence_(silence) {}

  /// The answer to GET, whatever its status.
  [[nodiscard]] model::Result<HttpAnswer> get(const std::string& target) const;

  /// GET of a stream (`Accept: text/event-stream`): `take` gets the body piece by piece as it comes
  /// and says whether to go on. The deadline holds until the header is there; then it is an error
  /// if nothing comes for `silence`. An answer with another status than 200 is returned as it is,
  /// without `take`.
  [[nodiscard]] model::Result<HttpAnswer> stream(
      const std::string& target, const std::function<bool(std::string_view)>& take) const;

 private:
  ServerAddress server_;
  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds silence_;
};

}  // namespace heddle::cli
