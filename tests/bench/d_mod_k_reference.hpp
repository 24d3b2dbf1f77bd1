#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/fat_tree_plan.hpp"
#include "routing/graph.hpp"
#include "routing/workers.hpp"

namespace heddle::bench {

/// The bare arithmetic of D-mod-K over an intact tree: what writing the tables costs if nothing can
/// be missing. It takes from the plan how the tree is cabled, once; write() then applies the
/// formula to every entry. All LIDs of a switch's subtree lead down, others go up; LIDs of switches
/// go up by their number, so as many bytes are written as in whole tables. Rows are shared among
/// threads.
class DModKReference {
 public:
  DModKReference(const routing::Graph& graph, const routing::FatTreePlan& plan);
  void write(model::ForwardingTables& tables, routing::Workers& workers) const;
  /// Entries of hosts' LIDs that differ.
  [[nodiscard]] std::uint64_t differing(const model::ForwardingTables& tables) const;

 private:
  struct Child {
    std::uint32_t first = 0;  ///< terminals below it, by number
    std::uint32_t end = 0;
    std::uint32_t divisor = 1;  ///< that of the child going up
    std::uint32_t modulus = 1;
    std::uint32_t width = 1;
    std::vector<std::uint8_t> ports;  ///< by parallel cable
  };
  struct Row {
    std::uint32_t divisor = 1;
    std::vector<std::uint8_t> up;  ///< port by slot, empty at a root
    std::vector<Child> children;
  };
  void write_row(const Row& row, std::span<std::uint8_t> out) const;

  std::vector<Row> rows_;              ///< by SwitchIndex
  std::vector<std::uint16_t> lid_of_;  ///< by number of a terminal
  std::vector<std::uint16_t> switch_lids_;
};

}  // namespace heddle::bench
