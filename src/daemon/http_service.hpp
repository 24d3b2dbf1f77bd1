#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/event_log.hpp"
#include "exporter/rest.hpp"

namespace heddle::daemon {

/// A request after HTTP has been taken off it.
struct HttpRequest {
  exporter::Request request;
  bool accepts_gzip = false;
  bool accepts_event_stream = false;
  std::optional<std::uint64_t> last_event_id;  ///< Last-Event-ID of a client that comes back
};

/// An answer with its whole body: `shared_prefix`, which many answers may share, then
/// `response.body`.
struct HttpAnswer {
  exporter::Response response;
  std::shared_ptr<const std::string> shared_prefix;  ///< may be null
};

/// An answer without end: the events that pass the filter, from the one after `after` on.
struct EventStream {
  exporter::EventFilter filter;
  std::uint64_t after = 0;
};

/// What the HTTP server serves. All methods are called from its threads, several at once.
class HttpService {
 public:
  HttpService() = default;
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;
  virtual ~HttpService() = default;

  [[nodiscard]] virtual std::variant<HttpAnswer, EventStream> serve(const HttpRequest& request) = 0;
  /// After each answer, those that the server gives on its own included (`target` is empty then).
  virtual void finished(std::string_view target, unsigned status,
                        std::chrono::nanoseconds duration) noexcept = 0;
  [[nodiscard]] virtual EventLog& events() noexcept = 0;
};

}  // namespace heddle::daemon
