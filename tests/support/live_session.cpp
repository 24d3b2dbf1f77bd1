#include "support/live_session.hpp"

#include <utility>

namespace heddle::support {

LiveSession::LiveSession(mad::LocalPort port, std::unique_ptr<mad::UmadTransport> transport)
    : port_(std::move(port)), transport_(std::move(transport)), engine_(*transport_, {}) {}

model::Result<std::unique_ptr<LiveSession>> LiveSession::open() {
  const auto ports = mad::local_ports();
  if (!ports) return model::fail(ports.error());
  auto port = mad::choose_port(*ports, {});
  if (!port) return model::fail(port.error());
  auto transport = mad::UmadTransport::open(*port);
  if (!transport) return model::fail(transport.error());
  return std::unique_ptr<LiveSession>(new LiveSession(std::move(*port), std::move(*transport)));
}

model::Status LiveSession::run_until(const bool& finished) {
  while (!finished) {
    if (auto status = engine_.run_once(std::chrono::milliseconds{10}); !status) return status;
  }
  return {};
}

model::Result<discovery::SweepOutcome> LiveSession::discover() {
  discovery::FabricSweep sweep(engine_, {.fabric_name = "live"}, nullptr);
  bool finished = false;
  model::Result<discovery::SweepOutcome> result =
      model::fail(model::Errc::kCancelled, "the sweep did not end");
  sweep.start([&](model::Result<discovery::SweepOutcome> outcome) {
    result = std::move(outcome);
    finished = true;
  });
  if (auto status = run_until(finished); !status) return model::fail(status.error());
  return result;
}

model::Result<std::shared_ptr<const model::FabricTables>> LiveSession::read_tables(
    const discovery::SweepOutcome& outcome) {
  auto plan = discovery::plan_tables(outcome, nullptr, nullptr, 0, 1);
  discovery::TableSweep sweep(engine_, {}, outcome, std::move(plan), nullptr);
  bool finished = false;
  model::Result<std::shared_ptr<const model::FabricTables>> result =
      model::fail(model::Errc::kCancelled, "the table sweep did not end");
  sweep.start([&](model::Result<std::shared_ptr<const model::FabricTables>> tables) {
    result = std::move(tables);
    finished = true;
  });
  if (auto status = run_until(finished); !status) return model::fail(status.error());
  return result;
}

}  // namespace heddle::support
