#pragma once

#include <cstdint>
#include <vector>

#include "routing/graph.hpp"

namespace heddle::routing {

/// Share of a cable's capacity that routes may use. 0 drains the cable: no route uses it unless
/// something could not be reached otherwise.
struct CapacityPercent {
  std::uint8_t value = 100;  ///< 0..100
  constexpr auto operator<=>(const CapacityPercent&) const noexcept = default;
};

/// What of a Graph may be used now: everything at first. Cables count in both directions at once.
class Availability {
 public:
  explicit Availability(const Graph& graph)
      : capacity_(graph.arcs().size()),
        arc_up_(graph.arcs().size(), 1),
        switch_up_(graph.switch_count(), 1),
        terminal_up_(graph.terminals().size(), 1) {}

  void take_down(const Graph& graph, ArcIndex arc) noexcept { set_arc(graph, arc, 0); }
  /// Undoes take_down of the cable; a switch that is down at an end keeps it unusable.
  void bring_back(const Graph& graph, ArcIndex arc) noexcept { set_arc(graph, arc, 1); }
  /// With all its cables and terminals; the switch is no destination any more.
  void take_down(model::SwitchIndex sw) noexcept { switch_up_[sw.value()] = 0; }
  void bring_back(model::SwitchIndex sw) noexcept { switch_up_[sw.value()] = 1; }
  void take_down(TerminalIndex terminal) noexcept { terminal_up_[terminal.value()] = 0; }
  void bring_back(TerminalIndex terminal) noexcept { terminal_up_[terminal.value()] = 1; }
  void set_capacity(const Graph& graph, ArcIndex arc, CapacityPercent capacity) noexcept {
    capacity_[arc.value()] = capacity;
    capacity_[graph.arc(arc).reverse.value()] = capacity;
  }

  /// The cable and both its ends are up, drained or not.
  [[nodiscard]] bool usable(const Graph& graph, ArcIndex arc) const noexcept {
    const Arc& a = graph.arc(arc);
    return arc_up_[arc.value()] != 0 && up(a.from) && up(a.to);
  }
  /// Usable, and not drained.
  [[nodiscard]] bool undrained(const Graph& graph, ArcIndex arc) const noexcept {
    return usable(graph, arc) && capacity(arc).value != 0;
  }
  [[nodiscard]] bool up(model::SwitchIndex sw) const noexcept {
    return switch_up_[sw.value()] != 0;
  }
  [[nodiscard]] bool usable(const Graph& graph, TerminalIndex terminal) const noexcept {
    return terminal_up_[terminal.value()] != 0 && up(graph.terminal(terminal).leaf);
  }
  /// Whether routes should lead to it now.
  [[nodiscard]] bool usable(const Graph& graph, const Destination& destination) const noexcept {
    return destination.terminal ? usable(graph, *destination.terminal) : up(destination.at);
  }
  [[nodiscard]] CapacityPercent capacity(ArcIndex arc) const noexcept {
    return capacity_[arc.value()];
  }
  bool operator==(const Availability&) const = default;

  /// The switches at which something differs from `before`: themselves, their cables, the switches
  /// behind them, or what hangs on them. Ascending. O(cables), at the pace of memory.
  [[nodiscard]] std::vector<model::SwitchIndex> changed_since(const Graph& graph,
                                                              const Availability& before) const;

 private:
  void set_arc(const Graph& graph, ArcIndex arc, std::uint8_t up) noexcept {
    arc_up_[arc.value()] = up;
    arc_up_[graph.arc(arc).reverse.value()] = up;
  }

  std::vector<CapacityPercent> capacity_;
  std::vector<std::uint8_t> arc_up_;
  std::vector<std::uint8_t> switch_up_;
  std::vector<std::uint8_t> terminal_up_;
};

}  // namespace heddle::routing
