#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "discovery/fabric_sweep.hpp"
#include "mad/engine.hpp"
#include "model/fabric_tables.hpp"

namespace heddle::discovery {

/// What a table sweep reads again; the rest is taken over from the previous tables.
struct TablePlan {
  std::vector<model::NodeGuid> forwarding;  ///< switches
  std::vector<model::NodeGuid> sl_to_vl;    ///< nodes
  std::vector<model::NodeGuid> partitions;  ///< nodes
  bool subnet_managers = true;
  [[nodiscard]] bool empty() const noexcept {
    return forwarding.empty() && sl_to_vl.empty() && partitions.empty() && !subnet_managers;
  }
};

/// Which tables may differ from `previous` (null: all): those of switches whose PortStateChange,
/// LinearFDBTop or links changed; all forwarding tables if any node or link came or went, since
/// routes may have moved anywhere; those that `previous` says could not be read; and one switch in
/// `rotation` by turn, so that a change without any sign is found too. `round` counts the sweeps.
[[nodiscard]] TablePlan plan_tables(const SweepOutcome& now, const SweepOutcome* before,
                                    const model::FabricTables* previous, std::uint64_t round,
                                    std::uint32_t rotation);

/// Reads tables by directed-route Gets at background pace
/// (MadEngine::Options::background_per_second). When a table is read, NodeInfo is asked by the same
/// route: if another device is there than when the route was found, the table is dropped, counted
/// in FabricTables::led_astray, and read with the next sweep.
class TableSweep {
 public:
  struct Options {
    std::uint32_t job = 2;
    /// Wall clock, for FabricTables::completed_at.
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
  };
  using Done = std::function<void(model::Result<std::shared_ptr<const model::FabricTables>>)>;

  TableSweep(mad::MadEngine& engine, Options options, SweepOutcome outcome, TablePlan plan,
             std::shared_ptr<const model::FabricTables> previous);
  ~TableSweep();

  /// Begins; `done` is called once. Tables of nodes that did not answer are those of `previous`, or
  /// unknown, and FabricTables::unread names them.
  void start(Done done);
  void cancel();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle::discovery
