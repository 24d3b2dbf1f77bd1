#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "counters/counter_sweep.hpp"
#include "simulation/simulated_fabric.hpp"
#include "simulation/simulated_transport.hpp"
#include "unit/counters/small_fabric.hpp"

namespace heddle::counters::testing {

/// A chain of switches with hosts, everything active and with a LID. Switch s (from 1) has GUID
/// 0x1000 + s, its host h (from 1) GUID 0x100000 + 0x100 * s + h on switch port h; the last two
/// ports of a switch lead to the previous and the next one.
///
///   H H   H H   H H
///   |/    |/    |/
///   S1 -- S2 -- S3
inline model::PortKey switch_port(int s, int port) {
  return key(0x1000 + static_cast<std::uint64_t>(s), port);
}
inline model::PortKey host_port(int s, int h) {
  return key(0x100000 + 0x100 * static_cast<std::uint64_t>(s) + static_cast<std::uint64_t>(h), 1);
}
inline std::shared_ptr<const model::Fabric> chain(
    int switches, int hosts, const std::vector<model::NodeGuid>& without_lid = {}) {
  model::FabricBuilder builder("chain");
  std::uint16_t next_lid = 1;
  const auto give_node = [&](model::NodeGuid guid, model::NodeKind kind, int ports) {
    model::Node node;
    node.guid = guid;
    node.kind = kind;
    node.port_count = static_cast<std::uint8_t>(ports);
    builder.add_node(node);
  };
  const auto give_port = [&](model::PortKey where, bool has_lid) {
    model::Port port;
    port.number = where.port;
    port.state = model::PortState::kActive;
    port.rate = {model::LinkWidth::k4x, model::LinkSpeed::kHdr};
    if (has_lid && std::ranges::find(without_lid, where.node) == without_lid.end()) {
      port.lid = model::Lid{next_lid++};
    }
    builder.set_port(where.node, port);
  };
  for (int s = 1; s <= switches; ++s) {
    const model::NodeGuid guid = switch_port(s, 0).node;
    give_node(guid, model::NodeKind::kSwitch, hosts + 2);
    for (int p = 0; p <= hosts + 2; ++p) {
      const bool dangling = (s == 1 && p == hosts + 1) || (s == switches && p == hosts + 2);
      if (!dangling) give_port(switch_port(s, p), p == 0);
    }
    if (s > 1) builder.connect(switch_port(s - 1, hosts + 2), switch_port(s, hosts + 1));
    for (int h = 1; h <= hosts; ++h) {
      give_node(host_port(s, h).node, model::NodeKind::kHostAdapter, 1);
      give_port(host_port(s, h), true);
      builder.connect(switch_port(s, h), host_port(s, h));
    }
  }
  return std::make_shared<const model::Fabric>(std::move(builder).build());
}
/// Ports of chain() that a sweep reads.
inline std::size_t ports_of_chain(int switches, int hosts) {
  return static_cast<std::size_t>(switches * hosts * 2 + (switches - 1) * 2);
}

/// What a test does to answers on their way: by attribute and asked port.
enum class Fate : std::uint8_t { kPass, kRefuse, kRefuseNow, kBusy, kSwallow };

class MeddlingTransport final : public mad::Transport {
 public:
  using Judge = std::function<Fate(std::uint16_t attribute)>;
  explicit MeddlingTransport(mad::Transport& below) : below_(below) {}
  void judge_by(Judge judge) { judge_ = std::move(judge); }

  [[nodiscard]] model::Status send(const mad::OutgoingMad& mad) override {
    return below_.send(mad);
  }
  [[nodiscard]] model::Result<std::optional<mad::IncomingMad>> receive(
      std::chrono::milliseconds wait) override {
    auto received = below_.receive(wait);
    if (!judge_ || !received || !*received) return received;
    mad::IncomingMad& mad = **received;
    mad::Header header = mad::header_from_wire(mad.bytes);
    switch (judge_(header.attribute)) {
      case Fate::kPass:
        break;
      case Fate::kRefuse:
        header.status = 0x000C;  // unsupported method and attribute
        mad::header_to_wire(header, mad.bytes);
        break;
      case Fate::kRefuseNow:
        header.status = 0x001C;  // invalid value in attribute or modifier
        mad::header_to_wire(header, mad.bytes);
        break;
      case Fate::kBusy:
        header.status = 0x0001;
        mad::header_to_wire(header, mad.bytes);
        break;
      case Fate::kSwallow:
        mad.timed_out = true;
        break;
    }
    return received;
  }

 private:
  mad::Transport& below_;
  Judge judge_;
};

/// A simulated fabric, an engine on it, and what sweeps brought.
class SweepBench {
 public:
  using Faults = simulation::SimulatedTransport::Faults;
  struct Finished {
    int calls = 0;
    std::optional<model::Result<CounterSweep::Outcome>> result;
  };

  explicit SweepBench(std::shared_ptr<const model::Fabric> fabric, Faults faults = {},
                      mad::MadEngine::Options engine_options = {})
      : fabric_(fabric),
        devices(fabric, host_port(1, 1)),
        transport(devices, faults),
        meddler(transport),
        engine(meddler, engine_options, [this] { return transport.now(); }) {}

  /// Begins a sweep whose samples are collected and whose end is noted.
  std::unique_ptr<CounterSweep> begin(CounterSweep::Options options) {
    options.now = [this] { return transport.now(); };
    finished = {};
    auto sweep = std::make_unique<CounterSweep>(engine, options, fabric_, capabilities);
    sweep->start(
        [this](const model::CounterSample& s) {
          samples.push_back(s);
          if (on_sample) on_sample();
        },
        [this](model::PortKey port, std::uint8_t tick) { ticks[port] = tick; },
        [this](model::Result<CounterSweep::Outcome> result) {
          ++finished.calls;
          finished.result = std::move(result);
        });
    return sweep;
  }
  void turn_until(const std::function<bool()>& enough) {
    while (!enough() && engine.run_once(std::chrono::milliseconds(50))) {
    }
  }
  model::Result<CounterSweep::Outcome> run(const CounterSweep::Options& options) {
    samples.clear();
    const auto sweep = begin(options);
    turn_until([this] { return finished.result.has_value(); });
    return *finished.result;
  }
  [[nodiscard]] std::uint64_t asked(std::uint16_t attribute) const {
    return devices.requests(mad::ManagementClass::kPerformance, attribute);
  }
  [[nodiscard]] std::uint64_t& device(model::PortKey port, model::Counter counter) {
    return devices.counters(port)[static_cast<std::size_t>(counter)];
  }
  [[nodiscard]] std::optional<model::CounterReading> reading(model::PortKey port,
                                                             model::Counter counter) const {
    for (const model::CounterSample& s : samples) {
      if (s.port != port) continue;
      for (const model::CounterReading& r : s.readings()) {
        if (r.counter == counter) return r;
      }
    }
    return std::nullopt;
  }

 private:
  std::shared_ptr<const model::Fabric> fabric_;

 public:
  simulation::SimulatedFabric devices;
  simulation::SimulatedTransport transport;
  MeddlingTransport meddler;
  mad::MadEngine engine;
  CapabilityCache capabilities;
  std::vector<model::CounterSample> samples;
  std::function<void()> on_sample;
  std::map<model::PortKey, std::uint8_t> ticks;
  Finished finished;
};

}  // namespace heddle::counters::testing
