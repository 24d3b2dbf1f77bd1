#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "model/link_rate.hpp"
#include "model/result.hpp"

namespace heddle::model {

enum class NodeKind : std::uint8_t { kUnknown, kSwitch, kHostAdapter, kRouter, kAggregationNode };
[[nodiscard]] std::string_view to_string(NodeKind kind) noexcept;  ///< `switch`, `host_adapter`, …

/// Logical state (PortInfo.PortState).
enum class PortState : std::uint8_t { kUnknown, kDown, kInit, kArmed, kActive };
[[nodiscard]] std::string_view to_string(PortState state) noexcept;  ///< `down`, `init`, `armed`, …

/// Physical state (PortInfo.PortPhysicalState).
enum class PhysicalState : std::uint8_t {
  kUnknown,
  kSleep,
  kPolling,
  kDisabled,
  kTraining,
  kLinkUp,
  kErrorRecovery,
  kPhyTest
};
[[nodiscard]] std::string_view to_string(
    PhysicalState state) noexcept;  ///< `polling`, `link_up`, …

/// A port by identity, valid across snapshots.
struct PortKey {
  NodeGuid node;
  PortNum port;
  constexpr auto operator<=>(const PortKey&) const noexcept = default;
};
[[nodiscard]] std::string to_string(
    PortKey key);  ///< `0x…/7`, as the command line and REST take it
[[nodiscard]] Result<PortKey> parse_port_key(std::string_view text);

/// An empty optional is what the source did not say.
struct Node {
  NodeGuid guid;
  std::optional<SystemGuid> system_guid;
  NodeKind kind = NodeKind::kUnknown;
  std::optional<std::uint32_t> vendor_id;  ///< 24-bit OUI
  std::uint16_t device_id = 0;
  std::uint8_t port_count = 0;  ///< external ports, numbered 1..port_count
  std::string description;      ///< as sent: any bytes, not unique, may be empty; see printable()
  bool operator==(const Node&) const = default;
};

/// An empty optional is what the source did not say, or what means nothing in the port's state.
struct Port {
  NodeIndex node;  ///< set by FabricBuilder::build()
  PortNum number;
  std::uint8_t lmc = 0;
  PortState state = PortState::kUnknown;
  PhysicalState physical_state = PhysicalState::kUnknown;
  bool is_subnet_manager = false;               ///< PortInfo.CapabilityMask.IsSM
  std::optional<std::uint8_t> operational_vls;  ///< number of data VLs in use
  std::optional<std::uint16_t> mtu_bytes;       ///< neighbour MTU
  LinkRate rate;                                ///< active width and speed
  SpeedSet speeds_supported;
  SpeedSet speeds_enabled;
  WidthSet widths_supported;
  WidthSet widths_enabled;
  std::optional<Lid> lid;        ///< base LID; for a switch at port 0
  std::optional<PortGuid> guid;  ///< end ports only; for a switch at port 0
  bool operator==(const Port&) const = default;
};
static_assert(sizeof(Port) == 48,
              "a large subnet has 200,000 of them, in each of several snapshots");

/// A cable with both ends in the snapshot; `a` is the end with the lower PortIndex (GUID, then port
/// number).
struct Link {
  PortIndex a;
  PortIndex b;
};

/// A cabled port whose other end is not in the snapshot: not in the file, or it does not answer.
struct UnresolvedPeer {
  PortIndex port;
  std::optional<NodeGuid> peer;
  std::optional<PortNum> peer_port;
  std::string description;
};

enum class AnomalyKind : std::uint8_t {
  kDuplicateNodeGuid,
  kDuplicatePortGuid,
  kDuplicateLid,
  kPortCabledTwice,
  kPortOutOfRange,
  kEndsDisagree,  ///< the two ends of a cable say different things about one of them
  kOneWayCable,   ///< one end names the other, which says nothing of it
  kZeroGuid,      ///< of a node, or of an end port
  kBadLidRange,   ///< 2^LMC LIDs that are not aligned to their number, or not all unicast
};
[[nodiscard]] std::string_view to_string(AnomalyKind kind) noexcept;

/// Something that cannot be right, found while building: kept and reported, never fatal.
struct Anomaly {
  AnomalyKind kind;
  PortKey where;
  std::string text;  ///< for people, both parties named
  std::optional<SourcePosition> position;
};
/// `kind: text` at its place, for those whom the anomaly stops.
[[nodiscard]] Error to_error(const Anomaly& anomaly);

/// One immutable state of a subnet. Nodes are ordered by GUID and ports by node and number, so the
/// same subnet gives the same indices whatever the order of discovery. Safe to read from any
/// thread.
class Fabric {
 public:
  /// An empty fabric; anything else comes from FabricBuilder.
  Fabric() = default;

