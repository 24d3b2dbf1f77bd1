#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/fabric.hpp"
#include "routing/columns.hpp"
#include "routing/free_places.hpp"
#include "routing/graph.hpp"
#include "routing/order.hpp"
#include "routing/structure.hpp"

namespace heddle::routing {

/// An upward choice of a switch: the label of the parent, and which of the cables to it.
struct UpSlot {
  std::uint16_t label = 0;
  ArcIndex arc;
};

/// The cables from a switch to one lower neighbour, in the order in which that one knows them: the
/// parallel cable that a destination takes up it takes down as well.
struct DownBundle {
  model::SwitchIndex child;
  std::vector<ArcIndex> cables;  ///< from the upper switch
};

/// What the tables of a fat tree are a function of besides what is available: the place of every
/// switch, cable and destination in the intact tree. Destination j of a PGFT takes, at a switch of
/// level l, the upward choice floor(j / (w_1 ... w_l)) mod (w_(l+1) p_(l+1)), whose value modulo
/// w_(l+1) is the parent and whose quotient the parallel cable (D-mod-K: Zahavi, "D-Mod-K routing
/// providing non-blocking traffic for shift permutations on real life fat trees", CCIT 776, 2010).
/// Moduli and divisors are those of the intact tree, so a fault changes no other choice.
class FatTreePlan {
 public:
  /// The structure gives every connected switch a level.
  [[nodiscard]] static FatTreePlan make(const model::Fabric& fabric, const Graph& graph,
                                        const Structure& structure);

  [[nodiscard]] std::uint8_t level(model::SwitchIndex sw) const noexcept {
    return level_[sw.value()];
  }
  [[nodiscard]] const Order& order() const noexcept { return order_; }
  [[nodiscard]] Direction direction(ArcIndex arc) const noexcept {
    return order_.directions[arc.value()];
  }
  /// By ArcIndex.
  [[nodiscard]] std::span<const Direction> directions() const noexcept { return order_.directions; }

  /// The number of upward choices in the intact tree: slots 0 … size - 1 are what destinations ask
  /// for. A slot whose cable is not there now has no arc.
  [[nodiscard]] std::span<const std::optional<UpSlot>> wanted_slots(
      model::SwitchIndex sw) const noexcept {
    return std::span(slots_).subspan(first_slot_[sw.value()], wanted_[sw.value()]);
  }
  /// Every cable of the switch that leads up or across: slots in order, then cables that fit no
  /// place.
  [[nodiscard]] std::span<const UpSlot> up_cables(model::SwitchIndex sw) const noexcept {
    return std::span(cables_).subspan(first_cable_[sw.value()],
                                      first_cable_[sw.value() + 1] - first_cable_[sw.value()]);
  }
  [[nodiscard]] std::span<const DownBundle> down_bundles(model::SwitchIndex sw) const noexcept {
    return down_[sw.value()];
  }
  /// By which the switches below know it among their parents; of a dragonfly+'s spine its class.
  [[nodiscard]] std::uint16_t label(model::SwitchIndex sw) const noexcept {
    return columns_.at(sw).label;
  }
  /// Labels of parents: slot % width is the label, slot / width the parallel cable.
  [[nodiscard]] std::uint16_t width(model::SwitchIndex sw) const noexcept {
    return columns_.at(sw).width;
  }
  /// Which slot each destination wants at this switch when it goes up, in the order of
  /// Graph::destinations().
  [[nodiscard]] std::span<const std::uint8_t> digits(model::SwitchIndex sw) const noexcept {
    return digits_[digit_table_[sw.value()]];
  }
  /// Which of the other labels a destination takes first where its own does not deliver, counted
  /// from the one after its own: one after the other for destinations that want the same slot.
  /// `sw` has at least two labels.
  [[nodiscard]] std::uint16_t substitute(model::SwitchIndex sw,
                                         std::uint32_t destination) const noexcept {
    const std::uint32_t round =
        number_of_destination_[destination] / (divisor_[level(sw)] * wanted_[sw.value()]);
    const std::uint32_t own = std::uint32_t{digits(sw)[destination]} % width(sw);
    return static_cast<std::uint16_t>((own + 1 + round % (width(sw) - 1U)) % width(sw));
  }
  /// Whether the destination has its place below the switch, rather than being reached over cables
  /// that are not where they belong: of several that lead down to it, the one that it takes.
  [[nodiscard]] bool on_way(const Graph& graph, model::SwitchIndex sw,
                            std::uint32_t destination) const;

  // What places are made of.

  /// Which slot a destination at a terminal wants at a switch when it goes up.
  [[nodiscard]] std::uint32_t slot_of(const Graph& graph, model::SwitchIndex sw,
                                      std::uint32_t destination) const noexcept {
    return (number_of_destination_[destination] / divisor_[level(sw)] +
            graph.destinations()[destination].path) %
           wanted_[sw.value()];
  }
  /// Whether the upper switch is one of those that the lower one has in the intact tree: of the
  /// next level, in a column that serves the lower one's, and not of another pod.
  [[nodiscard]] bool is_parent(model::SwitchIndex upper, model::SwitchIndex lower) const noexcept {
    const std::optional<std::uint32_t>& a = pod_[upper.value()];
    const std::optional<std::uint32_t>& b = pod_[lower.value()];
    return level(upper) == level(lower) + 1 && label(upper) < width(lower) &&
           columns_.serves(upper, lower) && (!a || !b || a == b);
  }
  /// The label by which switches of `below` know the way to `sw`, which is above them.
  [[nodiscard]] std::uint16_t label_on_the_way(model::SwitchIndex sw,
                                               std::uint8_t below) const noexcept;
  /// The most labels that switches of a level choose from, and the product of those below.
  [[nodiscard]] std::uint32_t labels_at(std::uint8_t level) const noexcept {
    return labels_[level];
  }
  [[nodiscard]] std::uint32_t divisor(std::uint8_t level) const noexcept { return divisor_[level]; }
  /// By which a destination takes its slots: a terminal's own number unless it was moved.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t destination) const noexcept {
    return number_of_destination_[destination];
  }
  /// Number of a terminal in topological order, the j of the formula.
  [[nodiscard]] std::uint32_t number(TerminalIndex terminal) const noexcept {
    return number_[terminal.value()];
  }

 private:
  void rank_switches(const Graph& graph, const Structure& structure);
  void place_cables(const Graph& graph);
  void number_terminals(const model::Fabric& fabric, const Graph& graph,
                        const Structure& structure);
  void number_destinations(const Graph& graph);
  void make_digits(const Graph& graph);

  std::vector<std::uint8_t> level_;
  std::vector<std::optional<std::uint32_t>> pod_;  ///< by SwitchIndex
  Order order_;
  Columns columns_;
  std::vector<std::optional<UpSlot>> slots_;
  std::vector<std::uint32_t> first_slot_;
  std::vector<std::uint32_t> wanted_;
  std::vector<UpSlot> cables_;
  std::vector<std::uint32_t> first_cable_{0};
  std::vector<std::vector<DownBundle>> down_;  ///< by SwitchIndex
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> number_of_destination_;  ///< of a switch its place in its level
  std::vector<std::uint32_t> labels_;                 ///< by level: the greatest width
  std::vector<std::uint32_t> divisor_;                ///< by level: product of the widths below
  std::vector<Move> moves_;                           ///< in order of destination
  std::vector<std::vector<std::uint8_t>> digits_;
  std::vector<std::uint32_t> digit_table_;  ///< by switch, into digits_
};

}  // namespace heddle::routing
