#pragma once

#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "discovery/forwarding_text.hpp"
#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"
#include "routing/level_sets.hpp"
#include "routing/transition.hpp"

namespace heddle::cli {

/// Where tables stand, and the lanes of their paths.
struct TableFiles {
  std::string tables;
  std::optional<std::string> levels;  ///< all 0 if empty
  std::optional<std::string> maps;    ///< VL = SL if empty
};

struct TablesOfFiles {
  model::ForwardingTables tables;
  routing::LevelSets levels;
  routing::LaneMaps maps;
  [[nodiscard]] routing::RoutingState state() const noexcept { return {tables, levels, maps}; }
};

/// `text` is that of `files.tables`, which the caller may have needed for the fabric as well.
[[nodiscard]] model::Result<TablesOfFiles> load_tables(const TableFiles& files,
                                                       const std::string& text,
                                                       const model::Fabric& fabric,
                                                       const routing::Graph& graph,
                                                       discovery::Strangers strangers);

/// Of before, where `previous` names any; what is strange to the fabric now is passed over. `now`
/// are the lane maps that hold where it names none.
[[nodiscard]] model::Result<TablesOfFiles> load_previous(const PreviousTables& previous,
                                                         const model::Fabric& fabric,
                                                         const routing::Graph& graph,
                                                         const routing::LaneMaps& now);

}  // namespace heddle::cli
