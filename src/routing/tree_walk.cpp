#include "routing/tree_walk.hpp"

#include <algorithm>
#include <limits>

namespace heddle::routing {

void TreeWalk::begin(const Destination& destination) {
  destination_ = &destination;
  open_window(destination.lid);
  ++epoch_;  // destinations are 16 bits wide: it does not come round
  if (!destination.terminal) {
    Place& end = places_[destination.at.value()];
    end = {.epoch = epoch_, .outcome = Outcome::kDelivered};
  }
}

void TreeWalk::open_window(model::Lid lid) {
  lid_in_window_ = lid.value() % kWindow;
  const std::size_t first = lid.value() - lid_in_window_;
  if (first_in_window_ == first) return;
  first_in_window_ = first;
  window_.assign(places_.size() * kWindow, model::ForwardingTables::kNoPort);
  if (first >= tables_.row_length()) return;
  const std::size_t count = std::min(kWindow, tables_.row_length() - first);
  for (std::uint32_t s = 0; s < std::min(places_.size(), tables_.switch_count()); ++s) {
    const auto row = tables_.row(model::SwitchIndex{s}).subspan(first, count);
    std::ranges::copy(row, window_.begin() + static_cast<std::ptrdiff_t>(s * kWindow));
  }
}

/// Leaves in path_ what was not known before, and in joined_ the switch that follows, if the path
/// does not end by itself.
void TreeWalk::follow(std::uint32_t from) {
  path_.clear();
  joined_ = HopTable::Hop::kNothing;
  std::uint32_t steps = 0;
  Outcome outcome = Outcome::kDead;
  for (std::uint32_t at = from;;) {
    Place& place = places_[at];
    if (place.epoch == epoch_) {
      joined_ = at;
      steps = place.steps;
      outcome = place.outcome == Outcome::kOpen ? Outcome::kLoops : place.outcome;
      break;
    }
    path_.push_back(at);
    place = {.epoch = epoch_, .port = entry(at)};
    const HopTable::Hop hop = hops_.at(at, place.port);
    if (hop.to == HopTable::Hop::kNothing) break;
    if (hop.to == HopTable::Hop::kTerminal) {
      place.exit = Exit::kTerminal;
      if (destination_->terminal && destination_->terminal->value() == hop.index) {
        outcome = Outcome::kDelivered;
      }
      break;
    }
    place.exit = Exit::kChannel;
    place.arc = hop.index;
    at = hop.to;
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    Place& place = places_[path_[i]];
    if (place.exit != Exit::kNone) ++steps;
    place.steps = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(steps, std::numeric_limits<std::uint16_t>::max()));
    place.outcome = outcome;
  }
}

const TreeWalk::Place& TreeWalk::resolve(model::SwitchIndex sw) {
  Place& place = places_[sw.value()];
  if (place.epoch != epoch_) follow(sw.value());
  return place;
}

const TreeWalk::Place& TreeWalk::resolve(model::SwitchIndex sw, std::uint32_t limit,
                                         DependencySet& dependencies) {
  Place& place = places_[sw.value()];
  if (place.epoch == epoch_) return place;
  follow(sw.value());
  if (place.outcome == Outcome::kLoops || place.steps > limit) return place;
  if (joined_ != HopTable::Hop::kNothing) path_.push_back(joined_);
  const auto channel = [this](std::uint32_t s) {
    return ChannelLane{ArcIndex{places_[s].arc}, model::Vl{}};
  };
  for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
    if (places_[path_[i + 1]].exit == Exit::kChannel) {
      dependencies.add(channel(path_[i]), model::SwitchIndex{path_[i + 1]}, channel(path_[i + 1]));
    }
  }
  return place;
}

}  // namespace heddle::routing
