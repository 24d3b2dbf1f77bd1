#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/bit_rows.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// The channel dependency graph over (channel, VL) of whatever was added: a bit for each pair of
/// channels that follow each other at a switch, so that threads fill sets of their own that are
/// merged in the end. Channels of terminals are not in it: nothing waits for what a host sends, and
/// a host waits for nothing, so they are on no cycle.
class DependencySet {
 public:
  /// (channel, VL) as one number, in order of channel, then VL.
  using Node = std::uint32_t;

  /// `lanes`: a bit for each VL that may be named.
  DependencySet(const Graph& graph, std::uint16_t lanes);

  /// `held` ends at the switch `at`, where `wanted` begins.
  void add(ChannelLane held, model::SwitchIndex at, ChannelLane wanted) noexcept {
    const std::size_t row = std::size_t{held.arc.value()} * lane_count_ + lane_[held.vl.value()];
    const std::size_t bit = std::size_t{wanted.arc.value() - first_arc_[at.value()]} * lane_count_ +
                            lane_[wanted.vl.value()];
    words_[row * stride_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  [[nodiscard]] bool contains(ChannelLane held, model::SwitchIndex at,
                              ChannelLane wanted) const noexcept {
    const std::size_t row = node(held);
    const std::size_t bit = std::size_t{wanted.arc.value() - first_arc_[at.value()]} * lane_count_ +
                            lane_[wanted.vl.value()];
    return ((words_[row * stride_ + bit / 64] >> (bit % 64)) & 1U) != 0;
  }
  /// Calls `visit(held, wanted)` for each dependency, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (Node held = 0; held < end_.size() * lane_count_; ++held) {
      for_each_bit(row(held), [&](std::size_t bit) {
        visit(channel(held), channel(first_wanted(held) + static_cast<Node>(bit)));
      });
    }
  }
  /// Adds all of another set of the same graph and lanes.
  void merge(const DependencySet& other) noexcept;

  /// Of all cycles one through the lowest (channel, VL) that is on any, the shortest of these, that
  /// (channel, VL) first; empty if there is none. Each element waits for the next, the last for the
  /// first. O(channels * VLs + dependencies).
  [[nodiscard]] std::vector<ChannelLane> find_cycle() const;

  [[nodiscard]] Node node(ChannelLane of) const noexcept {
    return of.arc.value() * lane_count_ + lane_[of.vl.value()];
  }
  /// By Node: which set of those that wait for each other in circles it is in; 0 for none.
  [[nodiscard]] std::vector<std::uint32_t> components() const;

 private:
  [[nodiscard]] ChannelLane channel(Node node) const noexcept {
    return {ArcIndex{node / lane_count_}, vl_[node % lane_count_]};
  }
  [[nodiscard]] std::span<const std::uint64_t> row(Node node) const noexcept;
  [[nodiscard]] Node first_wanted(Node node) const noexcept;
  [[nodiscard]] std::vector<ChannelLane> shortest_cycle(
      Node start, std::span<const std::uint32_t> component) const;

  std::uint32_t lane_count_;
  std::array<std::uint8_t, 16> lane_{};   ///< by VL: its place among the lanes
  std::array<model::Vl, 16> vl_{};        ///< the other way round
  std::vector<std::uint32_t> first_arc_;  ///< by SwitchIndex
  std::vector<model::SwitchIndex> end_;   ///< by ArcIndex: the switch it leads to
  std::size_t stride_ = 0;                ///< words of a row
  std::vector<std::uint64_t> words_;      ///< a row a Node, a bit a channel and lane that follows
};

}  // namespace heddle::routing
