#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/fast_repair.hpp"
#include "plugins/opensm/routing_run.hpp"
#include "routing/availability.hpp"

namespace heddle::plugin {

/// OpenSM and its fabric as a repair sees them: requests go along their paths over cables that are
/// up, and are answered when answer() is called; what leads nowhere gets no answer.
class FakeOpensm {
 public:
  explicit FakeOpensm(std::shared_ptr<const RoutingRun> run);

  [[nodiscard]] const heddle_requests& requests() const noexcept { return requests_; }

  void cut(routing::ArcIndex cable) { up.take_down(run_->graph, cable); }
  void kill(model::SwitchIndex sw);
  /// Whether a trap of the switch finds its way by the tables.
  [[nodiscard]] bool hears(model::SwitchIndex sw) const;
  /// Every answer that is due, to `repair`.
  void answer(FastRepair& repair);
  /// Requests that wait for their answer.
  [[nodiscard]] std::size_t waiting() const noexcept { return answers_.size(); }
  [[nodiscard]] std::string log_text() const;

  routing::Availability up;
  model::ForwardingTables tables;  ///< in the switches
  bool is_master = true;
  bool answers_sets = true;
  std::size_t sets_taken = 1000000;  ///< before it refuses
  std::size_t asked = 0;             ///< ports
  std::size_t sent = 0;              ///< blocks
  std::size_t reroutes = 0;          ///< asked for
  std::vector<std::string> log;

 private:
  [[nodiscard]] bool arrives(const heddle_path* path, std::uint64_t guid) const;
  [[nodiscard]] BlockEvent block_of(model::SwitchIndex sw, std::uint16_t number) const;
  [[nodiscard]] model::SwitchIndex switch_of(std::uint64_t guid) const;

  static FakeOpensm& self(void* context) { return *static_cast<FakeOpensm*>(context); }

  std::shared_ptr<const RoutingRun> run_;
  heddle_requests requests_{};
  std::set<model::PortKey> known_down_;
  std::deque<BlockEvent> answers_;
};

}  // namespace heddle::plugin
