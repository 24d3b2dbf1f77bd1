#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/fabric.hpp"
#include "plugins/abi/messages.hpp"

namespace heddle::plugin {

/// What of a cable's capacity routes may use, in percent, by either end.
struct CableWeight {
  model::PortKey end;
  std::uint8_t percent = 100;
  auto operator<=>(const CableWeight&) const noexcept = default;
};

/// Weights that hold at one moment.
struct WeightSet {
  std::uint64_t generation = 0;     ///< heddled's, 0 for none
  std::vector<CableWeight> cables;  ///< ascending
};

/// The weights that heddled has told last, until they expire or heddled is silent for longer than
/// it said. Time is an argument. For one thread.
class WeightKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  void heard(const abi::Weights& weights, Clock::time_point now);
  [[nodiscard]] WeightSet at(Clock::time_point now) const;

 private:
  struct Kept {
    CableWeight weight;
    std::optional<Clock::time_point> expires;
  };
  std::uint64_t generation_ = 0;
  Clock::time_point silent_since_{};  ///< from then on nothing holds
  std::vector<Kept> kept_;
};

}  // namespace heddle::plugin
