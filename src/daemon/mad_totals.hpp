#pragma once

#include "mad/engine.hpp"

namespace heddle::daemon {

/// Adds what one engine did to what those before it did, so that totals survive a lost device.
inline void add(mad::MadStats& total, const mad::MadStats& more) noexcept {
  total.sent += more.sent;
  total.replies += more.replies;
  total.retries += more.retries;
  total.timeouts += more.timeouts;
  total.failures += more.failures;
  total.refused += more.refused;
  total.mute_skips += more.mute_skips;
  total.strays += more.strays;
  for (std::size_t i = 0; i < total.round_trip.size(); ++i) {
    total.round_trip[i] += more.round_trip[i];
  }
  total.round_trip_seconds_sum += more.round_trip_seconds_sum;
}

}  // namespace heddle::daemon
