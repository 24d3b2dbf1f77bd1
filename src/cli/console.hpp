#pragma once

#include <iosfwd>

namespace heddle::cli {

enum class Colour : bool { kOff = false, kOn = true };

/// Where a command writes.
struct Console {
  std::ostream& out;
  std::ostream& err;
  Colour colour = Colour::kOff;
};

}  // namespace heddle::cli
