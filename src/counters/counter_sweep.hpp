#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "counters/capability_cache.hpp"
#include "mad/engine.hpp"
#include "model/counters.hpp"
#include "model/fabric.hpp"

namespace heddle::counters {

/// One round over the ports of a fabric: ClassPortInfo of nodes not known yet, then the attributes
/// that hold the wanted groups on each node, each asked once a port. Read only. Driven by the
/// engine's completions, in its thread; engine and cache outlive the sweep.
///
/// Ports: external ports that are not down and are cabled or up, at the LID of their agent. A node
/// whose ClassPortInfo stays unanswered is asked nothing else in this round; one that refuses it
/// counts as able to do the mandatory PortCounters alone: for good if it says that it does not
/// know it, otherwise in this round. Optional attributes are tried on one port
/// of a node before the others, outside the node's back-off, and no more once refused.
///
/// Sweeps that ask for the same groups must not overlap: their answers could arrive in another
/// order than the devices gave them, which looks like a reset (see fold()).
class CounterSweep {
 public:
  struct Options {
    bool data = true;
    bool errors = false;
    bool details = false;    ///< PortRcvErrorDetails and PortXmitDiscardDetails
    bool wait_tick = false;  ///< PortSamplesControl
    /// Of all its queries; cancel() cancels whatever has this number.
    std::uint32_t job = 3;
    /// For Outcome::duration; the engine's clock.
    mad::MadEngine::Now now = [] { return mad::Clock::now(); };
  };
  struct Outcome {
    std::chrono::milliseconds duration{};
    std::size_t ports = 0;        ///< to be read, and with a LID to ask at
    std::size_t ports_fresh = 0;  ///< of these: all wanted groups that the node has were answered
    std::size_t ports_unreached = 0;  ///< to be read, but no LID to ask at
    std::uint64_t queries = 0;
    std::uint64_t failures = 0;  ///< queries without an answer that could be used; a refused
                                 ///< optional attribute is none
    /// Nodes none of whose queries were answered, not even with "busy", by GUID.
    std::vector<model::NodeGuid> silent;
  };
  using Sink = std::function<void(const model::CounterSample&)>;
  using TickSink = std::function<void(model::PortKey, std::uint8_t)>;
  using Done = std::function<void(model::Result<Outcome>)>;

  CounterSweep(mad::MadEngine& engine, Options options, std::shared_ptr<const model::Fabric> fabric,
               CapabilityCache& capabilities);
  /// Cancels without calling `done`.
  ~CounterSweep();
  CounterSweep(const CounterSweep&) = delete;
  CounterSweep& operator=(const CounterSweep&) = delete;

  /// Begins; to be called once. `sink` gets each sample as it arrives. `done` is called once at the
  /// end, with kCancelled after cancel() and kUnavailable if the transport is lost; from start()
  /// itself only if there is nothing to ask. It may destroy the sweep.
  void start(Sink sink, TickSink ticks, Done done);
  /// Ends the round at once: `done` has been called when it returns. Not from a callback.
  void cancel();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  ///< shared with the completions that the engine still holds
};

}  // namespace heddle::counters
