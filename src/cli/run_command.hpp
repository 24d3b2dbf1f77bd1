#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace heddle::cli {

/// The whole program but for its surroundings: parses, runs, reports errors as `file:line: reason`
/// on `console.err`.
[[nodiscard]] ExitCode run_command(const std::vector<std::string>& arguments, Console& console);

}  // namespace heddle::cli
