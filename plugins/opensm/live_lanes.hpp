#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

namespace heddle::plugin {

/// The lanes of the tables that OpenSM writes, as it asks for them: by LID and by GUID. Immutable.
class LiveLanes {
 public:
  LiveLanes(const routing::Graph& graph, routing::Lanes lanes);

  /// Nothing where any level will do: one lane holds all paths, so every class of traffic may have
  /// a lane of its own.
  [[nodiscard]] std::optional<model::Sl> level(model::Lid source,
                                               model::Lid destination) const noexcept;
  /// Nothing likewise, and for nodes that are no switches.
  [[nodiscard]] std::optional<model::SlToVl> mapping(model::NodeGuid sw, model::PortNum in,
                                                     model::PortNum out) const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  bool one_lane_;
  routing::Lanes lanes_;
  std::vector<model::NodeGuid> switches_;     ///< ascending, by SwitchIndex
  std::vector<std::uint32_t> switch_of_lid_;  ///< where packets of that LID enter; kNone if nowhere
};

}  // namespace heddle::plugin
