#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// What a topology file holds. Irregularities are reported and are no failure; contradictions are
/// errors beside the report, kBad.
[[nodiscard]] model::Result<ExitCode> topology(const TopologyCommand& command, Console& console);

}  // namespace heddle::cli
