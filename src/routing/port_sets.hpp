#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/fabric.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// What adaptive routing may choose from: for each switch and destination the ports of minimal
/// paths, flat. LIDs of one switch share their sets.
class PortSets {
 public:
  PortSets(std::size_t switches, model::Lid top)
      : switches_(switches), group_of_lid_(top.value() + std::size_t{1}, kNone) {}

  /// Ascending. Empty where there is no choice: the table's own port is the only one.
  [[nodiscard]] std::span<const std::uint8_t> ports(model::SwitchIndex sw,
                                                    model::Lid lid) const noexcept {
    if (lid.value() >= group_of_lid_.size()) return {};
    const std::uint32_t group = group_of_lid_[lid.value()];
    if (group == kNone) return {};
    const std::uint32_t set = set_of_[std::size_t{group} * switches_ + sw.value()];
    return std::span(ports_).subspan(first_port_[set], first_port_[set + 1] - first_port_[set]);
  }
  /// Sets that differ.
  [[nodiscard]] std::size_t distinct() const noexcept { return first_port_.size() - 1; }

 private:
  friend class PortSetsMaker;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::size_t switches_;
  std::vector<std::uint32_t> group_of_lid_;
  std::vector<std::uint32_t> set_of_;  ///< by group, then switch
  std::vector<std::uint32_t> first_port_{0};
  std::vector<std::uint8_t> ports_;
};

/// The sets that go with `routes`, of the engine's own order, so that packets of level 0 neither
/// loop nor deadlock whatever each switch chooses, and always arrive:
///  - trees, dragonfly+ and up-down: whoever has a way down takes only such, else a cable across or
///    up; of these the cables with the least left to go (drained ones last);
///  - dragonfly: the local cable to the destination's switch; else own cables into its group; else
///    local ones to a router that has such;
///  - `layered`, and LIDs with non-minimal paths on dragonflies: no choice, as their paths are
///    acyclic only as they are.
/// A switch whose entry leaves that order (a detour in a lane of its own) has no choice, and none
/// chooses to lead there. Packets of other levels keep to the table: adaptive routing is turned on
/// by level. The table's own port need not be in the set, but is as safe. O(switches * arcs).
[[nodiscard]] PortSets minimal_port_sets(const model::Fabric& fabric, const Graph& graph,
                                         const Structure& structure,
                                         const Availability& availability, const Routes& routes,
                                         Workers& workers);

}  // namespace heddle::routing
