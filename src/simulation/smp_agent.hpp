#pragma once

#include <cstdint>
#include <optional>

#include "mad/smp.hpp"
#include "model/fabric.hpp"
#include "simulation/cabling.hpp"
#include "simulation/device_settings.hpp"

namespace heddle::simulation {

/// P_Keys that one port's table has room for.
inline constexpr std::uint16_t kPartitionCapacity = 128;

/// The subnet management agent of any node: what it answers to a Get. Views for the time of one
/// call; nothing is owned.
class SmpAgent {
 public:
  SmpAgent(const model::Fabric& fabric, const Cabling& cabling, const DeviceSettings& settings)
      : fabric_(fabric), cabling_(cabling), settings_(settings) {}

  /// Fills `data`, which is zero, and returns the status. `at` is the node asked and the port that
  /// the question came in by (0 for a switch asked by its LID).
  [[nodiscard]] std::uint16_t get(const Arrival& at, std::uint16_t attribute,
                                  std::uint32_t modifier, mad::SmpDataOut data) const;

 private:
  [[nodiscard]] std::uint16_t node_info(const Arrival& at, mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t description(const Arrival& at, mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t switch_info(const Arrival& at, mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t port_info(const Arrival& at, std::uint32_t modifier,
                                        mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t vendor_port_info(const Arrival& at, std::uint32_t modifier,
                                               mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t partitions(const Arrival& at, std::uint32_t modifier,
                                         mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t sl_to_vl(const Arrival& at, std::uint32_t modifier,
                                       mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t forwarding(const Arrival& at, std::uint32_t modifier,
                                         mad::SmpDataOut data) const;
  [[nodiscard]] std::uint16_t subnet_manager(const Arrival& at, mad::SmpDataOut data) const;

  [[nodiscard]] bool is_switch(const Arrival& at) const noexcept;
  /// The port that a modifier names; for an adapter 0 is the one that the question came in by.
  [[nodiscard]] std::optional<model::PortIndex> port_of(const Arrival& at,
                                                        std::uint32_t number) const noexcept;
  /// The LID of the master subnet manager as ports are told it, 0 if there is none.
  [[nodiscard]] model::Lid master_lid() const noexcept;

  const model::Fabric& fabric_;
  const Cabling& cabling_;
  const DeviceSettings& settings_;
};

}  // namespace heddle::simulation
