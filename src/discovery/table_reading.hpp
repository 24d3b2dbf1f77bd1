#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "discovery/fabric_sweep.hpp"
#include "mad/engine.hpp"
#include "mad/smp.hpp"
#include "model/fabric_tables.hpp"

namespace heddle::discovery {

/// One table of one device while it is read: the questions that are left, and what came so far.
struct TableReading {
  enum class Kind : std::uint8_t { kSubnetManager, kForwarding, kPartitions, kSlToVl };
  Kind kind = Kind::kForwarding;
  model::PortKey port;  ///< of a switch as a whole port 0
  mad::DirectedRoute route;
  std::vector<std::uint32_t> modifiers;  ///< of the questions, in order
  /// P_Key blocks are asked one after the other: the first empty one ends the table.
  bool one_by_one = false;
  std::size_t next = 0;
  std::size_t in_flight = 0;
  bool failed = false;

  std::vector<std::uint8_t> row;        ///< forwarding, by LID
  std::vector<model::PKey> keys;        ///< partitions, without empty entries
  std::vector<model::SlToVl> mappings;  ///< SL2VL, parallel to `modifiers`
  std::optional<model::SubnetManager> manager;

  [[nodiscard]] bool done() const noexcept {
    return in_flight == 0 && (failed || next == modifiers.size());
  }
  [[nodiscard]] bool may_ask() const noexcept {
    return !failed && next < modifiers.size() && (!one_by_one || in_flight == 0);
  }
  [[nodiscard]] std::uint16_t attribute() const noexcept;
  /// Whether the device at the end of the route, which says `info`, is the one meant, and was
  /// entered by the port meant.
  [[nodiscard]] bool is_from(const mad::NodeInfo& info) const noexcept;
  /// Takes in the answer to question `index`.
  void take(std::size_t index, const mad::MadBytes& answer);
};

/// The questions for one table; nothing where the device cannot be asked or there is none to ask.
[[nodiscard]] std::optional<TableReading> read_subnet_manager(const SweepOutcome& outcome,
                                                              model::PortIndex port);
[[nodiscard]] std::optional<TableReading> read_forwarding_of(const SweepOutcome& outcome,
                                                             model::NodeIndex node);
[[nodiscard]] std::optional<TableReading> read_partitions(const SweepOutcome& outcome,
                                                          model::NodeIndex node,
                                                          model::PortNum port);
[[nodiscard]] std::optional<TableReading> read_switch_sl_to_vl(const SweepOutcome& outcome,
                                                               model::NodeIndex node);
[[nodiscard]] std::optional<TableReading> read_end_port_sl_to_vl(const SweepOutcome& outcome,
                                                                 model::NodeIndex node,
                                                                 model::PortNum port);

}  // namespace heddle::discovery
