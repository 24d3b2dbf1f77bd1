#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"

namespace heddle::model {

/// SL to VL mapping of one (in port, out port) pair: 16 lanes by SL.
using SlToVl = std::array<std::uint8_t, 16>;

/// SL2VL mappings by port pair. For host adapters `in` is the port itself. Few distinct mappings
/// exist on a fabric, so each is held once.
class SlToVlTables {
 public:
  void set(NodeGuid node, PortNum in, PortNum out, const SlToVl& table);
  void erase(NodeGuid node);
  [[nodiscard]] const SlToVl* find(NodeGuid node, PortNum in, PortNum out) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
  [[nodiscard]] std::size_t distinct() const noexcept { return mappings_.size(); }

 private:
  struct Key {
    NodeGuid node;
    PortNum in;
    PortNum out;
    constexpr auto operator<=>(const Key&) const noexcept = default;
  };
  std::map<Key, std::uint32_t> index_;
  std::vector<SlToVl> mappings_;
};

/// SMInfo of one subnet manager.
struct SubnetManager {
  enum class State : std::uint8_t { kNotActive, kDiscovering, kStandby, kMaster, kUnknown };
  NodeGuid node;
  PortNum port;
  PortGuid port_guid;
  std::uint8_t priority = 0;
  State state = State::kUnknown;
  std::uint32_t activity_count = 0;
  bool operator==(const SubnetManager&) const = default;
};
[[nodiscard]] std::string_view to_string(SubnetManager::State state) noexcept;

/// What was read from the devices besides the cabling; rows of `forwarding` are those of `fabric`.
struct FabricTables {
  std::shared_ptr<const Fabric> fabric;
  ForwardingTables forwarding;
  SlToVlTables sl_to_vl;
  std::map<PortKey, std::vector<PKey>> partitions;  ///< without empty entries, in table order
  std::vector<SubnetManager> subnet_managers;       ///< by GUID
  std::chrono::system_clock::time_point completed_at;
};

}  // namespace heddle::model
