#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "mad/engine.hpp"

namespace heddle::daemon {

/// The small part of /metrics that is about heddled itself: requests, MADs, memory. All methods
/// from any thread.
class OwnMetrics {
 public:
  explicit OwnMetrics(std::string fabric_name);

  /// `target` as the client sent it; what is not an endpoint is counted as `other`.
  void request_finished(std::string_view target, unsigned status,
                        std::chrono::nanoseconds duration);
  /// Prometheus text, with the MAD engine's figures.
  [[nodiscard]] std::string text(const mad::MadStats& mad, std::size_t backing_off) const;

 private:
  prometheus::Labels constant_labels_;
  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& seconds_;
};

/// The endpoint that a request target belongs to, for a label with few values.
[[nodiscard]] std::string_view endpoint_of(std::string_view target) noexcept;

}  // namespace heddle::daemon
