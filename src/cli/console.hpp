#pragma once

#include <functional>
#include <iosfwd>

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

}  // namespace heddle::cli
