#include "routing/hop_table.hpp"

namespace heddle::routing {

HopTable::HopTable(const Graph& graph, const Availability& availability) {
  hops_.reserve(graph.arcs().size() + graph.terminals().size() + graph.switch_count());
  first_.reserve(graph.switch_count() + 1);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const PortTarget& target : graph.targets(model::SwitchIndex{s})) {
      Hop hop;
      if (target.kind == PortTarget::Kind::kSwitch) {
        const ArcIndex arc{target.index};
        if (availability.usable(graph, arc)) hop = {graph.arc(arc).to.value(), target.index};
      } else if (target.kind == PortTarget::Kind::kTerminal &&
                 availability.usable(graph, TerminalIndex{target.index})) {
        hop = {Hop::kTerminal, target.index};
      }
      hops_.push_back(hop);
    }
    first_.push_back(static_cast<std::uint32_t>(hops_.size()));
  }
}

}  // namespace heddle::routing
