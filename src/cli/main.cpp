#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/run_command.hpp"

int main(int argc, char** argv) {
  try {
    // https://no-color.org: set and not empty turns colours off.
    const char* const no_colour = std::getenv("NO_COLOR");
    const bool plain = no_colour != nullptr && *no_colour != '\0';
    heddle::cli::Console console{std::cout, std::cerr,
                                 ::isatty(STDOUT_FILENO) == 1 && !plain
                                     ? heddle::cli::Colour::kOn
                                     : heddle::cli::Colour::kOff};
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(heddle::cli::run_command(arguments, console));
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << '\n';
    return static_cast<int>(heddle::cli::ExitCode::kBad);
  }
}
