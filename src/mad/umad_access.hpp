#pragma once

#include <string>
#include <string_view>

namespace heddle::mad {

/// Why the umad device of `port` (`mlx5_0/1`) cannot be opened, with what to do where it is a
/// matter of permission; `error` is an errno value. Pure.
[[nodiscard]] std::string open_failure(std::string_view port, int error);

}  // namespace heddle::mad
