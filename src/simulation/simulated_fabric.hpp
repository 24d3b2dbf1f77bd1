#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mad/mad.hpp"
#include "mad/pma.hpp"
#include "mad/smp.hpp"
#include "model/fabric.hpp"
#include "model/fabric_tables.hpp"

namespace heddle::simulation {

/// The devices of a fabric, answering MADs from memory: subnet management and performance agents of
/// every node. The cabling is that of the Fabric it is made from, less what is cut and but for what
/// was swapped; devices are
/// asked from `attached_to`, an end port: one of an adapter, or port 0 of a switch. Pure but for
/// its own state: no clock, no thread.
///
/// Packets with a LID arrive wherever cables lead from the attached port; forwarding tables are
/// answered, not followed. Node GUIDs and ports given to it are those of the Fabric.
class SimulatedFabric {
 public:
  SimulatedFabric(std::shared_ptr<const model::Fabric> fabric, model::PortKey attached_to);
  ~SimulatedFabric();
  SimulatedFabric(SimulatedFabric&&) noexcept;
  SimulatedFabric& operator=(SimulatedFabric&&) noexcept;

  /// The answer to a request, nothing where the real fabric would stay silent (cut, mute, wrong
  /// route or LID). Only a Get is obeyed: a Set is answered with the status "method not supported
  /// for this attribute", every other method by silence.
  [[nodiscard]] std::optional<mad::MadBytes> answer(const mad::MadBytes& request,
                                                    std::optional<model::Lid> lid);

  // What a test or a scenario changes.
  void cut(model::PortKey port);  ///< both ends go down: Polling
  void restore(model::PortKey port);
  /// The cables at two ports change places; none is cut, and it is not one cable.
  void swap_cables(model::PortKey a, model::PortKey b);
  /// Answers nothing, its cables stay up. Directed-route packets are lost in it, others pass.
  void mute(model::NodeGuid node);
  void unmute(model::NodeGuid node);
  /// The same for its performance agent alone.
  void mute_performance(model::NodeGuid node);
  void unmute_performance(model::NodeGuid node);
  void set_capabilities(model::NodeGuid node, mad::ClassPortInfo caps);
  void set_description(model::NodeGuid node, std::string description);
  void set_forwarding(model::ForwardingTables tables);
  void set_sl_to_vl(model::NodeGuid node, model::PortNum in, model::PortNum out,
                    const model::SlToVl& table);
  /// At most 128 keys (four blocks).
  void set_partitions(model::PortKey port, std::vector<model::PKey> keys);
  void set_subnet_manager(const model::SubnetManager& manager);
  void set_wait_tick(model::NodeGuid node, std::uint8_t tick);
  /// Counters of one port, as wide as 64 bits; answers clip at each attribute's width. The
  /// reference holds as long as this object.
  [[nodiscard]] mad::DeviceCounters& counters(model::PortKey port);

  /// Requests taken in, answered or not, by attribute: what a test asserts on. Attributes of
  /// different classes share numbers; without a class all are counted together.
  [[nodiscard]] std::uint64_t requests(std::uint16_t attribute) const noexcept;
  [[nodiscard]] std::uint64_t requests(mad::ManagementClass management_class,
                                       std::uint16_t attribute) const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::simulation
