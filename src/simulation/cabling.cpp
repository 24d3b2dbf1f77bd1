#include "simulation/cabling.hpp"

#include <utility>

#include "model/assert.hpp"

namespace heddle::simulation {

Cabling::Cabling(std::shared_ptr<const model::Fabric> fabric, model::PortIndex attached_to)
    : fabric_(std::move(fabric)), attached_to_(attached_to) {}

void Cabling::cut(model::PortIndex port) {
  const std::optional<model::PortIndex> far = plugged(port);
  if (!far) return;
  cut_.insert({port, *far});
  switch_reached_.clear();
}

void Cabling::restore(model::PortIndex port) {
  if (cut_.erase(port) == 0) return;
  cut_.erase(*plugged(port));
  switch_reached_.clear();
}

void Cabling::swap(model::PortIndex a, model::PortIndex b) {
  const std::optional<model::PortIndex> behind_a = peer(a);
  const std::optional<model::PortIndex> behind_b = peer(b);
  HEDDLE_ASSERT(behind_a && behind_b && *behind_a != b && a != b);
  const auto plug = [this](model::PortIndex x, model::PortIndex y) {
    moved_.insert_or_assign(x, y);
    moved_.insert_or_assign(y, x);
  };
  plug(a, *behind_b);
  plug(b, *behind_a);
  switch_reached_.clear();
}

bool Cabling::is_cut(model::PortIndex port) const noexcept { return cut_.contains(port); }

std::optional<model::PortIndex> Cabling::plugged(model::PortIndex port) const noexcept {
  const auto found = moved_.find(port);
  return found == moved_.end() ? fabric_->peer(port) : found->second;
}

std::optional<model::PortIndex> Cabling::peer(model::PortIndex port) const noexcept {
  return is_cut(port) ? std::nullopt : plugged(port);
}

bool Cabling::reachable(model::PortIndex port) {
  if (port == attached_to_) return true;
  if (switch_reached_.empty()) explore();
  const model::NodeIndex node = fabric_->port(port).node;
  if (fabric_->node(node).kind == model::NodeKind::kSwitch) {
    return switch_reached_[node.value()] != 0;
  }
  const std::optional<model::PortIndex> next = peer(port);
  return next && (*next == attached_to_ || switch_reached_[fabric_->port(*next).node.value()] != 0);
}

void Cabling::explore() {
  switch_reached_.assign(fabric_->nodes().size(), 0);
  std::vector<model::NodeIndex> to_visit;
  const auto reach = [&](std::optional<model::PortIndex> port) {
    if (!port) return;
    const model::NodeIndex node = fabric_->port(*port).node;
    if (fabric_->node(node).kind != model::NodeKind::kSwitch) return;
    if (std::exchange(switch_reached_[node.value()], std::uint8_t{1}) == 0) {
      to_visit.push_back(node);
    }
  };
  const model::NodeIndex home = fabric_->port(attached_to_).node;
  if (fabric_->node(home).kind == model::NodeKind::kSwitch) {
    reach(attached_to_);
  } else {
    reach(peer(attached_to_));
  }
  while (!to_visit.empty()) {
    const model::NodeIndex node = to_visit.back();
    to_visit.pop_back();
    const std::uint32_t first = fabric_->first_port(node).value();
    for (std::uint32_t i = 0; i < fabric_->ports_of(node).size(); ++i) {
      reach(peer(model::PortIndex{first + i}));
    }
  }
}

}  // namespace heddle::simulation
