#pragma once

#include <cstddef>
#include <optional>

#include "model/forwarding_tables.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

namespace heddle::routing {

/// Calls `visit(ChannelLane)` for each channel, with its lane, that packets of level `sl` pass on
/// their way to a LID from a switch that they came into by port `entry`. Entries that go in circles
/// are followed over as many channels as there are switches.
template <class Visit>
void follow_lanes(const Graph& graph, const model::ForwardingTables& tables, const LaneMaps& maps,
                  model::SwitchIndex from, model::PortNum entry, model::Sl sl, model::Lid to,
                  const Visit& visit) {
  for (std::size_t hops = 0; hops < graph.switch_count(); ++hops) {
    const std::optional<model::PortNum> exit = tables.port(from, to);
    const PortTarget target = exit ? graph.target(from, *exit) : PortTarget{};
    if (target.kind != PortTarget::Kind::kSwitch) return;
    const ArcIndex arc{target.index};
    visit(ChannelLane{arc, maps.vl(from, entry, *exit, sl)});
    entry = graph.arc(arc).entry;
    from = graph.arc(arc).to;
  }
}

}  // namespace heddle::routing
