#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>

#include "mad/engine.hpp"
#include "mad/pma.hpp"
#include "model/counters.hpp"
#include "model/fabric.hpp"

namespace heddle::counters {

/// What each node's performance agent can do, asked once a node and again when the node has come
/// back or after `forget_failed` where it did not answer. One thread.
class CapabilityCache {
 public:
  [[nodiscard]] const mad::ClassPortInfo* find(model::NodeGuid node) const noexcept;
  void set(model::NodeGuid node, const mad::ClassPortInfo& caps);
  void erase(model::NodeGuid node);
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  std::unordered_map<model::NodeGuid, mad::ClassPortInfo> known_;
};

/// One round over all ports of a fabric that have a LID and are cabled or are up: ClassPortInfo of
/// nodes not known yet, then the attributes that hold the wanted groups on each node. Read only.
/// Driven by the engine's completions.
class CounterSweep {
 public:
  struct Options {
    bool data = true;
    bool errors = false;
    bool details = false;    ///< PortRcvErrorDetails and PortXmitDiscardDetails
    bool wait_tick = false;  ///< PortSamplesControl
    std::uint32_t job = 3;
  };
  struct Outcome {
    std::chrono::milliseconds duration{};
    std::size_t ports = 0;            ///< asked about
    std::size_t ports_fresh = 0;      ///< all of whose wanted groups were answered
    std::size_t ports_unreached = 0;  ///< no LID to ask at
    std::uint64_t queries = 0;
    std::uint64_t failures = 0;
    std::vector<model::NodeGuid> silent;  ///< nodes none of whose queries were answered
  };
  using Sink = std::function<void(const model::CounterSample&)>;
  using TickSink = std::function<void(model::PortKey, std::uint8_t)>;
  using Done = std::function<void(model::Result<Outcome>)>;

  CounterSweep(mad::MadEngine& engine, Options options, std::shared_ptr<const model::Fabric> fabric,
               CapabilityCache& capabilities);
  ~CounterSweep();

  /// Begins; `sink` gets each sample as it arrives, `done` is called once at the end.
  void start(Sink sink, TickSink ticks, Done done);
  void cancel();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle::counters
