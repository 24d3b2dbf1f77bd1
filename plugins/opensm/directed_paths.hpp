#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/routing_run.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::plugin {

/// Shortest directed paths from OpenSM to every switch over what is available.
class DirectedPaths {
 public:
  /// None of the paths goes through `avoided`. O(cables).
  DirectedPaths(const routing::Graph& graph, const routing::Availability& availability,
                const ManagerPlace& manager, std::optional<model::SwitchIndex> avoided = {});

  [[nodiscard]] bool reaches(model::SwitchIndex sw) const noexcept;
  /// Nothing if no path leads there, or one longer than SMPs can go.
  [[nodiscard]] std::optional<heddle_path> to(model::SwitchIndex sw) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  const routing::Graph* graph_;
  ManagerPlace manager_;
  std::vector<std::uint32_t> arc_to_;  ///< by switch, the last of its path; kNone for the first
  std::vector<std::uint8_t> reached_;
};

/// The way back of the packets that `sw` sends to OpenSM by the tables: it is whole if a trap has
/// just come over it. Nothing if they do not lead there.
[[nodiscard]] std::optional<heddle_path> way_of_traps(const routing::Graph& graph,
                                                      const model::ForwardingTables& tables,
                                                      const ManagerPlace& manager,
                                                      model::SwitchIndex sw);

}  // namespace heddle::plugin
