#pragma once

#include <algorithm>
#include <thread>

namespace heddle::cli {

/// Threads that a computation gets unless the user says otherwise.
[[nodiscard]] inline unsigned all_cores() noexcept {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace heddle::cli
