#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace heddle::daemon {

/// Tells systemd how the service is (sd_notify(3)); does nothing where nobody listens. Any thread.
class ServiceManager {
 public:
  /// How often the watchdog wants to hear of us, nothing where it does not.
  [[nodiscard]] static std::optional<std::chrono::microseconds> watchdog_interval();

  void ready(const std::string& status) const;
  /// To be followed by ready().
  void reloading() const;
  void stopping() const;
  void watchdog() const;
  void status(const std::string& status) const;
};

}  // namespace heddle::daemon
