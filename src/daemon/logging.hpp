#pragma once

#include <spdlog/logger.h>

#include <memory>
#include <string>
#include <string_view>

#include "daemon/config.hpp"

namespace heddle::daemon {

using Logger = std::shared_ptr<spdlog::logger>;

/// A logger of `time=… level=… event=…` lines to standard error. Its methods are safe from any
/// thread.
[[nodiscard]] Logger make_stderr_logger(LogLevel level);
/// The same to a sink of the caller's.
[[nodiscard]] Logger make_logger(spdlog::sink_ptr sink, LogLevel level);
void set_level(spdlog::logger& logger, LogLevel level);

/// A value as it stands after `key=`: quoted where it has blanks, quotes or is empty; control
/// characters and bytes that are no UTF-8 as `\xNN`.
[[nodiscard]] std::string quoted(std::string_view value);

}  // namespace heddle::daemon
