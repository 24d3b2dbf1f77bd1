#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/fabric.hpp"

namespace heddle::model {

/// Collects what is known of a subnet, in any order, and freezes it. What contradicts itself
/// becomes an Anomaly of the result: of two nodes with one GUID the first holds, of two cables at
/// one port the one with the lower ends, whatever the order. Not for use from several threads.
class FabricBuilder {
 public:
  /// Where the source of the data speaks of a port, or of a node if that is its port 0.
  using PlaceOf = std::function<std::optional<SourcePosition>(PortKey)>;

  explicit FabricBuilder(std::string fabric_name);

  /// Adds a node. False, with an anomaly, if its GUID is there already.
  bool add_node(Node node, std::optional<SourcePosition> where = std::nullopt);
  [[nodiscard]] bool has_node(NodeGuid guid) const noexcept;

  /// Says what is known of a port of an added node, replacing what was said before; `port.node` is
  /// ignored. False, with an anomaly, if the node is not there or has no such port.
  bool set_port(NodeGuid node, Port port, std::optional<SourcePosition> where = std::nullopt);
  /// The port as known so far, null if there is none such. Valid until the next call that changes
  /// something.
  [[nodiscard]] const Port* port(PortKey key) const noexcept;

  /// A cable between two ports; saying it again, or from the other end, changes nothing. A port
  /// that is cabled elsewhere already, or does not exist, makes an anomaly. Ends may be added
  /// later.
  void connect(PortKey a, PortKey b, std::optional<SourcePosition> where = std::nullopt);
  /// A cable whose other end is known by no more than this. connect() on the same port overrides
  /// it.
  void connect_unresolved(PortKey port, std::optional<NodeGuid> peer,
                          std::optional<PortNum> peer_port, std::string description);
  /// An anomaly that the source of the data found itself.
  void report(Anomaly anomaly) { anomalies_.push_back(std::move(anomaly)); }

  /// Freezes. Anomalies that have no place yet get that of the port where they are. O(n log n) in
  /// nodes and links.
  [[nodiscard]] Fabric build(const PlaceOf& place_of = {}) &&;

 private:
  struct Draft {
    Node node;
    std::vector<Port> ports;
  };
  struct Cable {
    PortKey a;
    PortKey b;
    std::optional<SourcePosition> where;
  };
  struct Loose {
    PortKey port;
    std::optional<NodeGuid> peer;
    std::optional<PortNum> peer_port;
    std::string description;
  };
  void note(AnomalyKind kind, PortKey where, std::string text,
            std::optional<SourcePosition> position);
  [[nodiscard]] const Draft* draft(NodeGuid guid) const noexcept;
  void freeze_nodes(Fabric& fabric);
  void freeze_links(Fabric& fabric);
  void freeze_unresolved(Fabric& fabric);
  void index_lids(Fabric& fabric);
  void check_port_guids(const Fabric& fabric);

  std::string name_;
  std::vector<Draft> drafts_;
  std::unordered_map<NodeGuid, std::size_t> by_guid_;
  std::vector<Cable> cables_;
  std::vector<Loose> loose_;
  std::vector<Anomaly> anomalies_;
};

}  // namespace heddle::model
