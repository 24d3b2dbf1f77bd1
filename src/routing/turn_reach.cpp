#include "routing/turn_reach.hpp"

#include <algorithm>
#include <bit>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// Words of a row that one part of the work computes for all switches: columns do not depend on
/// each other.
constexpr std::size_t kWordsAtOnce = 4;

/// A kind's pairs; rows and bits by SwitchIndex.
struct Kinds {
  BitRows late;
  BitRows twice;
  BitRows across;
  BitRows up;
  BitRows early;

  [[nodiscard]] std::uint64_t passable(std::size_t sw, std::size_t word) const noexcept {
    return late.row(sw)[word] | twice.row(sw)[word] | across.row(sw)[word] | up.row(sw)[word];
  }
  [[nodiscard]] std::uint64_t all(std::size_t sw, std::size_t word) const noexcept {
    return passable(sw, word) | early.row(sw)[word];
  }
};

/// The words [begin, end) of all rows.
class Pass {
 public:
  Pass(const Graph& graph, const Order& order, const Availability& availability, const Reach& reach,
       const TurnPlaces& places, std::size_t begin, std::size_t end, Kinds& kinds, TurnReach& out)
      : graph_(graph),
        order_(order),
        availability_(availability),
        reach_(reach),
        places_(places),
        begin_(begin),
        end_(end),
        kinds_(kinds),
        out_(out),
        found_(end - begin) {}

  void fill() {
    if (reach_.has_drained) {
      find(reach_.preferred, false);
      for_each_switch([this](std::uint32_t sw) {
        for (std::size_t w = begin_; w < end_; ++w) out_.undrained.row(sw)[w] = kinds_.all(sw, w);
      });
    }
    find(reach_.any, true);
    keep_needed();
  }

 private:
  /// `ordered`: what the order leads to over the cables that are allowed.
  void find(const BitRows& ordered, bool with_drained) {
    const BitRows last_ways = find_last_ways(with_drained);
    for (const SwitchIndex sw : order_.ascending) {
      collect(sw, Direction::kDown, with_drained, [&](std::uint32_t child, std::size_t w) {
        return places_.late_leaf[child] != 0 ? last_ways.row(child)[w - begin_] : 0;
      });
      add(kinds_.late, sw);
    }
    for (const SwitchIndex sw : order_.ascending) {
      collect(sw, Direction::kAcross, with_drained, [&](std::uint32_t peer, std::size_t w) {
        return places_.top[peer] != 0 ? going_on(ordered, peer, w) : 0;
      });
      add(kinds_.twice, sw);
    }
    for (const SwitchIndex sw : order_.ascending) {
      collect(sw, Direction::kAcross, with_drained,
              [&](std::uint32_t peer, std::size_t w) { return kinds_.late.row(peer)[w]; });
      add(kinds_.across, sw);
    }
    for (auto place = order_.ascending.rbegin(); place != order_.ascending.rend(); ++place) {
      collect(*place, Direction::kUp, with_drained,
              [&](std::uint32_t parent, std::size_t w) { return kinds_.passable(parent, w); });
      add(kinds_.up, *place);
    }
    for (const SwitchIndex sw : order_.ascending) {
      collect(sw, Direction::kDown, with_drained, [&](std::uint32_t child, std::size_t w) {
        if (places_.late_leaf[child] != 0) return std::uint64_t{0};
        return going_on(ordered, child, w) | kinds_.passable(child, w);
      });
      add(kinds_.early, sw);
    }
  }

  /// What a switch leads to, and not by going down.
  [[nodiscard]] std::uint64_t going_on(const BitRows& ordered, std::uint32_t sw,
                                       std::size_t w) const {
    return ordered.row(sw)[w] & ~reach_.down.row(sw)[w];
  }

  /// Of late leaves, the switches above that their entries lead to directly. Rows of the words in
  /// hand.
  [[nodiscard]] BitRows find_last_ways(bool with_drained) const {
    BitRows ways(graph_.switch_count(), (end_ - begin_) * 64);
    std::vector<std::uint64_t> by_others(end_ - begin_);
    for (const SwitchIndex leaf : order_.ascending) {
      if (places_.late_leaf[leaf.value()] == 0) continue;
      std::ranges::fill(by_others, std::uint64_t{0});
      const auto direct = ways.row(leaf.value());
      for (std::uint32_t i = 0; i < graph_.arcs_of(leaf).size(); ++i) {
        const ArcIndex arc{graph_.first_arc(leaf).value() + i};
        if (order_.directions[arc.value()] != Direction::kUp) continue;
        if (!availability_.usable(graph_, arc)) continue;
        const std::size_t above = graph_.arc(arc).to.value();
        for (std::size_t w = begin_; w < end_; ++w) {
          const std::uint64_t own = w == above / 64 ? std::uint64_t{1} << (above % 64) : 0;
          by_others[w - begin_] |= reach_.any.row(above)[w] & ~own;
        }
      }
      for_each_cable(leaf, Direction::kUp, with_drained, [&](const Arc& arc) {
        const std::size_t above = arc.to.value();
        if (above / 64 < begin_ || above / 64 >= end_) return;
        direct[above / 64 - begin_] |= std::uint64_t{1} << (above % 64);
      });
      for (std::size_t w = 0; w < direct.size(); ++w) direct[w] &= ~by_others[w];
    }
    return ways;
  }

