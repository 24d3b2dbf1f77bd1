#include "support/simple_routers.hpp"

#include <functional>

namespace heddle::support {
namespace {

using model::ForwardingTables;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Availability;
using routing::Destination;
using routing::Graph;

constexpr std::uint8_t kNoPort = ForwardingTables::kNoPort;
/// Exit ports toward one LID, by switch.
using Exits = std::vector<std::uint8_t>;

/// Round by round gives switches without an exit one over an arc that `may` be taken to a switch
/// that had one before the round.
void grow(const Graph& graph, const Availability& availability, std::uint16_t lid, Exits& exits,
          const std::function<bool(const Arc&)>& may) {
  for (Exits before; before != exits;) {
    before = exits;
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (before[s] != kNoPort) continue;
      std::vector<std::uint8_t> choice;
      for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
        const ArcIndex index = graph.arc(arc.reverse).reverse;
        if (availability.usable(graph, index) && availability.capacity(index).value != 0 &&
            before[arc.to.value()] != kNoPort && may(arc)) {
          choice.push_back(arc.exit.value());
        }
      }
      if (!choice.empty()) exits[s] = choice[lid % choice.size()];
    }
  }
}

ForwardingTables for_each_lid(const Graph& graph,
                              const std::function<void(const Destination&, Exits&)>& route) {
  ForwardingTables tables(graph.switch_count(), graph.top_lid());
  for (const Destination& destination : graph.destinations()) {
    Exits exits(graph.switch_count(), kNoPort);
    exits[destination.at.value()] = destination.terminal
                                        ? graph.terminal(*destination.terminal).leaf_port.value()
                                        : std::uint8_t{0};
    route(destination, exits);
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      tables.row(SwitchIndex{s})[destination.lid.value()] = exits[s];
    }
  }
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) tables.mark_known(SwitchIndex{s});
  return tables;
}

}  // namespace

std::vector<std::uint32_t> tree_levels(const Graph& graph) {
  constexpr std::uint32_t kFar = ~std::uint32_t{0};
  std::vector<std::uint32_t> levels(graph.switch_count(), kFar);
  for (const routing::Terminal& terminal : graph.terminals()) levels[terminal.leaf.value()] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Arc& arc : graph.arcs()) {
      if (levels[arc.from.value()] == kFar) continue;
      if (levels[arc.to.value()] <= levels[arc.from.value()] + 1) continue;
      levels[arc.to.value()] = levels[arc.from.value()] + 1;
      changed = true;
    }
  }
  return levels;
}

ForwardingTables route_by_levels(const Graph& graph, const Availability& availability,
                                 const std::vector<std::uint32_t>& levels) {
  return for_each_lid(graph, [&](const Destination& destination, Exits& exits) {
    const auto down = [&](const Arc& arc) {
      return levels[arc.from.value()] > levels[arc.to.value()];
    };
    grow(graph, availability, destination.lid.value(), exits, down);
    grow(graph, availability, destination.lid.value(), exits,
         [&](const Arc& arc) { return !down(arc); });
  });
}

ForwardingTables route_by_groups(const Graph& graph, const Availability& availability,
                                 std::uint32_t routers) {
  return for_each_lid(graph, [&](const Destination& destination, Exits& exits) {
    const auto group = [routers](SwitchIndex sw) { return sw.value() / routers; };
    const auto at_home = [&](SwitchIndex sw) { return group(sw) == group(destination.at); };
    // A group's own cables to the destination; from elsewhere into its group, then to such a place.
    const auto local = [&](const Arc& arc) {
      return arc.to == destination.at && at_home(arc.from);
    };
    const auto global = [&](const Arc& arc) { return at_home(arc.to) && !at_home(arc.from); };
    grow(graph, availability, destination.lid.value(), exits, local);
    grow(graph, availability, destination.lid.value(), exits, global);
    const Exits gates = exits;
    grow(graph, availability, destination.lid.value(), exits, [&](const Arc& arc) {
      return !at_home(arc.from) && group(arc.from) == group(arc.to) &&
             gates[arc.to.value()] != kNoPort;
    });
  });
}

routing::LaneMaps lanes_by_groups(const Graph& graph, std::uint32_t routers) {
  routing::LaneMaps maps(graph);
  model::SlToVl shifted{};
  for (std::uint8_t sl = 0; sl < shifted.size(); ++sl) shifted[sl] = sl;
  shifted[0] = 1;
  for (const Arc& in : graph.arcs()) {
    if (in.from.value() / routers == in.to.value() / routers) continue;
    for (const Arc& out : graph.arcs_of(in.to)) maps.set(in.to, in.entry, out.exit, shifted);
  }
  return maps;
}

}  // namespace heddle::support
