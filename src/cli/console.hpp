#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::cli {

enum class Colour : bool { kOff = false, kOn = true };

/// Where a command writes.
struct Console {
  std::ostream& out;
  std::ostream& err;
  Colour colour = Colour::kOff;
  /// Whether nobody reads `out` any more. A stream shows that only at the next write, and a command
  /// that waits for something to happen may not write for long.
  std::function<bool()> reader_left = [] { return false; };
};

/// An error as it goes to Console::err: `file:line: reason`, or `heddle: reason`.
[[nodiscard]] inline std::string error_line(const model::Error& error) {
  return (error.position ? "" : "heddle: ") + model::printable(error.message()) + '\n';
}

}  // namespace heddle::cli
