#include "daemon/logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include "model/fabric.hpp"

namespace heddle::daemon {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

Logger make_logger(spdlog::sink_ptr sink, LogLevel level) {
  auto logger = std::make_shared<spdlog::logger>("heddled", std::move(sink));
  logger->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::debug);
  set_level(*logger, level);
  return logger;
}

Logger make_stderr_logger(LogLevel level) {
  return make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>(), level);
}

void set_level(spdlog::logger& logger, LogLevel level) { logger.set_level(level_of(level)); }

std::string quoted(std::string_view value) {
  std::string safe = model::printable(value);
  if (!safe.empty() && safe.find_first_of(" \"=") == std::string::npos) return safe;
  std::string result = "\"";
  for (const char c : safe) {
    if (c == '"') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace heddle::daemon
