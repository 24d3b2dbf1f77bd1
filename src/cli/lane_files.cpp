#include "cli/lane_files.hpp"

#include <fmt/format.h>

#include <vector>

#include "discovery/line_scanner.hpp"

namespace heddle::cli {

using model::Errc;
using model::fail;
using model::PortNum;
using model::Result;
using model::SwitchIndex;
using routing::Graph;
using routing::LaneMaps;
using routing::LevelSets;

Result<LevelSets> read_levels(const std::string& path, const model::Fabric& fabric,
                              const Graph& graph, discovery::Strangers strangers) {
  const Result<std::string> text = discovery::read_text(path);
  if (!text) return fail(text.error());
  const auto paths = discovery::parse_path_levels(*text, path, fabric, strangers);
  if (!paths) return fail(paths.error());
  std::vector<routing::PairLevel> pairs;
  pairs.reserve(paths->size());
  for (const discovery::PathLevel& named : *paths) {
    pairs.push_back({named.source, named.destination, named.level});
  }
  return LevelSets(graph, pairs);
}

Result<LaneMaps> read_lane_maps(const std::string& path, const model::Fabric& fabric,
                                const Graph& graph, discovery::Strangers strangers) {
  const Result<std::string> text = discovery::read_text(path);
  if (!text) return fail(text.error());
  const auto tables = discovery::parse_sl_to_vl(*text, path, fabric, strangers);
  if (!tables) return fail(tables.error());
  // Real fabrics have a handful; LaneMaps finds each among the distinct ones.
  constexpr std::size_t kMostDistinct = 4096;
  if (tables->distinct() > kMostDistinct) {
    return fail(Errc::kUnsupported,
                fmt::format("{}: more than {} different mappings", path, kMostDistinct));
  }
  LaneMaps maps(graph);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    tables->for_each(graph.guid(SwitchIndex{s}),
                     [&](PortNum in, PortNum out, const model::SlToVl& mapping) {
                       maps.set(SwitchIndex{s}, in, out, mapping);
                     });
  }
  return maps;
}

}  // namespace heddle::cli
