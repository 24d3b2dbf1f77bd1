#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mad/smp.hpp"
#include "model/fabric.hpp"

namespace heddle::discovery {

/// A port as one walk has seen it.
struct SeenPort {
  enum class Info : std::uint8_t { kNotAsked, kAnswered, kFailed };
  enum class Beyond : std::uint8_t {
    kNothing,  ///< no cable, or not looked at
    kPeer,     ///< `peer` is at the other end
    kMute,     ///< the link is up, but nobody answers there
    kUnfit,    ///< somebody answers, but with a GUID or port that makes no link
  };
  Info info = Info::kNotAsked;
  Beyond beyond = Beyond::kNothing;
  model::Port port;                      ///< number and guid only, until `info` is kAnswered
  model::PortKey peer;                   ///< if beyond is kPeer
  std::optional<model::NodeGuid> unfit;  ///< if beyond is kUnfit, and the GUID says something
};

/// A node that answered, in the order of answers.
struct SeenNode {
  mad::NodeInfo info;
  mad::DirectedRoute route;  ///< by the port that was entered first
  std::optional<std::string> description;
  std::optional<mad::SwitchInfo> switch_info;
  std::vector<SeenPort> ports;  ///< by number, from 0

  [[nodiscard]] bool is_switch() const noexcept { return info.node_type == mad::NodeType::kSwitch; }
};

/// A second device that gives a GUID that another has given already.
struct Impostor {
  mad::NodeInfo info;
  model::PortKey behind;
  std::string description;
};

/// All that one walk of the subnet has seen.
struct WalkRecord {
  std::deque<SeenNode> nodes;
  std::unordered_map<model::NodeGuid, std::uint32_t> by_guid;
  std::vector<Impostor> impostors;
  std::size_t ports = 0;  ///< of all nodes, port 0 included

  /// Adds a node with all its ports, and returns its place. References to others stay valid.
  std::uint32_t add(mad::NodeInfo info, const mad::DirectedRoute& route);
  [[nodiscard]] const SeenPort* find(model::PortKey key) const noexcept;
  /// How to ask about a port. End ports are asked by the cable that enters them.
  [[nodiscard]] mad::DirectedRoute route_to(const SeenNode& node, model::PortNum port) const;
};

/// Whether an answer with the GUID of `known`, come through the cable at `from`, is from that
/// device: it must look the same, and none of its ports can have two cables.
[[nodiscard]] bool same_device(const SeenNode& known, const mad::NodeInfo& info,
                               model::PortKey from);

}  // namespace heddle::discovery
