#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/fabric.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/flap_damper.hpp"
#include "plugins/opensm/options.hpp"
#include "plugins/opensm/repair_base.hpp"
#include "plugins/opensm/repair_inbox.hpp"
#include "plugins/opensm/repair_journal.hpp"
#include "plugins/opensm/routing_run.hpp"
#include "routing/workers.hpp"

namespace heddle::plugin {

/// Repairs tables when a cable dies, before OpenSM's sweep has found out what happened: a switch
/// says that something changed; its ports are read, and of a switch that a dead cable led to those
/// of its neighbours, so that a dying switch is one repair; what the engine would make of it is
/// computed and, in mode `on`, written step by step, each when the one before is in place.
/// Cables of hosts, and what comes back, are left to the sweep. Other weights are written in the
/// same way. A state machine: no thread, no clock of its own. One caller at a time.
class FastRepair {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  struct Limits {
    std::chrono::microseconds settle{500};        ///< for answers that came but are not yet entered
    std::chrono::milliseconds poll{1};            ///< between looks at OpenSM's ports
    std::chrono::milliseconds gather{20};         ///< after the first dead cable, for others
    std::chrono::milliseconds search{1000};       ///< for the first
    std::chrono::milliseconds acknowledge{2000};  ///< a step of writes: OpenSM sends three times
    std::chrono::milliseconds lifetime{1000};     ///< of packets, where entries are cleared first
    FlapDamper::Limits damping;
  };

  /// The references outlive it.
  FastRepair(const heddle_requests& requests, RepairJournal& journal, routing::Workers& workers,
             std::function<Instant()> now, Limits limits);

  /// The engine has run: repairs begin with its tables. Takes as long as the run.
  void follow(std::shared_ptr<const RoutingRun> run);
  /// Tables come from elsewhere: no repairs before the next run.
  void forget();

  void note_trap(model::Lid lid);
  void note_change(model::NodeGuid sw);
  void note_block(const BlockEvent& event);
  /// Weights that are to hold. Where it does not write them, or not all of them, OpenSM is asked to
  /// route anew.
  void note_weights(WeightSet weights);

  /// Does what can be done now. When to be called again if nothing is noted before.
  std::optional<Instant> step(RepairMode mode);
  [[nodiscard]] bool idle() const noexcept { return phase_ == Phase::kIdle; }

 private:
  enum class Phase : std::uint8_t { kIdle, kAsking, kWriting };
  struct Asked {
    model::PortKey port;
    routing::ArcIndex arc;
    bool is_dead = false;
  };

  [[nodiscard]] bool can_repair() const;
  void begin_asking();
  void ask_suspects();
  void ask_ports_of(model::SwitchIndex sw, bool says_so_itself);
  void ask_neighbours_of(model::SwitchIndex sw);
  void ask(const heddle_path* path, model::SwitchIndex sw, std::span<const routing::ArcIndex> arcs);
  void look_for_deaths();
  [[nodiscard]] std::optional<Instant> go_on_asking();
  void decide(RepairMode mode);
  void weigh(RepairMode mode);
  [[nodiscard]] bool compute(const WeightSet& weights);
  [[nodiscard]] std::string describe_repair() const;
  void write_step();
  void give_up(const std::string& reason);
  void finish();
  [[nodiscard]] std::string describe_dead() const;
  void say(const std::string& line, bool is_error = false);

  const heddle_requests& requests_;
  RepairJournal& journal_;
  routing::Workers& workers_;
  std::function<Instant()> now_;
  Limits limits_;
  FlapDamper damper_;
  std::optional<RepairBase> base_;
  Phase phase_ = Phase::kIdle;
  std::map<model::NodeGuid, bool> suspects_;  ///< to be asked; whether a trap named them

  std::optional<WeightSet> wished_;  ///< not looked at yet

  // What is being asked.
  std::vector<Asked> asked_;
  std::set<model::SwitchIndex> gathered_;  ///< whose neighbours are asked
  std::map<model::NodeGuid, unsigned>
      awaited_;  ///< blocks, each sent after the ports of its switch
  std::vector<routing::ArcIndex> dead_;
  Instant begun_;
  Instant heard_;  ///< the last answer
  std::optional<Instant> first_death_;

  // What is being written.
  Repair repair_;
  std::string subject_;  ///< what for
  bool is_for_weights_ = false;
  std::size_t next_step_ = 0;
  std::map<std::pair<model::NodeGuid, std::uint16_t>, const heddle_block*> written_;
  Instant decided_;
  Instant sent_;

  /// Entries of repairs since the last run, as they ought to be in the next.
  std::map<std::pair<model::NodeGuid, model::Lid>, std::uint8_t> foreseen_;
};

}  // namespace heddle::plugin
