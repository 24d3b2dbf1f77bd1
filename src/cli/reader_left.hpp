#pragma once

namespace heddle::cli {

/// Whether what is written to `descriptor` can reach nobody: the other end of the pipe or socket is
/// closed, the terminal is hung up, or the descriptor is not open. Writes nothing, does not wait.
[[nodiscard]] bool reader_left(int descriptor) noexcept;

}  // namespace heddle::cli
