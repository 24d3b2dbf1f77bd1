#include "routing/reach.hpp"

#include <algorithm>
#include <utility>

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

/// Which cables ways may lead over.
struct Allowed {
  bool drained = true;
  bool sideways = true;
};

/// The rows of one Reach; the preferred ones only where something is drained.
struct Rows {
  BitRows& down;
  BitRows& any;
  BitRows& down_preferred;
  BitRows& preferred;
};

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

  void fill(const Rows& rows, bool has_drained, bool sideways) const {
    down(rows.down, {.drained = true, .sideways = sideways});
    any(rows.any, rows.down, rows.down, {.drained = true, .sideways = sideways});
    if (!has_drained) return;
    down(rows.down_preferred, {.drained = false, .sideways = sideways});
    any(rows.preferred, rows.down_preferred, rows.down, {.drained = false, .sideways = sideways});
  }

  /// Marks what some switch with hosts reaches by `full` and not by `own`, and takes the bits of
  /// those columns from `full`.
  void complete(const Rows& own, const Rows& full, bool has_drained,
                std::span<std::uint64_t> marks) const {
    const auto missing = marks.subspan(begin_, count_);
    for (const SwitchIndex sw : order_.ascending) {
      if (graph_.terminals_of(sw).empty()) continue;
      const auto has = part(std::as_const(own.any), sw);
      const auto could = part(std::as_const(full.any), sw);
      for (std::size_t w = 0; w < count_; ++w) missing[w] |= could[w] & ~has[w];
    }
    if (std::ranges::all_of(missing, [](std::uint64_t word) { return word == 0; })) return;
    const auto take = [&](BitRows& to, const BitRows& from) {
      for (const SwitchIndex sw : order_.ascending) {
        const auto into = part(to, sw);
        const auto bits = part(from, sw);
        for (std::size_t w = 0; w < count_; ++w) {
          into[w] = (into[w] & ~missing[w]) | (bits[w] & missing[w]);
        }
      }
    };
    take(own.down, full.down);
    take(own.any, full.any);
    if (!has_drained) return;
    take(own.down_preferred, full.down_preferred);
    take(own.preferred, full.preferred);
  }

 private:
  void down(BitRows& rows, Allowed allowed) const {
    for (const SwitchIndex sw : order_.ascending) {
      if (!availability_.up(sw)) continue;
      const std::size_t own = sw.value() / 64;
      if (own >= begin_ && own < begin_ + count_) rows.set(sw.value(), sw.value());
      for_each_cable(sw, allowed, [&](Direction direction, const Arc& arc) {
        if (direction == Direction::kDown) merge(part(rows, sw), part(rows, arc.to));
      });
    }
  }

  /// `blocked`: what is reached downwards in some way is not sought upwards.
  void any(BitRows& rows, const BitRows& down, const BitRows& blocked, Allowed allowed) const {
    for (auto place = order_.ascending.rbegin(); place != order_.ascending.rend(); ++place) {
      const SwitchIndex sw = *place;
      if (!availability_.up(sw)) continue;
      const std::span<std::uint64_t> own = part(rows, sw);
      for_each_cable(sw, allowed, [&](Direction direction, const Arc& arc) {
        if (direction == Direction::kUp) merge(own, part(rows, arc.to));
        if (direction == Direction::kAcross) merge(own, part(down, arc.to));
      });
      const auto down_here = part(down, sw);
      const auto blocked_here = part(blocked, sw);
      for (std::size_t w = 0; w < count_; ++w) own[w] = (own[w] & ~blocked_here[w]) | down_here[w];
    }
  }

  template <class Visit>
  void for_each_cable(SwitchIndex sw, Allowed allowed, Visit visit) const {
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto arcs = graph_.arcs_of(sw);
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      const ArcIndex index{first + i};
      if (!availability_.usable(graph_, index)) continue;
      if (!allowed.drained && availability_.capacity(index).value == 0) continue;
      if (!allowed.sideways && order_.is_sideways(index)) continue;
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
  const auto clear_all = [&](const Rows& rows) {
    clear(rows.down, switches);
    clear(rows.any, switches);
    if (!reach.has_drained) return;
    clear(rows.down_preferred, switches);
    clear(rows.preferred, switches);
  };
  const bool has_sideways = !order.sideways.empty();
  const Rows rows{reach.down, reach.any, reach.down_preferred, reach.preferred};
  Reach with_sideways;
  const Rows full{with_sideways.down, with_sideways.any, with_sideways.down_preferred,
                  with_sideways.preferred};
  clear_all(rows);
  if (has_sideways) clear_all(full);
  reach.sideways.assign(reach.down.words_per_row(), 0);
  workers.run_ranges(reach.down.words_per_row(), kWordsAtOnce,
                     [&](std::size_t begin, std::size_t end) {
                       const Pass pass(order, graph, availability, begin, end);
                       pass.fill(rows, reach.has_drained, false);
                       if (!has_sideways) return;
                       pass.fill(full, reach.has_drained, true);
                       pass.complete(rows, full, reach.has_drained, reach.sideways);
                     });
}

}  // namespace heddle::routing
