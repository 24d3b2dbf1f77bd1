#pragma once

#include <functional>
#include <thread>

namespace heddle::plugin {

/// A thread that takes no signals: they are for OpenSM's own. Throws as std::thread does, and
/// leaves the caller's signals as they were.
[[nodiscard]] std::thread start_quiet_thread(std::function<void()> run);

}  // namespace heddle::plugin
