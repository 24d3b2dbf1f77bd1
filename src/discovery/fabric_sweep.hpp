#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "mad/engine.hpp"
#include "mad/smp.hpp"
#include "model/fabric.hpp"
#include "model/sweep_report.hpp"

namespace heddle::discovery {

/// What a sweep of the live subnet found.
struct SweepOutcome {
  std::shared_ptr<const model::Fabric> fabric;
  model::SweepReport report;
  /// How to reach each answering node by directed route, for reading its tables.
  std::unordered_map<model::NodeGuid, mad::DirectedRoute> routes;
  std::unordered_map<model::NodeGuid, mad::SwitchInfo> switches;
  /// NodeInfo.PartitionCap, for reading P_Key tables.
  std::unordered_map<model::NodeGuid, std::uint16_t> partition_capacity;
};

/// One breadth-first walk of the subnet by directed-route SMPs over `engine`, from the local port
/// outward. Read only.
///
/// Nodes and ports that do not answer are left out with an entry in the report; where `previous`
/// knew what stands behind a port that is still up, that part is carried over, so a node that is
/// too busy to answer does not vanish. All is driven by the engine's completions on the thread that
/// calls run_once().
class FabricSweep {
 public:
  struct Options {
    std::string fabric_name = "default";
    std::uint32_t job = 1;  ///< for MadEngine::cancel
    // More than any subnet has, since LIDs end at 49,151: where a walk gets here, a device lies.
    std::size_t max_nodes = 200'000;
    std::size_t max_ports = 4'000'000;  ///< of all nodes, cabled or not
    /// Wall clock of the report.
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
  };
  using Done = std::function<void(model::Result<SweepOutcome>)>;

  /// `engine` outlives the sweep; `previous` may be null.
  FabricSweep(mad::MadEngine& engine, Options options,
              std::shared_ptr<const model::Fabric> previous);
  ~FabricSweep();

  /// Begins; `done` is called once, from run_once(). It fails only if the local port itself does
  /// not answer, the transport is lost, or there is more than Options lets the walk note.
  void start(Done done);
  /// Gives up: `done` is called with kCancelled.
  void cancel();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle::discovery
