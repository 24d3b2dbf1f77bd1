#include "exporter/prometheus.hpp"

#include <utility>

#include "exporter/metric_families.hpp"

namespace heddle::exporter {

MetricsText render_metrics(const View& view, Compatibility compatibility, std::string buffer) {
  const PortRows rows(view, compatibility);
  MetricWriter out(std::move(buffer));
  out.reserve(rows.expected_bytes());
  write_counter_families(out, rows, compatibility);
  write_info_families(out, view, rows, compatibility);
  write_link_histories(out, view, rows);
  write_service_families(out, view, rows, compatibility);
  const std::uint64_t series = out.series();
  return {.body = std::move(out).take(), .series = series};
}

}  // namespace heddle::exporter
