#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// Proves and scores forwarding tables on file, and, with tables of before, the change from them.
/// kNotGood if a pair is not delivered, something loops or could deadlock, a table is missing, or a
/// port has no LID.
[[nodiscard]] model::Result<ExitCode> check(const CheckCommand& command, Console& console);

}  // namespace heddle::cli
