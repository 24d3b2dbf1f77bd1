#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Where packets enter the fabric: the usable terminals, by switch.
class Sources {
 public:
  /// Terminals of one switch whose nodes hang on the same switches, so that they are equally far
  /// from everything: nearly always all that the switch has.
  struct Group {
    std::uint32_t source = 0;  ///< into switches()
    std::uint32_t count = 0;
    std::uint32_t first_at = 0;  ///< into ats
    std::uint32_t at_count = 0;
  };

  Sources(const Graph& graph, const Availability& availability);

  /// Switches with a usable terminal, ascending.
  [[nodiscard]] std::span<const model::SwitchIndex> switches() const noexcept { return switches_; }
  /// By source; usable terminals in order of port.
  [[nodiscard]] std::span<const TerminalIndex> terminals(std::uint32_t source) const noexcept {
    return std::span(terminals_)
        .subspan(first_terminal_[source], first_terminal_[source + 1] - first_terminal_[source]);
  }
  /// In order of source.
  [[nodiscard]] std::span<const Group> groups() const noexcept { return groups_; }
  /// The sources that nodes of the group hang on.
  [[nodiscard]] std::span<const std::uint32_t> ats(const Group& group) const noexcept {
    return std::span(ats_).subspan(group.first_at, group.at_count);
  }
  /// The usable terminals of the same node, itself included.
  [[nodiscard]] std::span<const TerminalIndex> siblings(TerminalIndex terminal) const noexcept {
    const std::uint32_t node = node_of_[terminal.value()];
    return std::span(by_node_).subspan(first_of_node_[node],
                                       first_of_node_[node + 1] - first_of_node_[node]);
  }
  /// Of a usable terminal, into groups().
  [[nodiscard]] std::uint32_t group_of(TerminalIndex terminal) const noexcept {
    return group_of_[terminal.value()];
  }
  /// Of a usable terminal, into switches().
  [[nodiscard]] std::uint32_t source_of(TerminalIndex terminal) const noexcept {
    return groups_[group_of_[terminal.value()]].source;
  }
  [[nodiscard]] std::size_t terminal_count() const noexcept { return terminals_.size(); }

 private:
  void index_nodes(const Graph& graph);

  std::vector<model::SwitchIndex> switches_;
  std::vector<TerminalIndex> terminals_;
  std::vector<std::uint32_t> first_terminal_{0};  ///< by source
  std::vector<Group> groups_;
  std::vector<std::uint32_t> ats_;
  std::vector<std::uint32_t> group_of_;       ///< by TerminalIndex
  std::vector<std::uint32_t> node_of_;        ///< by TerminalIndex, into first_of_node_
  std::vector<TerminalIndex> by_node_;        ///< node by node
  std::vector<std::uint32_t> first_of_node_;  ///< into by_node_
};

}  // namespace heddle::routing
