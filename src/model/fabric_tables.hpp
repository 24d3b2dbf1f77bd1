#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"

namespace heddle::model {

/// SL to VL mapping of one (in port, out port) pair: 16 lanes by SL.
using SlToVl = std::array<std::uint8_t, 16>;

/// SL2VL mappings by port pair. For host adapters `in` is the port itself. Flat: two octets a pair
/// of ports of a node, and each mapping once a node, so 2,000 switches of 65 ports take some 17 MB.
/// Copies share what they have in common a node at a time and cost a pointer a node. One writer;
/// copies that others read are const.
class SlToVlTables {
 public:
  void set(NodeGuid node, PortNum in, PortNum out, const SlToVl& table);
  void erase(NodeGuid node);
  /// Valid until the node is set or erased.
  [[nodiscard]] const SlToVl* find(NodeGuid node, PortNum in, PortNum out) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Distinct mappings that some pair has. Linear in nodes.
  [[nodiscard]] std::size_t distinct() const;
  /// Octets of what is held, shared or not.
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// Calls `visit(in, out, mapping)` for each mapping of a node, in order of `in`, then `out`.
  template <class Visit>
  void for_each(NodeGuid node, Visit visit) const {
    const auto found = blocks_.find(node);
    if (found == blocks_.end()) return;
    const Block& block = *found->second;
    for (std::size_t i = 0; i < block.index.size(); ++i) {
      if (block.index[i] == Block::kNone) continue;
      visit(PortNum{static_cast<std::uint8_t>(i / block.side)},
            PortNum{static_cast<std::uint8_t>(i % block.side)}, block.mappings[block.index[i]]);
    }
  }

 private:
  /// One node.
  struct Block {
    static constexpr std::uint16_t kNone = 0xFFFF;  ///< more than the pairs of 254 ports
    std::size_t side = 0;                           ///< ports in a row and in a column
    std::vector<std::uint16_t> index;               ///< into mappings, by in * side + out
    std::vector<SlToVl> mappings;                   ///< those that a pair has, or had
    std::map<SlToVl, std::uint16_t> places;         ///< of mappings
    std::size_t size = 0;                           ///< pairs

    void reach(std::size_t wanted_side);
    [[nodiscard]] std::uint16_t place_of(const SlToVl& table);
    /// Lets go of mappings that no pair has any more.
    void tidy();
  };
  std::unordered_map<NodeGuid, std::shared_ptr<Block>> blocks_;
  std::size_t size_ = 0;
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
  /// Nodes of which a table was wanted but not read as a whole: it is the one of before, or none.
  struct Unread {
    std::set<NodeGuid> forwarding;
    std::set<NodeGuid> sl_to_vl;
    std::set<NodeGuid> partitions;
  };
  std::shared_ptr<const Fabric> fabric;
  ForwardingTables forwarding;
  SlToVlTables sl_to_vl;
  std::map<PortKey, std::vector<PKey>> partitions;  ///< without empty entries, in table order
  std::vector<SubnetManager> subnet_managers;       ///< by GUID
  std::chrono::system_clock::time_point completed_at;
  Unread unread;
  /// Tables that the last reading dropped, since another device than the one meant stood at the end
  /// of the route: a cable had moved.
  std::uint64_t led_astray = 0;
};

}  // namespace heddle::model
