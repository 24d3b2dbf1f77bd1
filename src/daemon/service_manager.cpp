#include "daemon/service_manager.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdint>

namespace heddle::daemon {

std::optional<std::chrono::microseconds> ServiceManager::watchdog_interval() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return std::chrono::microseconds{static_cast<std::int64_t>(microseconds)};
}

void ServiceManager::ready(const std::string& status) const {
  sd_notify(0, fmt::format("READY=1\nSTATUS={}", status).c_str());
}

void ServiceManager::reloading() const {
  // systemd 253 and later want the time of the request beside it (sd_notify(3)).
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  sd_notify(0, fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.count()).c_str());
}

void ServiceManager::stopping() const { sd_notify(0, "STOPPING=1"); }
void ServiceManager::watchdog() const { sd_notify(0, "WATCHDOG=1"); }
void ServiceManager::status(const std::string& status) const {
  sd_notify(0, ("STATUS=" + status).c_str());
}

}  // namespace heddle::daemon
