#include <fmt/format.h>

#include <algorithm>

#include "exporter/metric_families.hpp"
#include "exporter/rest_values.hpp"

namespace heddle::exporter {
namespace {

constexpr std::uint64_t kOne = 1;

/// 1 up, 0 down, nothing where not known. Logically up is more than physically up: OpenSM may have
/// disabled the port.
std::optional<std::uint64_t> up(const model::Port& port) noexcept {
  switch (port.state) {
    case model::PortState::kDown:
      return 0;
    case model::PortState::kInit:
    case model::PortState::kArmed:
    case model::PortState::kActive:
      return 1;
    case model::PortState::kUnknown:
      break;
  }
  if (port.physical_state == model::PhysicalState::kUnknown) return std::nullopt;
  return port.physical_state == model::PhysicalState::kLinkUp ? 1 : 0;
}

void write_port_states(MetricWriter& out, const View& view, const PortRows& rows,
                       DeviceClass device) {
  out.family(std::string(prefix_of(device)) + "port_state", MetricType::kGauge,
             "Whether the port is up (1) or down (0)");
  for (const PortRow& row : rows.rows()) {
    if (row.device != device) continue;
    if (const auto state = up(view.fabric->port(row.port))) out.sample(rows.labels(row), *state);
  }
}

/// The rate of an active link; a port that is down has none, whatever its PortInfo still says.
template <class RateOf>
void write_rates(MetricWriter& out, const View& view, const PortRows& rows, DeviceClass device,
                 RateOf rate_of) {
  for (const PortRow& row : rows.rows()) {
    const model::Port& port = view.fabric->port(row.port);
    if (row.device != device || up(port) == 0U) continue;
    if (const auto rate = rate_of(port.rate)) {
      out.sample(rows.labels(row), static_cast<double>(rate->value()) / 8.0);
    }
  }
}

void write_rate_families(MetricWriter& out, const View& view, const PortRows& rows,
                         DeviceClass device, Compatibility compatibility) {
  // treydock says hca_rate where it says switch_port_rate; the fork says port for both.
  const bool no_port = device == DeviceClass::kHca && compatibility == Compatibility::kTreydock;
  const std::string stem = std::string(prefix_of(device)) + (no_port ? "" : "port_");
  out.family(stem + "rate_bytes_per_second", MetricType::kGauge,
             "What the link carries at most, in packets, one direction");
  write_rates(out, view, rows, device, [](model::LinkRate rate) { return model::data_rate(rate); });
  out.family(stem + "raw_rate_bytes_per_second", MetricType::kGauge,
             "Signalling rate of the link, coding included, one direction");
  write_rates(out, view, rows, device,
              [](model::LinkRate rate) { return model::signalling_rate(rate); });
}

/// fabric, guid and the name of a device.
std::string device_labels(const PortRows& rows, const model::Node& node) {
  std::string labels(rows.fabric_label());
  append_label(labels, "guid", fmt::to_string(node.guid));
  append_label(labels, name_label_of(class_of(node)), node.description);
  return labels;
}

std::string lid_text(std::optional<model::Lid> lid) {
  return lid ? fmt::to_string(*lid) : std::string{};
}

void write_devices(MetricWriter& out, const View& view, const PortRows& rows, DeviceClass device) {
  out.family(std::string(prefix_of(device)) + "info", MetricType::kGauge,
             "Name and LID of the device");
  const model::Fabric& fabric = *view.fabric;
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    const model::Node& node = fabric.node(model::NodeIndex{i});
    if (class_of(node) != device) continue;
    std::string labels = device_labels(rows, node);
    append_label(labels, "lid", lid_text(lid_of(fabric, model::NodeIndex{i})));
    out.sample(labels, kOne);
  }
}

/// As ibnetdiscover --ports writes it, which shows SHARP nodes as the channel adapters they are.
std::string_view uplink_type(model::NodeKind kind) noexcept {
  switch (kind) {
    case model::NodeKind::kSwitch:
      return "SW";
    case model::NodeKind::kRouter:
      return "RT";
    case model::NodeKind::kHostAdapter:
    case model::NodeKind::kAggregationNode:
      return "CA";
    case model::NodeKind::kUnknown:
      break;
  }
  return "unknown";
}

void write_uplinks(MetricWriter& out, const View& view, const PortRows& rows, DeviceClass device,
                   Compatibility compatibility) {
  out.family(std::string(prefix_of(device)) + "uplink_info", MetricType::kGauge,
             "What the port is cabled to");
  const model::Fabric& fabric = *view.fabric;
  std::string labels;
  for (const PortRow& row : rows.rows()) {
    if (row.device != device) continue;
    const std::optional<model::PortIndex> peer = fabric.peer(row.port);
    if (!peer) continue;
    const model::Node& other = fabric.node(fabric.port(*peer).node);
    labels = rows.labels(row);
    if (compatibility == Compatibility::kTreydock) {
      append_label(labels, name_label_of(device),
                   fabric.node(fabric.port(row.port).node).description);
    }
    append_label(labels, "uplink", other.description);
    append_label(labels, "uplink_guid", fmt::to_string(other.guid));
    append_label(labels, "uplink_type", uplink_type(other.kind));
    append_label(labels, "uplink_port", fmt::to_string(fabric.port(*peer).number));
    append_label(labels, "uplink_lid", lid_text(fabric.management_lid(*peer)));
    out.sample(labels, kOne);
  }
}

/// When the last complete sweep of data counters began; nothing before the first, and nothing where
/// it was so long ago that who answered it says nothing of now.
std::optional<std::chrono::steady_clock::time_point> last_sweep_began(const View& view) {
  if (!view.counters || view.data_overdue) return std::nullopt;
  const auto job = std::ranges::find(view.jobs, "counters_data", &JobStatus::name);
  if (job == view.jobs.end() || !job->last_completed_at) return std::nullopt;
  // Completion is noted a moment after the last answer, and dates may step by as much.
  constexpr std::chrono::seconds kSlack{1};
  const auto ago = view.counters->published_at_wall - *job->last_completed_at;
  return view.counters->published_at -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(ago) - job->last_duration -
         kSlack;
}

/// A device that the last complete sweep of data counters asked.
struct Asked {
  const model::Node* node;
  bool answered;  ///< on any of its ports
};

/// Those of all classes, in order of GUID; none before the first sweep.
std::vector<Asked> asked_devices(const View& view, const PortRows& rows) {
  std::vector<Asked> devices;
  const auto began = last_sweep_began(view);
  if (!began) return devices;
  auto row = rows.rows().begin();
  const model::Fabric& fabric = *view.fabric;
  for (std::uint32_t i = 0; i < fabric.nodes().size(); ++i) {
    bool asked = false;
    bool fresh = false;
    for (; row != rows.rows().end() && fabric.port(row->port).node.value() == i; ++row) {
      const auto read_at =
          row->totals == nullptr ? std::nullopt : row->totals->time_of(model::CounterGroup::kData);
      asked = asked || fabric.peer(row->port).has_value();
      fresh = fresh || (read_at && *read_at >= *began);
    }
    if (asked || fresh) devices.push_back({&fabric.node(model::NodeIndex{i}), fresh});
  }
  return devices;
}

void write_answering(MetricWriter& out, const std::vector<Asked>& devices, const PortRows& rows,
                     DeviceClass device, Compatibility compatibility) {
  const std::string prefix(prefix_of(device));
  if (compatibility == Compatibility::kSckyzo) {
    out.family(prefix + "up", MetricType::kGauge,
               "Whether the device answered the last complete sweep of data counters");
    for (const Asked& asked : devices) {
      if (class_of(*asked.node) != device) continue;
      out.sample(device_labels(rows, *asked.node), asked.answered ? kOne : 0);
    }
  }
  out.family(prefix + "collect_timeout", MetricType::kGauge,
             "Whether the last complete sweep of data counters got no answer from the device");
  for (const Asked& asked : devices) {
    if (class_of(*asked.node) != device) continue;
    std::string labels(rows.fabric_label());
    append_label(labels, "guid", fmt::to_string(asked.node->guid));
    append_label(labels, "collector", name_label_of(device));
    out.sample(labels, asked.answered ? 0 : kOne);
  }
}

}  // namespace

void write_info_families(MetricWriter& out, const View& view, const PortRows& rows,
                         Compatibility compatibility) {
  const std::vector<Asked> asked = asked_devices(view, rows);
  for (const DeviceClass device : {DeviceClass::kSwitch, DeviceClass::kHca}) {
    write_port_states(out, view, rows, device);
    write_rate_families(out, view, rows, device, compatibility);
    write_devices(out, view, rows, device);
    write_uplinks(out, view, rows, device, compatibility);
    write_answering(out, asked, rows, device, compatibility);
  }
}

}  // namespace heddle::exporter
