#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/reader_left.hpp"
#include "cli/run_command.hpp"

namespace {

/// Where standard streams are closed, the files that a command opens would take their numbers and
/// get what is printed. What holds them instead takes no bytes, so that printing is an error.
bool hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is given, and those below are taken.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", flags) != descriptor) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (!hold_standard_descriptors()) return static_cast<int>(heddle::cli::ExitCode::kBad);
  try {
    // https://no-color.org: set and not empty turns colours off.
    const char* const no_colour = std::getenv("NO_COLOR");
    const bool plain = no_colour != nullptr && *no_colour != '\0';
    heddle::cli::Console console{std::cout, std::cerr,
                                 ::isatty(STDOUT_FILENO) == 1 && !plain ? heddle::cli::Colour::kOn
                                                                        : heddle::cli::Colour::kOff,
                                 [] { return heddle::cli::reader_left(STDOUT_FILENO); }};
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(heddle::cli::run_command(arguments, console));
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << '\n';
    return static_cast<int>(heddle::cli::ExitCode::kBad);
  }
}
