#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/fabric.hpp"
#include "model/fabric_builder.hpp"

namespace heddle::discovery {

/// One line that says where a port's cable goes, seen from that port. Views point into the text.
struct CableLine {
  model::PortKey from;
  model::LinkRate rate;                      ///< of `from`
  std::optional<model::PortGuid> from_guid;  ///< end ports only
  std::optional<model::Lid> from_lid;        ///< end ports only
  std::uint8_t from_lmc = 0;

  std::optional<model::NodeGuid> peer_node;  ///< where the text tells it; else it follows from
  std::string_view peer_id;                  ///< how the text names the node: `S-0002c9…`
  model::PortNum peer_port;
  std::optional<model::PortGuid> peer_guid;  ///< of the port; the text gives it for end ports
  std::optional<model::Lid> peer_lid;        ///< of the port, or of the switch's port 0
  std::string_view peer_name;
  std::uint32_t line = 0;
};

/// Collects what a topology text says, in any order, and puts it together at the end: peers are
/// found by the ids that the text uses, what only the other end says is filled in, and what the two
/// ends say differently becomes an anomaly. The text outlives the draft.
class TopologyDraft {
 public:
  TopologyDraft(std::string file, std::string fabric_name);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] model::SourcePosition position(std::uint32_t line) const { return {file_, line}; }

  /// A node by the id of the text, empty where the text has none. False, with an anomaly, if its
  /// GUID is taken: what follows about it must not be added.
  bool add_node(std::string_view id, model::Node node, std::uint32_t line);
  /// Port 0 of an added switch.
  void set_management_port(model::NodeGuid node, model::Port port, std::uint32_t line);
  void add_cable(const CableLine& cable) { cables_.push_back(cable); }
  /// A port that the text lists without a cable.
  void add_bare_port(model::PortKey port, std::uint32_t line);

  [[nodiscard]] model::Fabric finish() &&;

 private:
  void state_own_end(const CableLine& cable);
  void join(const CableLine& cable);
  void state_peer_end(const CableLine& cable, model::PortKey peer);
  void compare_ends(const CableLine& cable, model::PortKey peer, const model::Port& stated);
  void report_one_way();
  void disagree(const CableLine& cable, model::PortKey peer, std::string what);
  /// The other end, if it is a port that the text has.
  [[nodiscard]] std::optional<model::PortKey> peer_port_of(const CableLine& cable) const;
  [[nodiscard]] std::optional<model::NodeGuid> peer_of(const CableLine& cable) const;
  [[nodiscard]] std::optional<model::SourcePosition> place_of(model::PortKey port) const;

  struct NodeLines {
    model::NodeKind kind;
    std::uint32_t line;      ///< of the node
    std::uint32_t lid_line;  ///< that tells the LID of a switch
  };
  struct PortLines {
    const CableLine* line;  ///< that describes the port
    bool own;               ///< else it is the one of its peer
  };

  std::string file_;
  model::FabricBuilder builder_;
  /// Ids that do not spell the node's GUID; the others need no table.
  std::unordered_map<std::string_view, model::NodeGuid> by_id_;
  std::unordered_map<model::NodeGuid, NodeLines> nodes_;
  std::vector<CableLine> cables_;
  std::unordered_map<model::PortKey, PortLines> stated_;
  /// Ports listed without a cable, and the line.
  std::unordered_map<model::PortKey, std::uint32_t> bare_;
  std::unordered_set<model::PortKey> in_dispute_;
};

/// The GUID in an id of the form `X-hex`, X being one character.
[[nodiscard]] std::optional<model::NodeGuid> guid_in_id(std::string_view id) noexcept;

}  // namespace heddle::discovery
