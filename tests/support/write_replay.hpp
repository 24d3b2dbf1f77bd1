#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/level_sets.hpp"
#include "routing/routes.hpp"
#include "routing/workers.hpp"
#include "routing/write_order.hpp"

namespace heddle::support {

/// What went wrong on the way from some tables to others.
struct ReplayFaults {
  std::uint64_t states = 0;
  std::uint64_t lost = 0;     ///< pairs that were reachable a write before
  std::uint64_t circles = 0;  ///< pairs whose packets circle and did not a write before
  std::uint64_t cycles = 0;   ///< states with a dependency cycle, if the first had none
  std::string first;          ///< in words
  [[nodiscard]] bool none() const noexcept { return lost + circles + cycles == 0; }
};

/// Tables in the switches of a fabric, written block by block, and judged after each by walking
/// from every switch to every LID: slow and obvious. A copy goes its own way from there.
class WriteReplay {
 public:
  enum class Cycles : std::uint8_t { kLookFor, kIgnore };

  /// `levels` and `maps` of all connections. All but the tables outlive it and its copies.
  WriteReplay(const routing::Graph& graph, const routing::Availability& availability,
              model::ForwardingTables tables, const routing::LevelSets& levels,
              const routing::LaneMaps& maps, Cycles cycles);

  /// Pairs that may be lost.
  void excuse(std::span<const routing::Undelivered> pairs);
  void write(const routing::BlockWrite& write, ReplayFaults& faults);
  [[nodiscard]] const model::ForwardingTables& tables() const noexcept { return tables_; }

 private:
  enum class Fate : std::uint8_t { kLost, kArrives, kCircles };
  [[nodiscard]] Fate walk(model::SwitchIndex from, const routing::Destination& to) const;
  [[nodiscard]] bool cyclic() const;
  void judge(std::uint16_t block, ReplayFaults* faults);

  const routing::Graph* graph_;
  const routing::Availability* availability_;
  model::ForwardingTables tables_;
  const routing::LevelSets* levels_;
  const routing::LaneMaps* maps_;
  bool look_for_cycles_;
  std::vector<Fate> fates_;  ///< by destination, then switch
  std::set<routing::Undelivered> excused_;
};

/// Writes the plan `orders` times, each step's writes in a new order by chance, every state on the
/// way judged. What is left in the switches in the end is `replay`'s.
[[nodiscard]] ReplayFaults replay_plan(WriteReplay& replay, const routing::WritePlan& plan,
                                       int orders, std::uint64_t seed);

}  // namespace heddle::support