  /// Which subnet this is, from the configuration; GUIDs are unique within it.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] std::span<const Node> nodes() const noexcept { return nodes_; }
  [[nodiscard]] const Node& node(NodeIndex index) const noexcept { return nodes_[index.value()]; }
  [[nodiscard]] std::optional<NodeIndex> find_node(NodeGuid guid) const noexcept;

  /// Switches in order of GUID: the position is the SwitchIndex.
  [[nodiscard]] std::span<const NodeIndex> switches() const noexcept { return switches_; }
  [[nodiscard]] NodeIndex node_of(SwitchIndex index) const noexcept {
    return switches_[index.value()];
  }
  [[nodiscard]] std::optional<SwitchIndex> switch_index(NodeIndex node) const noexcept;

  [[nodiscard]] std::span<const Port> ports() const noexcept { return ports_; }
  [[nodiscard]] const Port& port(PortIndex index) const noexcept { return ports_[index.value()]; }
  /// All ports of a node in order of number: 0..N for a switch, 1..N for any other.
  [[nodiscard]] std::span<const Port> ports_of(NodeIndex node) const noexcept;
  [[nodiscard]] PortIndex first_port(NodeIndex node) const noexcept {
    return PortIndex{first_port_[node.value()]};
  }
  [[nodiscard]] std::optional<PortIndex> find_port(NodeIndex node, PortNum number) const noexcept;
  [[nodiscard]] std::optional<PortIndex> find_port(PortKey key) const noexcept;
  [[nodiscard]] PortKey key(PortIndex port) const noexcept;

  [[nodiscard]] std::span<const Link> links() const noexcept { return links_; }
  [[nodiscard]] const Link& link(LinkIndex index) const noexcept { return links_[index.value()]; }
  [[nodiscard]] std::optional<PortIndex> peer(PortIndex port) const noexcept;
  [[nodiscard]] std::optional<LinkIndex> link_of(PortIndex port) const noexcept;

  /// The port that answers to `lid`, every LID of an LMC range included.
  [[nodiscard]] std::optional<PortIndex> find_lid(Lid lid) const noexcept;
  /// The LID under which a port's management agents answer: its own, or that of the switch's port
  /// 0.
  [[nodiscard]] std::optional<Lid> management_lid(PortIndex port) const noexcept;

  [[nodiscard]] std::span<const UnresolvedPeer> unresolved() const noexcept { return unresolved_; }
  [[nodiscard]] std::span<const Anomaly> anomalies() const noexcept { return anomalies_; }

 private:
  friend class FabricBuilder;

  std::string name_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> first_port_;  ///< CSR offsets into ports_, one more than nodes
  std::vector<Port> ports_;
  std::vector<std::uint32_t> link_of_port_;  ///< parallel to ports_, kNone where not cabled
  std::vector<Link> links_;
  std::vector<NodeIndex> switches_;
  std::vector<std::uint32_t> switch_of_node_;  ///< parallel to nodes_, kNone for others
  std::vector<std::uint32_t> port_of_lid_;     ///< by LID value, up to the highest LID in use
  std::vector<UnresolvedPeer> unresolved_;
  std::vector<Anomaly> anomalies_;
};

/// A name fit for text output: valid UTF-8 quotes kept, with control characters and bytes that are
/// no UTF-8 as `\xNN`.
[[nodiscard]] std::string printable(std::string_view bytes);

}  // namespace heddle::model

template <>
struct std::hash<heddle::model::PortKey> {
  std::size_t operator()(heddle::model::PortKey key) const noexcept {
    // Fibonacci hashing spreads the low entropy of GUIDs that follow each other.
    return static_cast<std::size_t>((key.node.value() * 256U + key.port.value()) *
                                    0x9E3779B97F4A7C15ULL);
  }
};
