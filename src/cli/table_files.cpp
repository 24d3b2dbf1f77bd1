#include "cli/table_files.hpp"

#include <utility>

#include "cli/lane_files.hpp"
#include "discovery/line_scanner.hpp"

namespace heddle::cli {

using discovery::Strangers;
using model::fail;
using model::Result;

Result<TablesOfFiles> load_tables(const TableFiles& files, const std::string& text,
                                  const model::Fabric& fabric, const routing::Graph& graph,
                                  Strangers strangers) {
  TablesOfFiles loaded;
  Result<model::ForwardingTables> tables =
      discovery::parse_forwarding(text, files.tables, fabric, strangers);
  if (!tables) return fail(tables.error());
  loaded.tables = std::move(*tables);
  if (files.levels) {
    Result<routing::LevelSets> levels = read_levels(*files.levels, fabric, graph, strangers);
    if (!levels) return fail(levels.error());
    loaded.levels = std::move(*levels);
  }
  if (files.maps) {
    Result<routing::LaneMaps> maps = read_lane_maps(*files.maps, fabric, graph, strangers);
    if (!maps) return fail(maps.error());
    loaded.maps = std::move(*maps);
  }
  return loaded;
}

Result<TablesOfFiles> load_previous(const PreviousTables& previous, const model::Fabric& fabric,
                                    const routing::Graph& graph, const routing::LaneMaps& now) {
  const Result<std::string> text = discovery::read_text(*previous.lfts);
  if (!text) return fail(text.error());
  Result<TablesOfFiles> before = load_tables({*previous.lfts, previous.sl, previous.sl2vl}, *text,
                                             fabric, graph, Strangers::kSkip);
  if (before && !previous.sl2vl) before->maps = now;
  return before;
}

}  // namespace heddle::cli
