#include "cli/route_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "discovery/forwarding_text.hpp"
#include "discovery/lane_text.hpp"

namespace heddle::cli {

using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

std::string lfts_text(const model::Fabric& fabric, const routing::Availability& availability,
                      const ForwardingTables& tables) {
  ForwardingTables present(tables.switch_count(),
                           model::Lid{static_cast<std::uint16_t>(tables.row_length() - 1)});
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (!availability.up(sw)) continue;
    std::ranges::copy(tables.row(sw), present.row(sw).begin());
    present.mark_known(sw);
  }
  return discovery::format_forwarding(fabric, present);
}

std::string levels_text(const routing::Graph& graph, const routing::PathLevels& levels) {
  std::string out;
  const auto add = [&](model::Lid source, SwitchIndex at) {
    if (levels.row(at).empty()) return;
    for (const routing::Destination& to : graph.destinations()) {
      const model::Sl sl = levels.sl(at, to.lid);
      if (sl != model::Sl{} && to.lid != source) {
        discovery::append_path_level(out, {source, to.lid, sl});
      }
    }
  };
  for (const routing::Destination& source : graph.destinations()) {
    if (source.path == 0) add(source.lid, source.at);
  }
  return out;
}

std::string maps_text(const routing::Graph& graph, const routing::LaneMaps& maps) {
  std::string out;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (unsigned in = 0; in <= graph.port_count(sw); ++in) {
      for (unsigned exit = 0; exit <= graph.port_count(sw); ++exit) {
        const PortNum from{static_cast<std::uint8_t>(in)};
        const PortNum to{static_cast<std::uint8_t>(exit)};
        if (const model::SlToVl* const map = maps.find(sw, from, to)) {
          discovery::append_sl_to_vl(out, {graph.guid(sw), from, to}, *map);
        }
      }
    }
  }
  return out;
}

std::string ports_text(const model::Fabric& fabric, const routing::Availability& availability,
                       const ForwardingTables& tables, const routing::PortSets& sets) {
  std::array<std::string, 256> port_texts;  // millions of lines are made of few different numbers
  for (std::size_t port = 0; port < port_texts.size(); ++port) {
    port_texts[port] = fmt::format(" {}", port);
  }
  std::vector<std::string> lid_texts;
  for (std::size_t lid = 0; lid < tables.row_length(); ++lid) {
    lid_texts.push_back(fmt::format("{}", lid));
  }
  std::string out;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (!availability.up(sw)) continue;
    const model::Node& node = fabric.node(fabric.node_of(sw));
    fmt::format_to(std::back_inserter(out), "Switch {} \"{}\"\n", node.guid,
                   model::printable(node.description));
    const auto row = tables.row(sw);
    for (std::size_t entry = 0; entry < row.size(); ++entry) {
      if (row[entry] == ForwardingTables::kNoPort) continue;
      out += lid_texts[entry];
      out += port_texts[row[entry]];
      for (const std::uint8_t port :
           sets.ports(sw, model::Lid{static_cast<std::uint16_t>(entry)})) {
        if (port != row[entry]) out += port_texts[port];
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace heddle::cli
