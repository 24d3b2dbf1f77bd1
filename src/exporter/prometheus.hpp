#pragma once

#include <cstdint>
#include <string>

#include "exporter/view.hpp"

namespace heddle::exporter {

/// Whose dashboards must work: treydock/infiniband_exporter, or the SckyzO fork with its labels and
/// names.
enum class Compatibility : std::uint8_t { kTreydock, kSckyzo };

struct MetricsText {
  std::string body;
  std::uint64_t series = 0;
};

/// What is known from OpenSM's plugin, in the same format: it changes between two bodies, and is
/// little. Goes behind the body.
[[nodiscard]] std::string render_routing_metrics(const View& view);

/// The fabric's metrics in Prometheus text format 0.0.4 (names: docs/metrics.md). Deterministic:
/// ordered by metric, then GUID and port. A value that is not known is absent. The body is made in
/// the memory of `buffer` as far as that suffices: a former body, say, whatever it holds.
[[nodiscard]] MetricsText render_metrics(const View& view, Compatibility compatibility,
                                         std::string buffer = {});

}  // namespace heddle::exporter
