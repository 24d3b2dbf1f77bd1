#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/prometheus.hpp"

namespace heddle::exporter {

/// The two classes of device that the exporters of this field know. Whatever is no switch (adapter,
/// router, SHARP node, unknown) is an HCA, told apart by its GUID.
enum class DeviceClass : std::uint8_t { kSwitch, kHca };

/// `infiniband_switch_` or `infiniband_hca_`.
[[nodiscard]] std::string_view prefix_of(DeviceClass device) noexcept;
/// `switch` or `hca`: the label that holds the name of such a device.
[[nodiscard]] std::string_view name_label_of(DeviceClass device) noexcept;

/// One external port and what all its series share, prepared once for some twenty families.
struct PortRow {
  model::PortIndex port;
  DeviceClass device;
  const model::PortTotals* totals;  ///< null where the port is in no counter table
  std::uint32_t labels_at;
  std::uint16_t identity_size;  ///< fabric, guid, port
  std::uint16_t labels_size;    ///< and the names that the SckyzO fork adds
};

/// Rows of all external ports, in order of GUID and port, and the text of their labels. Refers to
/// the view: it must outlive the table.
class PortRows {
 public:
  PortRows(const View& view, Compatibility compatibility);

  [[nodiscard]] const std::vector<PortRow>& rows() const noexcept { return rows_; }
  /// `{fabric="…",guid="0x…",port="7"`: for families of heddle's own.
  [[nodiscard]] std::string_view identity(const PortRow& row) const noexcept {
    return std::string_view(text_).substr(row.labels_at, row.identity_size);
  }
  /// As the chosen exporter labels its counters.
  [[nodiscard]] std::string_view labels(const PortRow& row) const noexcept {
    return std::string_view(text_).substr(row.labels_at, row.labels_size);
  }
  /// `{fabric="…"`.
  [[nodiscard]] std::string_view fabric_label() const noexcept { return fabric_label_; }
  /// A guess at the length of the whole body, not too low.
  [[nodiscard]] std::size_t expected_bytes() const noexcept;

 private:
  std::string fabric_label_;
  std::string text_;
  std::vector<PortRow> rows_;
};

/// The class of a node.
[[nodiscard]] DeviceClass class_of(const model::Node& node) noexcept;

}  // namespace heddle::exporter
