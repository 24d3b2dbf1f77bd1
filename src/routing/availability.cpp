#include "routing/availability.hpp"

#include <algorithm>
#include <span>

namespace heddle::routing {

using model::SwitchIndex;

std::vector<SwitchIndex> Availability::changed_since(const Graph& graph,
                                                     const Availability& before) const {
  const auto differ = [](const auto& a, const auto& b, std::size_t first, std::size_t count) {
    return !std::ranges::equal(std::span(a).subspan(first, count),
                               std::span(b).subspan(first, count));
  };
  const bool same_switches = switch_up_ == before.switch_up_;
  const auto switch_differs = [&](SwitchIndex sw) { return up(sw) != before.up(sw); };
  std::vector<SwitchIndex> changed;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const std::size_t arc = graph.first_arc(sw).value();
    const std::size_t arcs = graph.arcs_of(sw).size();
    const std::size_t terminal = graph.first_terminal(sw).value();
    bool changes =
        differ(arc_up_, before.arc_up_, arc, arcs) ||
        differ(capacity_, before.capacity_, arc, arcs) ||
        differ(terminal_up_, before.terminal_up_, terminal, graph.terminals_of(sw).size());
    if (!changes && !same_switches) {
      changes = switch_differs(sw) || std::ranges::any_of(graph.arcs_of(sw), [&](const Arc& to) {
                  return switch_differs(to.to);
                });
    }
    if (changes) changed.push_back(sw);
  }
  return changed;
}

}  // namespace heddle::routing
