#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>

#include "model/fabric.hpp"

namespace heddle::plugin {

/// Tells cables that die again and again: moving traffic for each death disturbs more than the
/// sweep's delay does. Time comes in through parameters and does not go backwards.
class FlapDamper {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  struct Limits {
    std::size_t deaths = 3;  ///< that a cable may die within the window and be repaired each time
    std::chrono::seconds window{60};
  };

  explicit FlapDamper(Limits limits) : limits_(limits) {}

  /// Notes a death of the cable with that end (always the same one of the two). False if it died
  /// too often within the window, this time included; so it is quiet for a window first.
  [[nodiscard]] bool admit(model::PortKey cable, Instant now);

 private:
  Limits limits_;
  std::map<model::PortKey, std::deque<Instant>> deaths_;  ///< those within the window
};

}  // namespace heddle::plugin
