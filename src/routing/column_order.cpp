#include "routing/column_order.hpp"

#include <algorithm>

namespace heddle::routing {

using model::PortNum;
using model::SwitchIndex;

void ColumnOrder::begin(std::span<const ChangedEntry> column) {
  ++epoch_;
  column_ = column;
  entries_ = TableColumn(now_, column.front().lid);
  destination_ = graph_.find(column.front().lid);
  first_position_ = static_cast<std::uint32_t>(standings_.size());
  first_precedence_ = precedences_.size();
  for (std::uint32_t i = 0; i < column.size(); ++i) place(column[i].sw.value()).change = i;
  loses_ = false;
  for (const ChangedEntry& entry : column) {
    const std::uint32_t sw = entry.sw.value();
    standings_.push_back({.alive = alive(sw), .settled = settled(sw)});
    loses_ = loses_ || (standings_.back().alive && !standings_.back().settled);
  }
}

ColumnOrder::Place& ColumnOrder::place(std::uint32_t sw) {
  Place& found = places_[sw];
  if (found.epoch != epoch_) {
    found = Place{};
    found.epoch = epoch_;
  }
  return found;
}

ColumnOrder::Hop ColumnOrder::hop(std::uint32_t sw, Side side) {
  const std::uint32_t change = place(sw).change;
  const std::uint8_t entry = change == kUnchanged ? entries_[sw]
                             : side == kOld       ? column_[change].before
                                                  : column_[change].after;
  if (entry == model::ForwardingTables::kNoPort) return {};
  if (destination_ != nullptr && destination_->at.value() == sw &&
      PortNum{entry} == graph_.last_exit(*destination_)) {
    Hop last;
    if (availability_.usable(graph_, *destination_)) last.kind = Hop::Kind::kArrives;
    return last;
  }
  const PortTarget target = graph_.target(SwitchIndex{sw}, PortNum{entry});
  if (target.kind != PortTarget::Kind::kSwitch) return {};
  const ArcIndex arc{target.index};
  if (!availability_.usable(graph_, arc)) return {};
  return {.kind = Hop::Kind::kOn, .arc = arc, .to = graph_.arc(arc).to.value()};
}

ColumnOrder::Fate ColumnOrder::fate(std::uint32_t sw, Side side) {
  way_.clear();
  Fate result = Fate::kUnknown;
  for (std::uint32_t at = sw; result == Fate::kUnknown;) {
    Fate& known = place(at).fate[side];
    if (known == Fate::kAlive || known == Fate::kDead) {
      result = known;
      break;
    }
    if (known == Fate::kOnPath) {
      result = Fate::kDead;  // it circles
      break;
    }
    way_.push_back(at);
    known = Fate::kOnPath;
    const Hop next = hop(at, side);
    if (next.kind == Hop::Kind::kArrives) result = Fate::kAlive;
    if (next.kind == Hop::Kind::kNowhere) result = Fate::kDead;
    at = next.to;
  }
  for (const std::uint32_t at : way_) places_[at].fate[side] = result;
  return result;
}

template <class Visit>
void ColumnOrder::follow(std::uint32_t sw, Side side, Visit visit) {
  for (std::size_t steps = 0; steps < graph_.switch_count() && visit(sw); ++steps) {
    const Hop next = hop(sw, side);
    if (next.kind != Hop::Kind::kOn) return;
    sw = next.to;
  }
}

/// Depth first over what old and new entries lead to, from where they differ.
bool ColumnOrder::mixture_circles() {
  const auto enter = [this](std::uint32_t sw) {
    place(sw).colour = Colour::kOnPath;
    path_.push_back({sw, kOld});
  };
  path_.clear();
  for (const ChangedEntry& entry : column_) {
    if (place(entry.sw.value()).colour != Colour::kUnseen) continue;
    enter(entry.sw.value());
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next > (changed(step.sw) ? kNew : kOld)) {
        place(step.sw).colour = Colour::kDone;
        path_.pop_back();
        continue;
      }
      const Hop next = hop(step.sw, static_cast<Side>(step.next++));
      if (next.kind != Hop::Kind::kOn) continue;
      const Colour colour = place(next.to).colour;
      if (colour == Colour::kOnPath) return true;
      if (colour == Colour::kUnseen) enter(next.to);
    }
  }
  return false;
}

/// Both are changed switches.
void ColumnOrder::wait(std::uint32_t first, std::uint32_t then) {
  precedences_.push_back(
      {first_position_ + places_[first].change, first_position_ + places_[then].change});
}

void ColumnOrder::order_freely(std::uint32_t sw) {
  const Hop next = hop(sw, kNew);
  if (alive(sw)) {
    if (!settled(sw)) return;
    if (next.kind != Hop::Kind::kOn) return;
    follow(next.to, kNew, [&](std::uint32_t at) {
      if (alive(at)) return false;
      if (changed(at)) wait(at, sw);
      return true;
    });
    return;
  }
  const bool arrives = next.kind == Hop::Kind::kArrives;
  const bool ready = next.kind == Hop::Kind::kOn && alive(next.to) && settled(next.to);
  if (!arrives && !ready) go_before_revival(sw);
}