  /// Gathers in found_ what neighbours in one direction offer.
  template <class Offer>
  void collect(SwitchIndex sw, Direction direction, bool with_drained, Offer offer) {
    std::ranges::fill(found_, std::uint64_t{0});
    for_each_cable(sw, direction, with_drained, [&](const Arc& arc) {
      for (std::size_t w = begin_; w < end_; ++w) found_[w - begin_] |= offer(arc.to.value(), w);
    });
  }

  /// What was found for pairs that have nothing better.
  void add(BitRows& kind, SwitchIndex sw) {
    if (!availability_.up(sw)) return;
    for (std::size_t w = begin_; w < end_; ++w) {
      kind.row(sw.value())[w] |=
          found_[w - begin_] & ~reach_.any.row(sw.value())[w] & ~kinds_.all(sw.value(), w);
    }
  }

  /// Gives out the kinds, but for pairs without terminals that no way of others passes.
  void keep_needed() {
    BitRows needed(graph_.switch_count(), (end_ - begin_) * 64);
    std::vector<std::uint64_t> sources(end_ - begin_);
    for_each_switch([&](std::uint32_t sw) {
      if (sw / 64 < begin_ || sw / 64 >= end_) return;
      sources[sw / 64 - begin_] |= std::uint64_t{places_.source[sw]} << (sw % 64);
    });
    for_each_switch([&](std::uint32_t sw) {
      for (std::size_t w = begin_; w < end_; ++w) {
        const std::uint64_t wanted =
            places_.source[sw] != 0 ? ~std::uint64_t{0} : sources[w - begin_];
        needed.row(sw)[w - begin_] = kinds_.all(sw, w) & wanted;
      }
    });
    const auto pass_on = [&](SwitchIndex sw, Direction direction, const BitRows& kind, auto then) {
      for_each_cable(sw, direction, true, [&](const Arc& arc) {
        for (std::size_t w = begin_; w < end_; ++w) {
          needed.row(arc.to.value())[w - begin_] |= needed.row(sw.value())[w - begin_] &
                                                    kind.row(sw.value())[w] &
                                                    then(arc.to.value(), w);
        }
      });
    };
    const auto passable = [&](std::size_t sw, std::size_t w) { return kinds_.passable(sw, w); };
    const auto late = [&](std::size_t sw, std::size_t w) { return kinds_.late.row(sw)[w]; };
    for (const SwitchIndex sw : order_.ascending) {
      pass_on(sw, Direction::kDown, kinds_.early, passable);
    }
    for (const SwitchIndex sw : order_.ascending) pass_on(sw, Direction::kUp, kinds_.up, passable);
    for (const SwitchIndex sw : order_.ascending) {
      pass_on(sw, Direction::kAcross, kinds_.across, late);
    }
    for_each_switch([&](std::uint32_t sw) {
      for (std::size_t w = begin_; w < end_; ++w) {
        const std::uint64_t own = needed.row(sw)[w - begin_];
        if (reach_.has_drained) out_.undrained.row(sw)[w] &= own;
        const auto set = [&](const BitRows& kind, TurnKind value) {
          for (std::uint64_t rest = kind.row(sw)[w] & own; rest != 0; rest &= rest - 1) {
            const std::size_t at = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            out_.kinds[sw * out_.switches + at] = value;
          }
        };
        set(kinds_.late, TurnKind::kLate);
        set(kinds_.twice, TurnKind::kTwice);
        set(kinds_.across, TurnKind::kAcross);
        set(kinds_.up, TurnKind::kUp);
        set(kinds_.early, TurnKind::kEarly);
      }
    });
  }

  template <class Visit>
  void for_each_switch(Visit visit) const {
    for (std::uint32_t sw = 0; sw < graph_.switch_count(); ++sw) visit(sw);
  }
  template <class Visit>
  void for_each_cable(SwitchIndex sw, Direction direction, bool with_drained, Visit visit) const {
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto arcs = graph_.arcs_of(sw);
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      const ArcIndex index{first + i};
      if (order_.directions[index.value()] != direction || order_.is_sideways(index)) continue;
      if (with_drained ? availability_.usable(graph_, index)
                       : availability_.undrained(graph_, index)) {
        visit(arcs[i]);
      }
    }
  }

  const Graph& graph_;
  const Order& order_;
  const Availability& availability_;
  const Reach& reach_;
  const TurnPlaces& places_;
  std::size_t begin_;
  std::size_t end_;
  Kinds& kinds_;
  TurnReach& out_;
  std::vector<std::uint64_t> found_;
};

}  // namespace

TurnReach find_turn_reach(const Graph& graph, const Order& order, const Availability& availability,
                          const Reach& reach, const TurnPlaces& places, Workers& workers) {
  const std::size_t switches = graph.switch_count();
  const BitRows none(switches, switches);
  Kinds kinds{.late = none, .twice = none, .across = none, .up = none, .early = none};
  TurnReach out{.switches = switches,
                .kinds = std::vector<TurnKind>(switches * switches),
                .undrained = reach.has_drained ? none : BitRows()};
  workers.run_ranges(none.words_per_row(), kWordsAtOnce, [&](std::size_t begin, std::size_t end) {
    Pass(graph, order, availability, reach, places, begin, end, kinds, out).fill();
  });
  return out;
}

}  // namespace heddle::routing
