#include "daemon/own_metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

namespace heddle::daemon {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::array<std::string_view, 11> kEndpoints{
    "/metrics",  "/healthz",  "/readyz",   "/openapi.json", "/v1/fabric", "/v1/status",
    "/v1/nodes", "/v1/links", "/v1/ports", "/v1/events",    "/v1/routing"};

/// Upper bounds in seconds.
constexpr std::array kRequestBuckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                     0.05,   0.1,   0.25,   0.5,   1.0,  2.5};

class FamilyList {
 public:
  explicit FamilyList(const prometheus::Labels& labels) {
    for (const auto& [name, value] : labels) labels_.push_back({name, value});
  }
  void counter(const char* name, const char* help, double value) {
    ClientMetric metric;
    metric.counter.value = value;
    add(name, help, MetricType::Counter, std::move(metric));
  }
  void gauge(const char* name, const char* help, double value) {
    ClientMetric metric;
    metric.gauge.value = value;
    add(name, help, MetricType::Gauge, std::move(metric));
  }
  void round_trips(const mad::MadStats& mad) {
    ClientMetric metric;
    double bound = 64e-6;
    for (std::size_t i = 0; i < mad.round_trip.size(); ++i, bound *= 2) {
      metric.histogram.sample_count += mad.round_trip[i];
      const bool last = i + 1 == mad.round_trip.size();
      metric.histogram.bucket.push_back(
          {metric.histogram.sample_count, last ? std::numeric_limits<double>::infinity() : bound});
    }
    metric.histogram.sample_sum = mad.round_trip_seconds_sum;
    add("heddle_mad_round_trip_seconds", "Time from a query's last sending to its answer.",
        MetricType::Histogram, std::move(metric));
  }
  std::vector<MetricFamily> families;

 private:
  void add(const char* name, const char* help, MetricType type, ClientMetric metric) {
    metric.label = labels_;
    families.push_back({name, help, type, {std::move(metric)}});
  }
  std::vector<ClientMetric::Label> labels_;
};

void add_process(FamilyList& list) {
  // /proc/self/statm: total and resident size in pages (proc(5)).
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  if (statm >> total >> resident) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    list.gauge("process_virtual_memory_bytes", "Address space of heddled.", total * page);
    list.gauge("process_resident_memory_bytes", "Memory that heddled occupies.", resident * page);
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    list.counter("process_cpu_seconds_total", "User and system time of heddled.",
                 seconds(usage.ru_utime) + seconds(usage.ru_stime));
  }
}

void add_mad(FamilyList& list, const mad::MadStats& mad) {
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    list.counter(name, help, static_cast<double>(value));
  };
  counter("heddle_mad_sent_total", "MADs sent, retries included.", mad.sent);
  counter("heddle_mad_replies_total", "Answers that belong to a query.", mad.replies);
  counter("heddle_mad_retries_total", "Queries sent again.", mad.retries);
  counter("heddle_mad_timeouts_total", "Attempts without an answer in time.", mad.timeouts);
  counter("heddle_mad_failures_total", "Queries given up after all attempts.", mad.failures);
  counter("heddle_mad_refused_total", "Answers with an error status.", mad.refused);
  counter("heddle_mad_mute_skips_total", "Queries not sent to a device that is backing off.",
          mad.mute_skips);
  counter("heddle_mad_strays_total", "Late, duplicate or foreign MADs, ignored.", mad.strays);
  list.round_trips(mad);
}

}  // namespace

std::string_view endpoint_of(std::string_view target) noexcept {
  if (target.empty()) return "none";
  const std::string_view path = target.substr(0, target.find('?'));
  const auto it = std::ranges::find_if(kEndpoints, [path](std::string_view endpoint) {
    return path.starts_with(endpoint) &&
           (path.size() == endpoint.size() || path[endpoint.size()] == '/');
  });
  return it == kEndpoints.end() ? std::string_view("other") : *it;
}

OwnMetrics::OwnMetrics(std::string fabric_name)
    : constant_labels_{{"fabric", std::move(fabric_name)}},
      registry_(std::make_shared<prometheus::Registry>()),
      requests_(prometheus::BuildCounter()
                    .Name("heddle_api_requests_total")
                    .Help("Requests answered, by endpoint and status.")
                    .Labels(constant_labels_)
                    .Register(*registry_)),
      seconds_(prometheus::BuildHistogram()
                   .Name("heddle_api_request_seconds")
                   .Help("Time from a request's last byte to its answer's last byte.")
                   .Labels(constant_labels_)
                   .Register(*registry_)) {}

void OwnMetrics::request_finished(std::string_view target, unsigned status,
                                  std::chrono::nanoseconds duration) {
  const std::string path(endpoint_of(target));
  requests_.Add({{"path", path}, {"status", std::to_string(status)}}).Increment();
  const prometheus::Histogram::BucketBoundaries bounds(kRequestBuckets.begin(),
                                                       kRequestBuckets.end());
  seconds_.Add({{"path", path}}, bounds).Observe(std::chrono::duration<double>(duration).count());
}

std::string OwnMetrics::text(const mad::MadStats& mad, std::size_t backing_off) const {
  FamilyList list(constant_labels_);
  list.families = registry_->Collect();
  add_mad(list, mad);
  list.gauge("heddle_mad_mute_devices",
             "Devices that did not answer and are left alone for a while.",
             static_cast<double>(backing_off));
  add_process(list);
  return prometheus::TextSerializer().Serialize(list.families);
}

}  // namespace heddle::daemon
