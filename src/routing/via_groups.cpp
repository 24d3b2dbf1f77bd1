#include "routing/via_groups.hpp"

#include <algorithm>

#include "routing/follow_lanes.hpp"

namespace heddle::routing {

using model::PortNum;
using model::Sl;
using model::SwitchIndex;
using model::Vl;

ViaGroups::ViaGroups(const Graph& graph, const Structure& structure,
                     std::span<const std::uint32_t> turn)
    : group_(structure.pod),
      groups_(structure.pods),
      via_(graph.destinations().size()),
      cables_(std::size_t{structure.pods} * structure.pods) {
  const std::uint32_t even = (groups_ + 1) / 2;
  const std::uint32_t odd = groups_ / 2;
  for (std::uint32_t d = 0; d < graph.destinations().size(); ++d) {
    const Destination& to = graph.destinations()[d];
    const std::optional<std::uint32_t> own = group(to.at);
    if (!to.terminal || to.path == 0 || !own) continue;
    const std::uint32_t first = *own % 2 == 0 ? 1 : 0;
    const std::uint32_t count = *own % 2 == 0 ? odd : even;
    if (count == 0) continue;
    const std::uint32_t paths = (1U << graph.terminal(*to.terminal).lmc) - 1;
    const std::uint64_t place = std::uint64_t{turn[to.terminal->value()]} * paths + to.path - 1U;
    via_[d] = first + 2 * static_cast<std::uint32_t>(place % count);
    destinations_.push_back(d);
  }
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    const auto from = group(arc.from);
    const auto to = group(arc.to);
    if (from && to && from != to) cables_[std::size_t{*from} * groups_ + *to].emplace_back(a);
  }
}

std::vector<Dependency> dependencies_of_level(const Graph& graph, const Availability& availability,
                                              const model::ForwardingTables& tables,
                                              const Lanes& lanes, Sl sl,
                                              std::span<const std::uint32_t> destinations) {
  std::vector<std::vector<Dependency>> of(graph.arcs().size());
  const auto add = [&of](const ChannelLane& held, const ChannelLane& wanted) {
    std::vector<Dependency>& known = of[held.arc.value()];
    const bool is_known = std::ranges::any_of(known, [&](const Dependency& dependency) {
      return dependency.held == held && dependency.wanted == wanted;
    });
    if (!is_known) known.push_back({held, wanted});
  };
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex source{s};
    const auto terminals = graph.terminals_of(source);
    const auto levels = lanes.levels.row(source);
    if (levels.empty() || !availability.up(source)) continue;
    for (const std::uint32_t d : destinations) {
      const Destination& to = graph.destinations()[d];
      if (levels[to.lid.value()] != sl.value()) continue;
      std::optional<ChannelLane> held;
      const PortNum entry = terminals.empty() ? PortNum{} : terminals.front().leaf_port;
      follow_lanes(graph, tables, lanes.maps, source, entry, sl, to.lid,
                   [&](const ChannelLane& wanted) {
                     if (held) add(*held, wanted);
                     held = wanted;
                   });
    }
  }
  std::vector<Dependency> all;
  for (const std::vector<Dependency>& known : of) all.insert(all.end(), known.begin(), known.end());
  return all;
}

}  // namespace heddle::routing
