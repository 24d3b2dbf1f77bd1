#pragma once

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// The fabric that the options describe.
[[nodiscard]] model::Result<model::Fabric> make_fabric(const GenerateCommand& command);

[[nodiscard]] model::Result<ExitCode> generate(const GenerateCommand& command, Console& console);

}  // namespace heddle::cli
