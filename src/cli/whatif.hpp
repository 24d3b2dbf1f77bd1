#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// `heddle whatif`: the max-min fair rates of some traffic before and after what the command takes
/// away or drains, and with other oversubscriptions, each over tables computed for that state.
/// kNotGood where a flow that had a path before gets nothing in one of the states.
[[nodiscard]] model::Result<ExitCode> whatif(const WhatifCommand& command, Console& console);

}  // namespace heddle::cli
