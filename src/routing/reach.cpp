#include "routing/reach.hpp"

#include <algorithm>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// Words of a row that one part of the work computes for all switches: columns do not depend on
/// each other.
constexpr std::size_t kWordsAtOnce = 8;

void clear(BitRows& rows, std::size_t switches) {
  const std::size_t words = (switches + 63) / 64;
  if (rows.words_per_row() != words) {
    rows = BitRows(switches, switches);
    return;
  }
  for (std::size_t s = 0; s < switches; ++s) std::ranges::fill(rows.row(s), std::uint64_t{0});
}

void merge(std::span<std::uint64_t> into, std::span<const std::uint64_t> from) {
  for (std::size_t w = 0; w < into.size(); ++w) into[w] |= from[w];
}

/// One pass up for `down`, one pass down for `any`, of the words [begin, end).
class Pass {
 public:
  Pass(const Order& order, const Graph& graph, const Availability& availability, std::size_t begin,
       std::size_t end)
      : order_(order),
        graph_(graph),
        availability_(availability),
        begin_(begin),
        count_(end - begin) {}

  void down(BitRows& rows, bool with_drained) const {
    for (const SwitchIndex sw : order_.ascending) {
      if (!availability_.up(sw)) continue;
      const std::size_t own = sw.value() / 64;
      if (own >= begin_ && own < begin_ + count_) rows.set(sw.value(), sw.value());
      for_each_cable(sw, with_drained, [&](Direction direction, const Arc& arc) {
        if (direction == Direction::kDown) merge(part(rows, sw), part(rows, arc.to));
      });
    }
  }

  /// `blocked`: what is reached downwards in some way is not sought upwards.
  void any(BitRows& rows, const BitRows& down, const BitRows& blocked, bool with_drained) const {
    for (auto place = order_.ascending.rbegin(); place != order_.ascending.rend(); ++place) {
      const SwitchIndex sw = *place;
      if (!availability_.up(sw)) continue;
      const std::span<std::uint64_t> own = part(rows, sw);
      for_each_cable(sw, with_drained, [&](Direction direction, const Arc& arc) {
        if (direction == Direction::kUp) merge(own, part(rows, arc.to));
        if (direction == Direction::kAcross) merge(own, part(down, arc.to));
      });
      const auto down_here = part(down, sw);
      const auto blocked_here = part(blocked, sw);
      for (std::size_t w = 0; w < count_; ++w) own[w] = (own[w] & ~blocked_here[w]) | down_here[w];
    }
  }

 private:
  template <class Visit>
  void for_each_cable(SwitchIndex sw, bool with_drained, Visit visit) const {
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto arcs = graph_.arcs_of(sw);
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      const ArcIndex index{first + i};
      if (!availability_.usable(graph_, index)) continue;
      if (!with_drained && availability_.capacity(index).value == 0) continue;
      visit(order_.directions[index.value()], arcs[i]);
    }
  }
  [[nodiscard]] std::span<std::uint64_t> part(BitRows& rows, SwitchIndex sw) const {
    return rows.row(sw.value()).subspan(begin_, count_);
  }
  [[nodiscard]] std::span<const std::uint64_t> part(const BitRows& rows, SwitchIndex sw) const {
    return rows.row(sw.value()).subspan(begin_, count_);
  }

  const Order& order_;
  const Graph& graph_;
  const Availability& availability_;
  std::size_t begin_;
  std::size_t count_;
};

}  // namespace

void find_reach(const Order& order, const Graph& graph, const Availability& availability,
                Workers& workers, Reach& reach) {
  const std::size_t switches = graph.switch_count();
  reach.has_drained = false;
  for (std::uint32_t a = 0; a < graph.arcs().size() && !reach.has_drained; ++a) {
    reach.has_drained = availability.capacity(ArcIndex{a}).value == 0;
  }
  clear(reach.down, switches);
  clear(reach.any, switches);
  if (reach.has_drained) {
    clear(reach.down_preferred, switches);
    clear(reach.preferred, switches);
  }
  workers.run_ranges(reach.down.words_per_row(), kWordsAtOnce,
                     [&](std::size_t begin, std::size_t end) {
                       const Pass pass(order, graph, availability, begin, end);
                       pass.down(reach.down, true);
                       pass.any(reach.any, reach.down, reach.down, true);
                       if (!reach.has_drained) return;
                       pass.down(reach.down_preferred, false);
                       pass.any(reach.preferred, reach.down_preferred, reach.down, false);
                     });
}

}  // namespace heddle::routing
