#include "simulation/cabling.hpp"

#include <utility>

namespace heddle::simulation {

Cabling::Cabling(std::shared_ptr<const model::Fabric> fabric, model::PortIndex attached_to)
    : fabric_(std::move(fabric)), attached_to_(attached_to) {}

void Cabling::cut(model::PortIndex port) {
  const std::optional<model::LinkIndex> link = fabric_->link_of(port);
  if (link && cut_.insert(*link).second) switch_reached_.clear();
}

void Cabling::restore(model::PortIndex port) {
  const std::optional<model::LinkIndex> link = fabric_->link_of(port);
  if (link && cut_.erase(*link) != 0) switch_reached_.clear();
}

bool Cabling::is_cut(model::PortIndex port) const noexcept {
  const std::optional<model::LinkIndex> link = fabric_->link_of(port);
  return link && cut_.contains(*link);
}

std::optional<model::PortIndex> Cabling::peer(model::PortIndex port) const noexcept {
  if (is_cut(port)) return std::nullopt;
  return fabric_->peer(port);
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
