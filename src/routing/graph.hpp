#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/fabric.hpp"
#include "model/id.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::routing {

namespace tags {
struct ArcIndex {
  static constexpr bool kHex = false;
};
struct TerminalIndex {
  static constexpr bool kHex = false;
};
}  // namespace tags

/// Dense positions inside one Graph.
using ArcIndex = model::Id<tags::ArcIndex, std::uint32_t>;
using TerminalIndex = model::Id<tags::TerminalIndex, std::uint32_t>;

/// One direction of a cable between two different switches: a channel that packets wait for.
struct Arc {
  model::SwitchIndex from;
  model::SwitchIndex to;
  model::PortNum exit;   ///< port of `from`
  model::PortNum entry;  ///< port of `to`
  ArcIndex reverse;      ///< the other direction of the same cable
};

/// An end port on a switch: of a host adapter, router or aggregation node.
struct Terminal {
  model::PortIndex port;
  model::NodeIndex node;
  model::NodeKind kind;
  model::SwitchIndex leaf;   ///< the switch that it hangs on
  model::PortNum leaf_port;  ///< the switch's port toward it
  std::optional<model::Lid> lid;
  std::uint8_t lmc = 0;
};

/// A LID and where it leads: to a terminal, or to a switch itself.
struct Destination {
  model::Lid lid;
  model::SwitchIndex at;  ///< the switch whose port 0, or whose terminal, has the LID
  std::optional<TerminalIndex> terminal;
  std::uint8_t path = 0;  ///< offset from the base LID, below 2^LMC
};

/// What lies behind a port of a switch.
struct PortTarget {
  enum class Kind : std::uint8_t { kNothing, kSwitch, kTerminal };
  Kind kind = Kind::kNothing;
  std::uint32_t index = 0;  ///< ArcIndex or TerminalIndex
};

/// The switches of a fabric and what hangs on them, flat, for routing. Immutable; holds nothing of
/// the Fabric, whose SwitchIndex and PortIndex values it uses. Cables of a switch to itself are
/// left out.
class Graph {
 public:
  /// kInvalidInput where the fabric contradicts itself (model::Anomaly): a port cabled twice or out
  /// of range, a cable whose ends disagree, a zero or duplicate GUID, LIDs of two ports, beyond
  /// 0xBFFF or not aligned to their LMC. The position is that of the first anomaly. O(ports log
  /// ports).
  [[nodiscard]] static model::Result<Graph> from(const model::Fabric& fabric);

  [[nodiscard]] std::size_t switch_count() const noexcept { return guids_.size(); }
  [[nodiscard]] model::NodeGuid guid(model::SwitchIndex sw) const noexcept {
    return guids_[sw.value()];
  }
  /// External ports, numbered from 1.
  [[nodiscard]] std::uint8_t port_count(model::SwitchIndex sw) const noexcept {
    return static_cast<std::uint8_t>(first_target_[sw.value() + 1] - first_target_[sw.value()] - 1);
  }
  [[nodiscard]] std::optional<model::Lid> lid(model::SwitchIndex sw) const noexcept {
    return switch_lids_[sw.value()];
  }

  /// In order of (switch, exit port).
  [[nodiscard]] std::span<const Arc> arcs() const noexcept { return arcs_; }
  [[nodiscard]] const Arc& arc(ArcIndex index) const noexcept { return arcs_[index.value()]; }
  [[nodiscard]] std::span<const Arc> arcs_of(model::SwitchIndex sw) const noexcept {
    return std::span(arcs_).subspan(first_arc_[sw.value()],
                                    first_arc_[sw.value() + 1] - first_arc_[sw.value()]);
  }
  [[nodiscard]] ArcIndex first_arc(model::SwitchIndex sw) const noexcept {
    return ArcIndex{first_arc_[sw.value()]};
  }

  /// In order of (switch, switch port).
  [[nodiscard]] std::span<const Terminal> terminals() const noexcept { return terminals_; }
  [[nodiscard]] const Terminal& terminal(TerminalIndex index) const noexcept {
    return terminals_[index.value()];
  }
  [[nodiscard]] std::span<const Terminal> terminals_of(model::SwitchIndex sw) const noexcept {
    return std::span(terminals_)
        .subspan(first_terminal_[sw.value()],
                 first_terminal_[sw.value() + 1] - first_terminal_[sw.value()]);
  }
  [[nodiscard]] TerminalIndex first_terminal(model::SwitchIndex sw) const noexcept {
    return TerminalIndex{first_terminal_[sw.value()]};
  }

  /// Every unicast LID in use, ascending: of switches, and of all LMC ranges of terminals.
  [[nodiscard]] std::span<const Destination> destinations() const noexcept { return destinations_; }
  /// The highest LID in use, 0 without any.
  [[nodiscard]] model::Lid top_lid() const noexcept {
    return destinations_.empty() ? model::Lid{} : destinations_.back().lid;
  }
  [[nodiscard]] const Destination* find(model::Lid lid) const noexcept {
    const std::uint32_t place = lid.value() < place_of_lid_.size() ? place_of_lid_[lid.value()] : 0;
    return place == 0 ? nullptr : &destinations_[place - 1];
  }

  /// The port by which `to.at` hands packets over: toward the terminal, or 0, its own.
  [[nodiscard]] model::PortNum last_exit(const Destination& to) const noexcept {
    return to.terminal ? terminal(*to.terminal).leaf_port : model::PortNum{};
  }
  /// What a switch is the last of, as positions in destinations(), ascending.
  [[nodiscard]] std::span<const std::uint32_t> destinations_at(
      model::SwitchIndex sw) const noexcept {
    return std::span(destinations_at_)
        .subspan(first_destination_at_[sw.value()],
                 first_destination_at_[sw.value() + 1] - first_destination_at_[sw.value()]);
  }

  /// By port number, 0 (the switch itself: kNothing) to port_count().
  [[nodiscard]] std::span<const PortTarget> targets(model::SwitchIndex sw) const noexcept {
    return std::span(targets_).subspan(first_target_[sw.value()],
                                       first_target_[sw.value() + 1] - first_target_[sw.value()]);
  }
  /// kNothing for a port that the switch does not have.
  [[nodiscard]] PortTarget target(model::SwitchIndex sw, model::PortNum port) const noexcept {
    const auto all = targets(sw);
    return port.value() < all.size() ? all[port.value()] : PortTarget{};
  }

 private:
  std::vector<model::NodeGuid> guids_;
  std::vector<std::optional<model::Lid>> switch_lids_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_arc_{0};
  std::vector<Terminal> terminals_;
  std::vector<std::uint32_t> first_terminal_{0};
  std::vector<PortTarget> targets_;
  std::vector<std::uint32_t> first_target_{0};
  std::vector<Destination> destinations_;
  std::vector<std::uint32_t> place_of_lid_;  ///< in destinations_ plus 1; 0 for none
  std::vector<std::uint32_t> first_destination_at_;
  std::vector<std::uint32_t> destinations_at_;
};

/// `"name" 0x…`, for texts about a switch.
[[nodiscard]] std::string describe_switch(const model::Fabric& fabric, model::SwitchIndex sw);

}  // namespace heddle::routing
