#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "model/fabric.hpp"
#include "routing/check.hpp"
#include "routing/graph.hpp"
#include "routing/live_change.hpp"
#include "routing/score.hpp"
#include "routing/table_changes.hpp"
#include "routing/transition.hpp"

namespace heddle::cli {

/// What `heddle check` found.
struct CheckReport {
  struct Change {
    routing::TableChanges tables;
    routing::TransitionVerdict transition;
    std::vector<routing::LevelChange> levels;
  };
  routing::Verdict verdict;
  std::vector<model::SwitchIndex> without_table;  ///< switches that the tables do not hold
  std::vector<model::PortIndex> without_lid;      ///< end ports that nothing can be sent to
  std::optional<routing::Score> score;
  std::optional<Change> change;  ///< against tables of before

  [[nodiscard]] bool good() const noexcept {
    return verdict.good() && without_table.empty() && without_lid.empty() &&
           (!change || change->transition.good());
  }
};

/// For people.
[[nodiscard]] std::string render_check(const model::Fabric& fabric, const routing::Graph& graph,
                                       const CheckReport& report, Colour colour);
/// For programs: one object.
[[nodiscard]] std::string check_json(const model::Fabric& fabric, const routing::Graph& graph,
                                     const CheckReport& report);

}  // namespace heddle::cli
