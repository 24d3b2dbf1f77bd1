#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mad/mad.hpp"
#include "model/fabric.hpp"

namespace heddle::simulation {

/// Where a packet got to: a node, and the port that it entered by.
struct Arrival {
  model::NodeIndex node;
  model::PortNum entered_by;
};

/// The cables of a fabric less those that are cut, some of them plugged elsewhere, and where
/// packets from one adapter port get to over them.
class Cabling {
 public:
  /// `attached_to` is a port of `fabric`.
  Cabling(std::shared_ptr<const model::Fabric> fabric, model::PortIndex attached_to);

  void cut(model::PortIndex port);
  void restore(model::PortIndex port);
  /// What is plugged into `a` goes into `b`, and the other way round. Both are cabled, not to each
  /// other, and none of the two cables is cut.
  void swap(model::PortIndex a, model::PortIndex b);

  /// Whether the port's own cable is cut; false for one that never had a cable.
  [[nodiscard]] bool is_cut(model::PortIndex port) const noexcept;
  /// The other end, nothing without a cable or with a cut one.
  [[nodiscard]] std::optional<model::PortIndex> peer(model::PortIndex port) const noexcept;
  /// Whether LID-routed packets from the attached port can arrive at this end port or switch. O(1)
  /// but after a change.
  [[nodiscard]] bool reachable(model::PortIndex port);

 private:
  void explore();
  /// The other end of the cable, cut or not.
  [[nodiscard]] std::optional<model::PortIndex> plugged(model::PortIndex port) const noexcept;

  std::shared_ptr<const model::Fabric> fabric_;
  model::PortIndex attached_to_;
  std::unordered_set<model::PortIndex> cut_;                      ///< both ends of each cut cable
  std::unordered_map<model::PortIndex, model::PortIndex> moved_;  ///< ports with another peer now
  /// By NodeIndex: packets get into the node and, if it is a switch, through it. Empty: not known.
  std::vector<std::uint8_t> switch_reached_;
};

}  // namespace heddle::simulation
