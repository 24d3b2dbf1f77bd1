#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// `heddle route`: computes and proves tables, writes what is asked for, all files or none before
/// everything is known, and says what came out. kNotGood where a pair that the fabric connects is
/// not delivered.
[[nodiscard]] model::Result<ExitCode> route(const RouteCommand& command, Console& console);

}  // namespace heddle::cli
