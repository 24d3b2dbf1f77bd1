#include "exporter/metric_rows.hpp"

#include <bit>

#include "exporter/metric_writer.hpp"
#include "exporter/rest_values.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

/// Names that the SckyzO fork adds: a switch port's switch; an adapter, and the switch it hangs at.
void append_names(std::string& labels, const model::Fabric& fabric, model::PortIndex port,
                  DeviceClass device) {
  const model::Node& node = fabric.node(fabric.port(port).node);
  append_label(labels, name_label_of(device), node.description);
  if (device == DeviceClass::kSwitch) return;
  const auto peer = fabric.peer(port);
  const model::Node* const other = peer ? &fabric.node(fabric.port(*peer).node) : nullptr;
  const bool at_switch = other != nullptr && other->kind == model::NodeKind::kSwitch;
  append_label(labels, "switch", at_switch ? std::string_view(other->description) : "");
}

}  // namespace

std::string_view prefix_of(DeviceClass device) noexcept {
  return device == DeviceClass::kSwitch ? "infiniband_switch_" : "infiniband_hca_";
}

std::string_view name_label_of(DeviceClass device) noexcept {
  return device == DeviceClass::kSwitch ? "switch" : "hca";
}

DeviceClass class_of(const model::Node& node) noexcept {
  return node.kind == model::NodeKind::kSwitch ? DeviceClass::kSwitch : DeviceClass::kHca;
}

PortRows::PortRows(const View& view, Compatibility compatibility) : fabric_label_("{") {
  append_label(fabric_label_, "fabric", view.fabric_name);
  const model::Fabric& fabric = *view.fabric;
  rows_.reserve(fabric.ports().size());
  for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
    const model::PortIndex port{i};
    const model::PortKey key = fabric.key(port);
    if (key.port == model::PortNum{}) continue;  // a switch's management port carries no traffic
    const DeviceClass device = class_of(fabric.node(fabric.port(port).node));
    const std::size_t begin = text_.size();
    text_.append(fabric_label_).append(",guid=\"");
    append_guid(text_, key.node.value());
    text_.append("\",port=\"");
    append_decimal(text_, key.port.value());
    text_.push_back('"');
    const std::size_t identity = text_.size() - begin;
    if (compatibility == Compatibility::kSckyzo) append_names(text_, fabric, port, device);
    rows_.push_back({.port = port,
                     .device = device,
                     .totals = totals_of(view, port),
                     .labels_at = static_cast<std::uint32_t>(begin),
                     .identity_size = static_cast<std::uint16_t>(identity),
                     .labels_size = static_cast<std::uint16_t>(text_.size() - begin)});
  }
}

std::size_t PortRows::expected_bytes() const noexcept {
  constexpr std::size_t kNameAndValue = 75;  // the longest family name and a 20-digit number
  constexpr std::size_t kInfoFamilies = 4;   // state, two rates, and the long uplink line as two
  constexpr std::size_t kRest = 65536;
  std::size_t bytes = kRest;
  for (const PortRow& row : rows_) {
    const auto known = row.totals == nullptr ? 0 : std::popcount(row.totals->known);
    bytes +=
        (static_cast<std::size_t>(known) + kInfoFamilies + 1) * (row.labels_size + kNameAndValue);
  }
  return bytes;
}

}  // namespace heddle::exporter
