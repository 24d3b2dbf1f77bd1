#pragma once

#include <cstdint>
#include <optional>

#include "mad/pma.hpp"
#include "model/fabric.hpp"
#include "simulation/device_settings.hpp"

namespace heddle::simulation {

/// The performance management agent of any node: what it answers to a Get. Views for the time of
/// one call; nothing is owned.
class PmaAgent {
 public:
  PmaAgent(const model::Fabric& fabric, const DeviceSettings& settings)
      : fabric_(fabric), settings_(settings) {}

  /// Replaces `data`, which holds the question's, and returns the status.
  [[nodiscard]] std::uint16_t get(model::NodeIndex node, std::uint16_t attribute,
                                  mad::GmpDataOut data) const;

 private:
  [[nodiscard]] mad::ClassPortInfo capabilities(model::NodeGuid node) const;
  [[nodiscard]] std::uint8_t wait_tick(model::NodeGuid node) const;
  /// Counters of one external port, or of all together where the node can do that; nothing for a
  /// port that it has not.
  [[nodiscard]] std::optional<mad::DeviceCounters> counters(model::NodeIndex node,
                                                            model::PortNum select) const;

  const model::Fabric& fabric_;
  const DeviceSettings& settings_;
};

}  // namespace heddle::simulation
