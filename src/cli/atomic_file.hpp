#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::cli {

/// Writes `path` as a whole or not at all: a temporary file beside it takes its place once its
/// content is on the disk. A link stays, and what it points at is replaced; a device or a pipe is
/// written to as it is. Signals that ask the program to end wait until the temporary file is gone.
[[nodiscard]] model::Status write_file(const std::string& path, std::string_view content);

}  // namespace heddle::cli
