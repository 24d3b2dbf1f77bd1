#include "model/fabric.hpp"

#include <algorithm>
#include <limits>

#include "model/assert.hpp"
#include "model/fabric_storage.hpp"

namespace heddle::model {

std::string_view to_string(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::kUnknown:
      return "unknown";
    case NodeKind::kSwitch:
      return "switch";
    case NodeKind::kHostAdapter:
      return "host_adapter";
    case NodeKind::kRouter:
      return "router";
    case NodeKind::kAggregationNode:
      return "aggregation_node";
  }
  return "unknown";
}

std::string_view to_string(PortState state) noexcept {
  switch (state) {
    case PortState::kUnknown:
      return "unknown";
    case PortState::kDown:
      return "down";
    case PortState::kInit:
      return "init";
    case PortState::kArmed:
      return "armed";
    case PortState::kActive:
      return "active";
  }
  return "unknown";
}

std::string_view to_string(PhysicalState state) noexcept {
  switch (state) {
    case PhysicalState::kUnknown:
      return "unknown";
    case PhysicalState::kSleep:
      return "sleep";
    case PhysicalState::kPolling:
      return "polling";
    case PhysicalState::kDisabled:
      return "disabled";
    case PhysicalState::kTraining:
      return "training";
    case PhysicalState::kLinkUp:
      return "link_up";
    case PhysicalState::kErrorRecovery:
      return "error_recovery";
    case PhysicalState::kPhyTest:
      return "phy_test";
  }
  return "unknown";
}

std::string_view to_string(AnomalyKind kind) noexcept {
  switch (kind) {
    case AnomalyKind::kDuplicateNodeGuid:
      return "duplicate_node_guid";
    case AnomalyKind::kDuplicatePortGuid:
      return "duplicate_port_guid";
    case AnomalyKind::kDuplicateLid:
      return "duplicate_lid";
    case AnomalyKind::kPortCabledTwice:
      return "port_cabled_twice";
    case AnomalyKind::kPortOutOfRange:
      return "port_out_of_range";
    case AnomalyKind::kEndsDisagree:
      return "ends_disagree";
    case AnomalyKind::kOneWayCable:
      return "one_way_cable";
    case AnomalyKind::kZeroGuid:
      return "zero_guid";
    case AnomalyKind::kBadLidRange:
      return "bad_lid_range";
  }
  return "unknown";
}

Error to_error(const Anomaly& anomaly) {
  return {Errc::kInvalidInput, fmt::format("{}: {}", to_string(anomaly.kind), anomaly.text),
          anomaly.position};
}

std::string to_string(PortKey key) { return fmt::format("{}/{}", key.node, key.port); }

Result<PortKey> parse_port_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return fail(Errc::kInvalidInput, fmt::format("'{}' is not GUID/PORT", printable(text)));
  }
  const auto guid = parse_guid(text.substr(0, slash));
  const auto port = parse_decimal(text.substr(slash + 1), 254);
  if (!guid || !port) {
    return fail(Errc::kInvalidInput, fmt::format("'{}' is not GUID/PORT", printable(text)));
  }
  return PortKey{NodeGuid{*guid}, PortNum{static_cast<std::uint8_t>(*port)}};
}

std::optional<NodeIndex> Fabric::find_node(NodeGuid guid) const noexcept {
  const auto found = std::ranges::lower_bound(nodes_, guid, {}, &Node::guid);
  if (found == nodes_.end() || found->guid != guid) return std::nullopt;
  return NodeIndex{static_cast<std::uint32_t>(found - nodes_.begin())};
}

std::optional<SwitchIndex> Fabric::switch_index(NodeIndex node) const noexcept {
  const std::uint32_t index = switch_of_node_[node.value()];
  if (index == storage::kNone) return std::nullopt;
  return SwitchIndex{index};
}

std::span<const Port> Fabric::ports_of(NodeIndex node) const noexcept {
  const std::uint32_t begin = first_port_[node.value()];
  const std::uint32_t end = first_port_[node.value() + 1];
  return std::span(ports_).subspan(begin, end - begin);
}

std::optional<PortIndex> Fabric::find_port(NodeIndex node, PortNum number) const noexcept {
  const std::uint32_t lowest = storage::lowest_port(nodes_[node.value()].kind);
  if (number.value() < lowest || number.value() > nodes_[node.value()].port_count)
    return std::nullopt;
  return PortIndex{first_port_[node.value()] + number.value() - lowest};
}

std::optional<PortIndex> Fabric::find_port(PortKey key) const noexcept {
  const std::optional<NodeIndex> node = find_node(key.node);
  return node ? find_port(*node, key.port) : std::nullopt;
}

PortKey Fabric::key(PortIndex port) const noexcept {
  const Port& p = ports_[port.value()];
  return PortKey{nodes_[p.node.value()].guid, p.number};
}

std::optional<LinkIndex> Fabric::link_of(PortIndex port) const noexcept {
  const std::uint32_t index = link_of_port_[port.value()];
  if (index == storage::kNone) return std::nullopt;
  return LinkIndex{index};
}

std::optional<PortIndex> Fabric::peer(PortIndex port) const noexcept {
  const std::uint32_t index = link_of_port_[port.value()];
  if (index == storage::kNone) return std::nullopt;
  const Link& l = links_[index];
  return l.a == port ? l.b : l.a;
}

std::optional<PortIndex> Fabric::find_lid(Lid lid) const noexcept {
  if (lid.value() >= port_of_lid_.size()) return std::nullopt;
  const std::uint32_t index = port_of_lid_[lid.value()];
  if (index == storage::kNone) return std::nullopt;
  return PortIndex{index};
}

std::optional<Lid> Fabric::management_lid(PortIndex port) const noexcept {
  const Port& p = ports_[port.value()];
  if (nodes_[p.node.value()].kind != NodeKind::kSwitch) return p.lid;
  return ports_[first_port_[p.node.value()]].lid;
}

namespace {

/// Length of the well-formed UTF-8 sequence at the front (Unicode 15, table 3-7), 0 if there is
/// none.
std::size_t utf8_length(std::string_view bytes) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    return i < bytes.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return within(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const auto first = static_cast<unsigned char>(bytes.front());
    const bool control = first < 0x20 || first == 0x7F;
    if (length == 0 || control) {
      out += fmt::format("\\x{:02x}", first);
      bytes.remove_prefix(1);
    } else {
      out.append(bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace heddle::model
