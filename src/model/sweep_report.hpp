#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fabric.hpp"

namespace heddle::model {

/// How one sweep of the subnet went; by default, that there was none.
struct SweepReport {
  std::optional<std::chrono::system_clock::time_point> started_at;
  std::chrono::milliseconds duration{};
  std::uint64_t queries = 0;
  std::uint64_t timeouts = 0;  ///< queries that were never answered, retries included in the wait
  /// Devices that are cabled but did not answer; those known before are carried over from the last
  /// snapshot.
  struct Mute {
    std::optional<NodeGuid> node;  ///< where an earlier sweep knew it
    PortKey behind;                ///< the answering port that leads to it
    std::string text;
  };
  std::vector<Mute> mute;
};

}  // namespace heddle::model
