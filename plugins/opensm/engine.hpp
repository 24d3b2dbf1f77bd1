#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "plugins/abi/messages.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/live_lanes.hpp"
#include "plugins/opensm/options.hpp"
#include "plugins/opensm/routing_run.hpp"
#include "plugins/opensm/swap_cell.hpp"
#include "plugins/opensm/weight_keeper.hpp"
#include "routing/compute.hpp"

namespace heddle::plugin {

/// What one run of the engine came to.
struct Report {
  routing::Engine engine = routing::Engine::kUpDown;
  std::vector<routing::Refusal> refusals;
  std::size_t hosts = 0;      ///< end ports of hosts, routers and aggregation nodes that are there
  std::size_t switches = 0;   ///< that are there
  std::size_t away = 0;       ///< remembered switches and end ports that are not there
  int lanes = 1;              ///< that the tables use
  bool one_lane = false;      ///< no second one was allowed
  std::uint64_t entries = 0;  ///< of all tables, unicast LIDs in use or remembered
  std::uint64_t changed = 0;  ///< that differ from what OpenSM knows the switches to hold
  std::uint64_t blocks_changed = 0;  ///< of 64 LIDs, with an entry that does
  std::uint64_t undelivered = 0;     ///< pairs that the cabling connects and the lanes do not
  std::uint64_t weights = 0;         ///< WeightSet::generation
  std::size_t weighted = 0;          ///< cables between switches that have a weight
  std::chrono::duration<double, std::milli> time{};
  std::string not_recalled;  ///< why what was recalled was not used, if so
};
[[nodiscard]] std::string result_line(const Report& report);
/// Empty if every pair is delivered.
[[nodiscard]] std::string alarm_line(const Report& report);
/// Empty unless another engine routes because that of the fabric's shape needs a second lane.
[[nodiscard]] std::string substitute_line(const Report& report);

/// A run that took so long, as heddled is told of it.
[[nodiscard]] abi::RoutingRun run_message(const model::Result<Report>& report,
                                          std::chrono::nanoseconds took);

/// Routes for a running OpenSM. It remembers what was once there, so that nothing else moves while
/// something is away, and the tables are the old ones when it is back.
class Engine {
 public:
  explicit Engine(const Options& options) : options_(options) {}

  /// Fills the tables and hop rows of all switches of `subnet`. If it fails, or throws, they are
  /// worth nothing, and all else is as before. One call at a time.
  [[nodiscard]] model::Result<Report> route(const heddle_subnet& subnet);

  /// What was once there, before the process began; null for nothing. Before the first route().
  void recall(std::shared_ptr<const model::Fabric> places) { recalled_ = std::move(places); }

  /// The next route() goes by these. From any thread.
  void set_weights(WeightSet weights);
  [[nodiscard]] WeightSet weights() const;

  /// What OpenSM last wrote by route(). From any thread.
  [[nodiscard]] const SwapCell<LiveLanes>& lanes() const noexcept { return lanes_; }

  /// How many runs have begun. From any thread.
  [[nodiscard]] std::uint64_t runs() const noexcept { return begun_.load(); }
  /// The newest run that wrote tables; null before the first. From any thread.
  [[nodiscard]] std::shared_ptr<const RoutingRun> last_run() const;

 private:
  [[nodiscard]] const model::Fabric* remembered(const model::Fabric& present) const;
  std::string decide_recalled(const model::Fabric& present);

  Options options_;
  std::shared_ptr<const model::Fabric> recalled_;  ///< until a run has found a switch
  mutable std::mutex weights_mutex_;
  WeightSet weights_;  ///< guarded by weights_mutex_
  std::atomic<std::uint64_t> begun_{0};
  mutable std::mutex mutex_;  ///< over run_, for as long as a pointer takes
  std::shared_ptr<const RoutingRun> run_;
  SwapCell<LiveLanes> lanes_;
};

}  // namespace heddle::plugin
