#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "discovery/fabric_sweep.hpp"
#include "mad/engine.hpp"
#include "mad/smp.hpp"
#include "simulation/simulated_fabric.hpp"
#include "simulation/simulated_transport.hpp"

namespace heddle::discovery {

/// Passes MADs through and lets a test change answers on their way, as devices that lie would.
class Meddler final : public mad::Transport {
 public:
  enum class Fate : std::uint8_t { kPass, kLose };
  using Rule = std::function<Fate(const mad::Header&, const mad::DirectedRoute&, mad::MadBytes&)>;

  explicit Meddler(mad::Transport& inner) : inner_(inner) {}
  void set_rule(Rule rule) { rule_ = std::move(rule); }

  [[nodiscard]] model::Status send(const mad::OutgoingMad& mad) override {
    return inner_.send(mad);
  }
  [[nodiscard]] model::Result<std::optional<mad::IncomingMad>> receive(
      std::chrono::milliseconds wait) override {
    auto result = inner_.receive(wait);
    if (!rule_ || !result || !*result || (*result)->timed_out) return result;
    mad::MadBytes& bytes = (*result)->bytes;
    const auto route = mad::route_from_wire(bytes);
    if (route && rule_(mad::header_from_wire(bytes), *route, bytes) == Fate::kLose) {
      (*result)->timed_out = true;
    }
    return result;
  }

 private:
  mad::Transport& inner_;
  Rule rule_;
};

/// A rule that changes the NodeInfo of whatever answers by `route`.
inline Meddler::Rule lie(mad::DirectedRoute route, std::function<void(mad::NodeInfo&)> change) {
  return [route, change = std::move(change)](const mad::Header& header,
                                             const mad::DirectedRoute& way, mad::MadBytes& bytes) {
    if (header.attribute == mad::smp::kNodeInfo && way == route) {
      mad::NodeInfo info = mad::node_info_from_wire(mad::smp_data(bytes));
      change(info);
      mad::to_wire(info, mad::smp_data(bytes));
    }
    return Meddler::Fate::kPass;
  };
}

template <class... Ports>
mad::DirectedRoute route_of(Ports... ports) {
  mad::DirectedRoute route;
  ((route = route.then(model::PortNum{static_cast<std::uint8_t>(ports)})), ...);
  return route;
}

/// A simulated subnet with an engine on it, seen from the first port of its first adapter, in a
/// time of its own.
class SimulatedSubnet {
 public:
  struct Options {
    simulation::SimulatedTransport::Faults faults{};
    mad::MadEngine::Options engine{};
    std::optional<model::PortKey> attached_to{};
  };

  explicit SimulatedSubnet(model::Fabric fabric) : SimulatedSubnet(std::move(fabric), Options{}) {}
  SimulatedSubnet(model::Fabric fabric, Options options)
      : source(std::make_shared<const model::Fabric>(std::move(fabric))),
        devices(source, options.attached_to.value_or(first_adapter_port(*source))),
        transport(devices, options.faults),
        meddler(transport),
        engine(meddler, options.engine, [this] { return transport.now(); }) {}

  static model::PortKey first_adapter_port(const model::Fabric& fabric) {
    for (const model::Node& node : fabric.nodes()) {
      if (node.kind == model::NodeKind::kHostAdapter) {
        return {node.guid, model::PortNum{std::uint8_t{1}}};
      }
    }
    throw std::logic_error("no adapter to ask from");
  }

  /// Runs the engine until `done`; false if it does not come to an end.
  [[nodiscard]] bool run_until(const bool& done) {
    for (int turn = 0; turn < 2'000'000 && !done; ++turn) {
      static_cast<void>(engine.run_once(std::chrono::milliseconds{10}));
    }
    return done;
  }

  [[nodiscard]] model::Result<SweepOutcome> sweep(
      std::shared_ptr<const model::Fabric> previous = nullptr) {
    FabricSweep walk(engine, {.fabric_name = source->name()}, std::move(previous));
    model::Result<SweepOutcome> result = model::fail(model::Errc::kCancelled, "never called back");
    bool done = false;
    walk.start([&](model::Result<SweepOutcome> outcome) {
      EXPECT_FALSE(done) << "called back twice";
      result = std::move(outcome);
      done = true;
    });
    EXPECT_TRUE(run_until(done));
    return result;
  }

  /// The same, for a sweep that is expected to succeed.
  [[nodiscard]] SweepOutcome found(std::shared_ptr<const model::Fabric> previous = nullptr) {
    auto result = sweep(std::move(previous));
    if (!result) throw std::runtime_error(result.error().text);
    return *std::move(result);
  }

  std::shared_ptr<const model::Fabric> source;
  simulation::SimulatedFabric devices;
  simulation::SimulatedTransport transport;
  Meddler meddler;
  mad::MadEngine engine;
};

/// Node for node, port for port and cable for cable.
inline void expect_same(const model::Fabric& found, const model::Fabric& source) {
  ASSERT_EQ(found.nodes().size(), source.nodes().size());
  for (std::size_t i = 0; i < found.nodes().size(); ++i) {
    EXPECT_EQ(found.nodes()[i], source.nodes()[i]) << source.nodes()[i].description;
  }
  ASSERT_EQ(found.ports().size(), source.ports().size());
  for (std::uint32_t i = 0; i < found.ports().size(); ++i) {
    const model::PortIndex port{i};
    EXPECT_EQ(found.port(port), source.port(port)) << to_string(source.key(port));
    EXPECT_EQ(found.peer(port), source.peer(port)) << to_string(source.key(port));
  }
  EXPECT_EQ(found.links().size(), source.links().size());
  EXPECT_TRUE(found.anomalies().empty());
  EXPECT_TRUE(found.unresolved().empty());
}

}  // namespace heddle::discovery
