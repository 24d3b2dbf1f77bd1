#pragma once

#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "daemon/collector.hpp"
#include "daemon/publisher.hpp"
#include "mad/transport.hpp"
#include "simulation/simulated_fabric.hpp"
#include "simulation/simulated_transport.hpp"
#include "support/topologies.hpp"

namespace heddle::daemon::testing_support {

inline Logger quiet_logger() {
  return make_logger(std::make_shared<spdlog::sinks::null_sink_mt>(), LogLevel::kDebug);
}

/// Passes on to a simulated transport that somebody else owns too.
class SharedTransport final : public mad::Transport {
 public:
  explicit SharedTransport(std::shared_ptr<simulation::SimulatedTransport> inner)
      : inner_(std::move(inner)) {}
  model::Status send(const mad::OutgoingMad& mad) override { return inner_->send(mad); }
  model::Result<std::optional<mad::IncomingMad>> receive(std::chrono::milliseconds wait) override {
    return inner_->receive(wait);
  }

 private:
  std::shared_ptr<simulation::SimulatedTransport> inner_;
};

/// Collector and publisher on simulated devices and simulated time, in one thread: step by step and
/// without waiting.
class SimulatedBench {
 public:
  explicit SimulatedBench(const model::Fabric& fabric, Collector::Options options = {})
      : truth(std::make_shared<const model::Fabric>(fabric)),
        devices(truth, truth->key(model::PortIndex{std::uint32_t{0}})),
        transport_(std::make_shared<simulation::SimulatedTransport>(devices, Faults{})),
        collector(
            std::move(options), [this] { return open(); },
            [this](CollectorUpdate update) {
              if (failing_offer-- == 0) throw std::bad_alloc();
              publisher.offer(std::move(update));
            },
            {[this] { return now(); }, [this] { return wall(); }}, quiet_logger()) {}

  /// Lets simulated time pass and does what falls due in it.
  void run_for(std::chrono::milliseconds duration) {
    const auto end = now() + duration;
    while (now() < end) {
      const auto next = collector.step(std::chrono::milliseconds{50});
      publisher.step();
      if (next > now()) pass(std::min(next, end) - now());
    }
  }
  /// Time in which nobody does anything.
  void pass(std::chrono::steady_clock::duration time) {
    transport_->advance(std::chrono::ceil<std::chrono::microseconds>(time));
  }
  void unplug() { transport_->unplug(); }

  [[nodiscard]] std::shared_ptr<const exporter::View> view() const {
    return published.load()->view;
  }
  [[nodiscard]] std::vector<model::Event> events_of(model::EventKind kind) const {
    std::vector<model::Event> result;
    std::ranges::copy_if(*events.all(), std::back_inserter(result),
                         [kind](const model::Event& e) { return e.kind == kind; });
    return result;
  }
  [[nodiscard]] exporter::JobStatus job(const std::string& name) const {
    const auto current = view();
    return *std::ranges::find(current->jobs, name, &exporter::JobStatus::name);
  }
  [[nodiscard]] std::chrono::steady_clock::time_point now() const {
    return transport_->now() + offset_;
  }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(now().time_since_epoch()));
  }

  std::shared_ptr<const model::Fabric> truth;
  simulation::SimulatedFabric devices;
  bool device_is_there = true;
  bool device_is_dead = false;  ///< opens, and then takes no MAD
  bool open_throws = false;
  int failing_offer = -1;  ///< the update that throws, counted from 0; none if negative
  int opened = 0;
  EventLog events{1000};
  PublishedCell published{nothing_yet("1.2.3", "sim", {})};
  LinkLedger links;

 private:
  using Faults = simulation::SimulatedTransport::Faults;

  model::Result<Collector::Source> open() {
    if (open_throws) throw std::bad_alloc();
    if (!device_is_there) return model::fail(model::Errc::kUnavailable, "no device");
    if (opened++ > 0) {
      const auto before = now();
      transport_ = std::make_shared<simulation::SimulatedTransport>(devices, Faults{});
      offset_ = before - transport_->now();
    }
    if (device_is_dead) transport_->unplug();
    return Collector::Source{"sim0 port 1", std::make_unique<SharedTransport>(transport_)};
  }

  std::shared_ptr<simulation::SimulatedTransport> transport_;
  std::chrono::steady_clock::duration offset_{};

 public:
  Publisher publisher{{},
                      events,
                      published,
                      links,
                      {[this] { return now(); }, [this] { return wall(); }},
                      quiet_logger()};
  Collector collector;
};

}  // namespace heddle::daemon::testing_support