void ColumnOrder::order_inward(std::uint32_t sw) {
  const Hop next = hop(sw, kNew);
  if (next.kind == Hop::Kind::kOn) {
    follow(next.to, kNew, [&](std::uint32_t at) {
      if (!changed(at)) return true;
      wait(at, sw);
      return false;
    });
  }
  if (!alive(sw) && !settled(sw)) go_before_revival(sw);
}

/// Before the switches on its old way that deliver by their new entries.
void ColumnOrder::go_before_revival(std::uint32_t sw) {
  const Hop next = hop(sw, kOld);
  if (next.kind != Hop::Kind::kOn) return;
  follow(next.to, kOld, [&](std::uint32_t at) {
    if (at == sw) return false;
    if (changed(at) && settled(at)) wait(sw, at);
    return true;
  });
}

/// Before the switches on its old way that deliver no more by their new entries.
void ColumnOrder::go_before_loss(std::uint32_t sw) {
  if (!alive(sw) || !settled(sw)) return;
  follow(sw, kOld, [&](std::uint32_t at) {
    if (changed(at) && !settled(at)) wait(sw, at);
    return true;
  });
}

void ColumnOrder::avoid_turns(std::uint32_t sw) {
  for (const Side side : {kOld, kNew}) {
    const Hop held = hop(sw, side);
    if (held.kind != Hop::Kind::kOn || !changed(held.to)) continue;
    const Hop wanted = hop(held.to, side == kOld ? kNew : kOld);
    if (wanted.kind != Hop::Kind::kOn) continue;
    if (!forbidden_(column_.front().lid, held.arc, wanted.arc)) continue;
    if (side == kOld) {
      wait(sw, held.to);
    } else {
      wait(held.to, sw);
    }
  }
}

/// Whether the changes of this LID wait for each other in a circle: whether something remains when
/// those that nothing holds are taken away again and again.
bool ColumnOrder::contradictory() const {
  const auto all = std::span(precedences_).subspan(first_precedence_);
  if (all.empty()) return false;
  std::vector<std::uint32_t> waits(column_.size());
  std::vector<std::uint32_t> begins(column_.size() + 1);
  for (const Precedence& one : all) {
    ++waits[one.then - first_position_];
    ++begins[one.first - first_position_ + 1];
  }
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> followers(all.size());
  std::vector<std::uint32_t> fill = begins;
  for (const Precedence& one : all) {
    followers[fill[one.first - first_position_]++] = one.then - first_position_;
  }
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (waits[i] == 0) free.push_back(i);
  }
  for (std::size_t head = 0; head < free.size(); ++head) {
    for (std::uint32_t i = begins[free[head]]; i < begins[free[head] + 1]; ++i) {
      if (--waits[followers[i]] == 0) free.push_back(followers[i]);
    }
  }
  return free.size() != column_.size();
}

void ColumnOrder::note_lost() {
  if (!loses_) return;
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    if (availability_.up(SwitchIndex{s}) && alive(s) && !settled(s)) {
      lost_.push_back({SwitchIndex{s}, column_.front().lid});
    }
  }
}

/// What old entries lead on is cleared in a step of its own; then new ones meet no old ones.
void ColumnOrder::clear() {
  precedences_.resize(first_precedence_);
  for (std::uint32_t i = 0; i < column_.size(); ++i) {
    standings_[first_position_ + i].clear = hop(column_[i].sw.value(), kOld).kind == Hop::Kind::kOn;
  }
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    if (!availability_.up(SwitchIndex{s}) || !alive(s) || !settled(s)) continue;
    bool broken = false;
    follow(s, kOld, [&](std::uint32_t at) {
      const std::uint32_t change = place(at).change;
      broken = change != kUnchanged && standings_[first_position_ + change].clear;
      return !broken;
    });
    if (broken) interrupted_.push_back({SwitchIndex{s}, column_.front().lid});
  }
}

void ColumnOrder::add(std::span<const ChangedEntry> column) {
  begin(column);
  note_lost();
  if (column.size() == 1) return;  // either entry leads only to what stays as it is
  const bool circles = mixture_circles();
  for (const ChangedEntry& entry : column) {
    const std::uint32_t sw = entry.sw.value();
    if (circles) {
      order_inward(sw);
    } else {
      order_freely(sw);
    }
    if (loses_) go_before_loss(sw);
    if (forbidden_) avoid_turns(sw);
  }
  if (contradictory()) clear();
}

void ColumnOrder::add_cleared(std::span<const ChangedEntry> column) {
  begin(column);
  note_lost();
  clear();
}

}  // namespace heddle::routing
