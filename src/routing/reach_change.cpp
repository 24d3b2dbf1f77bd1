#include "routing/reach_change.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using model::SwitchIndex;

void ReachChange::clear(std::size_t switches, std::size_t words_per_row) {
  words_per_row_ = words_per_row;
  down_.assign(switches, 0);
  any_.assign(switches, 0);
  sideways_.assign(words_per_row, 0);
  words_.clear();
}

void ReachChange::note_sideways(std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> now) {
  for (std::size_t w = 0; w < words_per_row_; ++w) sideways_[w] = before[w] ^ now[w];
}

bool ReachChange::note(std::uint32_t& place, std::span<const std::uint64_t> before,
                       std::span<const std::uint64_t> now) {
  if (std::ranges::equal(before, now)) return false;
  for (std::size_t w = 0; w < words_per_row_; ++w) words_.push_back(before[w] ^ now[w]);
  place = static_cast<std::uint32_t>(words_.size() / words_per_row_);
  return true;
}

namespace {

/// One pass up for `down`, one pass down for `any`, over the switches whose rows may differ.
class Update {
 public:
  Update(const Order& order, const Graph& graph, const Availability& now, Reach& reach,
         ReachChange& change)
      : order_(order),
        graph_(graph),
        now_(now),
        reach_(reach),
        change_(change),
        down_due_(graph.switch_count(), 0),
        any_due_(graph.switch_count(), 0),
        row_(reach.down.words_per_row()) {}

  void run(std::span<const SwitchIndex> touched) {
    for (const SwitchIndex sw : touched) down_due_[sw.value()] = any_due_[sw.value()] = 1;
    for (const SwitchIndex sw : order_.ascending) {
      if (down_due_[sw.value()] != 0) update_down(sw);
    }
    for (auto place = order_.ascending.rbegin(); place != order_.ascending.rend(); ++place) {
      if (any_due_[place->value()] != 0) update_any(*place);
    }
  }

 private:
  void update_down(SwitchIndex sw) {
    std::ranges::fill(row_, 0);
    if (now_.up(sw)) {
      row_[sw.value() / 64] |= std::uint64_t{1} << (sw.value() % 64);
      for_each_cable(sw, [&](ArcIndex cable, SwitchIndex peer) {
        if (direction(cable) == Direction::kDown && now_.usable(graph_, cable)) {
          merge(reach_.down.row(peer.value()));
        }
      });
    }
    if (!change_.note_down(sw, reach_.down.row(sw.value()), row_)) return;
    std::ranges::copy(row_, reach_.down.row(sw.value()).begin());
    any_due_[sw.value()] = 1;
    // Whoever cannot use the cable now has changed itself, or does not look at this row.
    for_each_cable(sw, [&](ArcIndex cable, SwitchIndex peer) {
      if (direction(cable) == Direction::kUp) down_due_[peer.value()] = 1;
      if (direction(cable) == Direction::kAcross) any_due_[peer.value()] = 1;
    });
  }

  void update_any(SwitchIndex sw) {
    std::ranges::fill(row_, 0);
    if (now_.up(sw)) {
      for_each_cable(sw, [&](ArcIndex cable, SwitchIndex peer) {
        if (direction(cable) == Direction::kDown || !now_.usable(graph_, cable)) return;
        const BitRows& beyond = direction(cable) == Direction::kUp ? reach_.any : reach_.down;
        merge(std::as_const(beyond).row(peer.value()));
      });
      merge(reach_.down.row(sw.value()));
    }
    if (!change_.note_any(sw, reach_.any.row(sw.value()), row_)) return;
    std::ranges::copy(row_, reach_.any.row(sw.value()).begin());
    for_each_cable(sw, [&](ArcIndex cable, SwitchIndex peer) {
      if (direction(cable) == Direction::kDown) any_due_[peer.value()] = 1;
    });
  }

  [[nodiscard]] Direction direction(ArcIndex cable) const {
    return order_.directions[cable.value()];
  }
  template <class Visit>
  void for_each_cable(SwitchIndex sw, Visit visit) const {
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto arcs = graph_.arcs_of(sw);
    for (std::uint32_t i = 0; i < arcs.size(); ++i) visit(ArcIndex{first + i}, arcs[i].to);
  }
  void merge(std::span<const std::uint64_t> from) {
    for (std::size_t w = 0; w < row_.size(); ++w) row_[w] |= from[w];
  }

  const Order& order_;
  const Graph& graph_;
  const Availability& now_;
  Reach& reach_;
  ReachChange& change_;
  std::vector<std::uint8_t> down_due_;
  std::vector<std::uint8_t> any_due_;
  std::vector<std::uint64_t> row_;
};

}  // namespace

bool can_update_reach(const Order& order, const Graph& graph, const Availability& now,
                      std::span<const SwitchIndex> touched, const Reach& reach) {
  if (reach.has_drained || !order.sideways.empty()) return false;
  return std::ranges::none_of(touched, [&](SwitchIndex sw) {
    const std::uint32_t first = graph.first_arc(sw).value();
    for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
      if (now.capacity(ArcIndex{first + i}).value == 0) return true;
    }
    return false;
  });
}

void update_reach(const Order& order, const Graph& graph, const Availability& now,
                  std::span<const SwitchIndex> touched, Reach& reach, ReachChange& change) {
  change.clear(graph.switch_count(), reach.down.words_per_row());
  Update(order, graph, now, reach, change).run(touched);
}

}  // namespace heddle::routing
