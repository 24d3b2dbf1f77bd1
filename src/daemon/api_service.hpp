#pragma once

#include <functional>
#include <memory>

#include "daemon/http_service.hpp"
#include "daemon/own_metrics.hpp"
#include "daemon/published.hpp"

namespace heddle::daemon {

/// Answers requests from what is published: the exporter's pure handlers, /metrics from its
/// prepared body, event streams. Everything that it is made of outlives it.
class ApiService final : public HttpService {
 public:
  ApiService(const PublishedCell& published, EventLog& events, OwnMetrics& metrics) noexcept
      : published_(published), events_(events), metrics_(metrics) {}

  [[nodiscard]] std::variant<HttpAnswer, EventStream> serve(const HttpRequest& request) override;
  void finished(std::string_view target, unsigned status,
                std::chrono::nanoseconds duration) noexcept override;
  [[nodiscard]] EventLog& events() noexcept override { return events_; }

 private:
  [[nodiscard]] HttpAnswer metrics(const HttpRequest& request) const;

  const PublishedCell& published_;
  EventLog& events_;
  OwnMetrics& metrics_;
};

}  // namespace heddle::daemon
