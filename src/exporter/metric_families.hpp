#pragma once

#include "exporter/metric_rows.hpp"
#include "exporter/metric_writer.hpp"

namespace heddle::exporter {

/// Totals of every port: the names of the field, and heddle's own for what the field has no name
/// for.
void write_counter_families(MetricWriter& out, const PortRows& rows, Compatibility compatibility);

/// Ports and devices: state, rate, name, peer.
void write_info_families(MetricWriter& out, const View& view, const PortRows& rows,
                         Compatibility compatibility);

/// How often cables went down and for how long.
void write_link_histories(MetricWriter& out, const View& view, const PortRows& rows);

/// The fabric as a whole and heddle's own work.
void write_service_families(MetricWriter& out, const View& view, const PortRows& rows,
                            Compatibility compatibility);

}  // namespace heddle::exporter
