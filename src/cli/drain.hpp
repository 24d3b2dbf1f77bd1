#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// Tells heddled, and prints its answer. kNotGood if it refuses; kUnavailable, with the reason, if
/// it cannot be reached.
[[nodiscard]] model::Result<ExitCode> drain(const DrainCommand& command, Console& console);

}  // namespace heddle::cli
