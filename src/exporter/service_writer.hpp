#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/metric_writer.hpp"

namespace heddle::exporter {

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// Families with the fabric's label and few others.
class ServiceWriter {
 public:
  ServiceWriter(MetricWriter& out, std::string_view fabric_label)
      : out_(out), fabric_label_(fabric_label) {}

  void gauge(std::string_view name, std::string_view help) {
    out_.family(name, MetricType::kGauge, help);
  }
  void counter(std::string_view name, std::string_view help) {
    out_.family(name, MetricType::kCounter, help);
  }
  template <class Number>
  void sample(Labels labels, Number number) {
    std::string text(fabric_label_);
    for (const auto& [name, value] : labels) append_label(text, name, value);
    out_.sample(text, number);
  }
  void sample(Labels labels, bool truth) { sample(labels, std::uint64_t{truth ? 1U : 0U}); }
  void gauge(std::string_view name, std::string_view help, auto number) {
    gauge(name, help);
    sample({}, number);
  }

 private:
  MetricWriter& out_;
  std::string_view fabric_label_;
};

[[nodiscard]] inline double unix_seconds(std::chrono::system_clock::time_point time) noexcept {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace heddle::exporter
