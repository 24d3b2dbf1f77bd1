#include "plugins/opensm/live_lanes.hpp"

#include <algorithm>
#include <utility>

namespace heddle::plugin {

using model::SwitchIndex;

LiveLanes::LiveLanes(const routing::Graph& graph, routing::Lanes lanes)
    : one_lane_(lanes.levels.all_zero() && lanes.maps.identity()),
      lanes_(std::move(lanes)),
      switch_of_lid_(graph.top_lid().value() + std::size_t{1}, kNone) {
  switches_.reserve(graph.switch_count());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    switches_.push_back(graph.guid(SwitchIndex{s}));
  }
  for (const routing::Destination& to : graph.destinations()) {
    switch_of_lid_[to.lid.value()] = to.at.value();
  }
}

std::optional<model::Sl> LiveLanes::level(model::Lid source,
                                          model::Lid destination) const noexcept {
  if (one_lane_) return std::nullopt;
  if (source.value() >= switch_of_lid_.size()) return model::Sl{};
  const std::uint32_t at = switch_of_lid_[source.value()];
  if (at == kNone) return model::Sl{};
  return lanes_.levels.sl(SwitchIndex{at}, destination);
}

std::optional<model::SlToVl> LiveLanes::mapping(model::NodeGuid sw, model::PortNum in,
                                                model::PortNum out) const noexcept {
  if (one_lane_) return std::nullopt;
  const auto found = std::ranges::lower_bound(switches_, sw);
  if (found == switches_.end() || *found != sw) return std::nullopt;
  const auto place = static_cast<std::uint32_t>(found - switches_.begin());
  return lanes_.maps.mapping(SwitchIndex{place}, in, out);
}

}  // namespace heddle::plugin
