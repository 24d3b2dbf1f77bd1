#include "cli/route_output.hpp"

#include <algorithm>

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

}  // namespace heddle::cli
