#pragma once

#include <memory>

#include "discovery/fabric_sweep.hpp"
#include "discovery/table_sweep.hpp"
#include "mad/engine.hpp"
#include "mad/umad_transport.hpp"
#include "model/fabric_tables.hpp"
#include "model/result.hpp"

namespace heddle::support {

/// One umad port and an engine on it, for programs that ask a live subnet (ibsim) once and end.
/// Single-threaded: each call runs the engine until its job is done.
class LiveSession {
 public:
  /// On the port that umad_ports.hpp chooses without a wish.
  [[nodiscard]] static model::Result<std::unique_ptr<LiveSession>> open();

  [[nodiscard]] model::Result<discovery::SweepOutcome> discover();
  [[nodiscard]] model::Result<std::shared_ptr<const model::FabricTables>> read_tables(
      const discovery::SweepOutcome& outcome);

  [[nodiscard]] mad::MadEngine& engine() noexcept { return engine_; }
  [[nodiscard]] const mad::LocalPort& port() const noexcept { return port_; }
  /// Runs the engine until `finished` says so, or the transport is lost.
  [[nodiscard]] model::Status run_until(const bool& finished);

 private:
  LiveSession(mad::LocalPort port, std::unique_ptr<mad::UmadTransport> transport);

  mad::LocalPort port_;
  std::unique_ptr<mad::UmadTransport> transport_;
  mad::MadEngine engine_;
};

}  // namespace heddle::support
