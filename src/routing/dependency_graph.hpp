#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// A channel in one virtual lane: what a packet holds while it waits for the next.
struct ChannelLane {
  ArcIndex arc;
  model::Vl vl;
  constexpr auto operator<=>(const ChannelLane&) const noexcept = default;
};

/// "Holds `held`, waits for `wanted`."
struct Dependency {
  ChannelLane held;
  ChannelLane wanted;
};

/// The channel dependency graph of one virtual lane (Dally and Seitz, IEEE Trans. Computers
/// C-36(5), 1987: no deadlock without a cycle), kept acyclic: edges are added in groups, and a
/// group that would close a cycle is taken back as a whole. A topological order is kept, in which
/// an edge against it moves what lies in between, searched from both its ends at once (after
/// Bender, Fineman, Gilbert and Tarjan, "A new approach to incremental cycle detection and related
/// problems", ACM Trans. Algorithms 12(2), 2016). Not for use from several threads.
class AcyclicChannels {
 public:
  explicit AcyclicChannels(const Graph& graph);
  /// As above; arcs that paths take early have the greater `remaining`, one value an arc. What is
  /// added costs the less the better that fits; the outcome does not depend on it.
  AcyclicChannels(const Graph& graph, std::span<const std::uint16_t> remaining);

  /// Takes all edges away. The order stays as the last ones left it, and memory is kept.
  void clear() noexcept;
  /// Adds all of them, or none if that would close a cycle. `wanted` leaves the switch that `held`
  /// leads to. Cheap for what is there already and for what fits the order.
  [[nodiscard]] bool add(std::span<const std::pair<ArcIndex, ArcIndex>> held_wanted);
  [[nodiscard]] bool contains(ArcIndex held, ArcIndex wanted) const noexcept {
    const std::uint32_t bit = next_bit(held.value(), wanted.value());
    return ((next_[bit / kBits] >> (bit % kBits)) & 1U) != 0;
  }
  /// Whether this edge alone is known to close a cycle, so that no group with it will ever fit.
  /// False says nothing.
  [[nodiscard]] bool refused(ArcIndex held, ArcIndex wanted) const noexcept {
    const std::uint32_t bit = next_bit(held.value(), wanted.value());
    return ((refused_[bit / kBits] >> (bit % kBits)) & 1U) != 0;
  }
  [[nodiscard]] std::size_t edges() const noexcept { return edges_; }
  /// Grows whenever contains() or refused() says something new, so that what was derived from them
  /// can be told to be old. Counts on through clear().
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

 private:
  static constexpr std::uint32_t kBits = 64;
  /// What a channel may wait for leaves the switch that it leads to, so the edges are a bit for
  /// each arc of that switch, and for the way back a bit for each arc into the switch it leaves.
  struct Channel {
    std::uint32_t first_next;      ///< the first arc of the switch that it leads to
    std::uint32_t first_previous;  ///< the first arc of the switch that it leaves, a reverse of
                                   ///< what may wait for it
    std::uint32_t reverse;
    std::uint32_t bits;   ///< place of its bits in next_; those in previous_ are at the reverse's
    std::uint32_t words;  ///< number of words in next_
  };

  [[nodiscard]] std::uint32_t next_bit(std::uint32_t held, std::uint32_t wanted) const noexcept {
    return channels_[held].bits * kBits + wanted - channels_[held].first_next;
  }
  [[nodiscard]] std::uint32_t previous_bit(std::uint32_t held,
                                           std::uint32_t wanted) const noexcept {
    const Channel& channel = channels_[wanted];
    return channels_[channel.reverse].bits * kBits + channels_[held].reverse -
           channel.first_previous;
  }
  void remember_refusal(std::uint32_t held, std::uint32_t wanted);
  void flip(std::uint32_t held, std::uint32_t wanted) noexcept;
  [[nodiscard]] bool make_room(std::uint32_t held, std::uint32_t wanted);
  [[nodiscard]] bool search(std::uint32_t held, std::uint32_t wanted);
  [[nodiscard]] bool meets_backward(std::uint32_t arc, std::uint64_t last);
  [[nodiscard]] bool meets_forward(std::uint32_t arc, std::uint64_t first);
  void place_after(std::uint32_t arc, std::vector<std::uint32_t>& moved);
  void number_anew();

  std::vector<Channel> channels_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> previous_;
  std::vector<std::uint64_t> refused_;  ///< as next_
  // The order: a ring of all arcs and one place for its beginning, and a number that grows along
  // it.
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint64_t> number_;
  std::uint64_t spacing_;  ///< between fresh neighbours
  std::size_t edges_ = 0;
  std::uint64_t changes_ = 0;
  // Room for one search, kept so that an edge costs no allocation.
  std::vector<std::uint8_t> seen_;  ///< by arc: from which end
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
};

}  // namespace heddle::routing
