#include "routing/availability.hpp"

namespace heddle::routing {

bool changed_at(const Graph& graph, const Availability& before, const Availability& now,
                model::SwitchIndex sw) {
  if (before.up(sw) != now.up(sw)) return true;
  for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
    const ArcIndex arc{graph.first_arc(sw).value() + i};
    if (before.usable(graph, arc) != now.usable(graph, arc) ||
        before.capacity(arc) != now.capacity(arc)) {
      return true;
    }
  }
  for (std::uint32_t i = 0; i < graph.terminals_of(sw).size(); ++i) {
    const TerminalIndex terminal{graph.first_terminal(sw).value() + i};
    if (before.usable(graph, terminal) != now.usable(graph, terminal)) return true;
  }
  return false;
}

}  // namespace heddle::routing
