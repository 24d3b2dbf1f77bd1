#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "mad/engine.hpp"
#include "mad/transport.hpp"
#include "simulation/simulated_fabric.hpp"

namespace heddle::simulation {

/// A transport onto a SimulatedFabric whose time is its own: receive() moves the clock forward
/// instead of waiting, so that time-outs cost no time and every run with the same seed is the same.
class SimulatedTransport final : public mad::Transport {
 public:
  struct Faults {
    std::chrono::microseconds delay{10};  ///< from request to answer
    std::chrono::microseconds jitter{0};  ///< up to this more, so that answers overtake each other
    double loss = 0;                      ///< probability that a request stays without answer
    double duplicate = 0;                 ///< probability that an answer comes twice
    std::uint64_t seed = 1;
  };
  SimulatedTransport(SimulatedFabric& fabric, Faults faults);
  ~SimulatedTransport() override;

  [[nodiscard]] model::Status send(const mad::OutgoingMad& mad) override;
  [[nodiscard]] model::Result<std::optional<mad::IncomingMad>> receive(
      std::chrono::milliseconds wait) override;

  /// The simulated time, for MadEngine's `now`.
  [[nodiscard]] mad::Clock::time_point now() const noexcept;
  /// Lets time pass; what is due stays to be received.
  void advance(std::chrono::microseconds by);
  /// From here on send and receive fail, as when a device is unplugged.
  void unplug() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::simulation
