#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/commands.hpp"

namespace heddle::cli {

/// Nothing to run: a text asked for (`--help`, `--version`), or what is wrong with the arguments.
struct ParseStop {
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
  ExitCode code = ExitCode::kGood;
};

/// The arguments without the program's name.
[[nodiscard]] std::variant<Command, ParseStop> parse_command_line(
    const std::vector<std::string>& arguments);

}  // namespace heddle::cli
