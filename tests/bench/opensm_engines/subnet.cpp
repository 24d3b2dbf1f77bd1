#include "bench/opensm_engines/subnet.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::opensm_engines {

using model::Fabric;
using model::ForwardingTables;
using model::Lid;
using model::NodeIndex;
using model::NodeKind;
using model::PortIndex;
using model::PortNum;
using model::SwitchIndex;

namespace {

static_assert(std::endian::native == std::endian::little, "conversions below swap bytes");

constexpr std::uint16_t kTopUnicastLid = 0xBFFF;
constexpr std::uint8_t kEightDataVls = 4;  ///< PortInfo.OperationalVLs and VLCap

std::uint64_t to_wire(std::uint64_t value) { return __builtin_bswap64(value); }
std::uint32_t to_wire(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint16_t to_wire(std::uint16_t value) { return __builtin_bswap16(value); }

/// An answer as OpenSM's receivers hand it on.
struct Answer {
  explicit Answer(std::uint16_t attribute) {
    smp.attr_id = attribute;
    wrapper.p_mad = reinterpret_cast<const ib_mad_t*>(&smp);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  ib_smp_t smp{};
  osm_madw_t wrapper{};
};

class SubnetFiller {
 public:
  SubnetFiller(osm_opensm_t& osm, const Fabric& fabric)
      : osm_(osm), fabric_(fabric), nodes_(fabric.nodes().size(), nullptr) {}

  void fill() {
    for (const NodeIndex node : connected_nodes()) add_node(node);
    for (const model::Link& link : fabric_.links()) {
      const model::Port& a = fabric_.port(link.a);
      const model::Port& b = fabric_.port(link.b);
      if (nodes_[a.node.value()] == nullptr) continue;
      osm_node_link(nodes_[a.node.value()], a.number.value(), nodes_[b.node.value()],
                    b.number.value());
    }
    osm_.subn.max_ucast_lid_ho = kTopUnicastLid;
    take_first_end_port();
    const auto top =
        static_cast<std::uint16_t>(cl_ptr_vector_get_size(&osm_.subn.port_lid_tbl) - 1);
    for (cl_map_item_t* item = cl_qmap_head(&osm_.subn.sw_guid_tbl);
         item != cl_qmap_end(&osm_.subn.sw_guid_tbl); item = cl_qmap_next(item)) {
      if (osm_switch_prepare_path_rebuild(reinterpret_cast<osm_switch_t*>(item), top) != 0) {
        throw std::runtime_error("no memory for the tables of a switch");
      }
    }
  }

 private:
  /// A subnet manager finds what cables connect with its own port.
  [[nodiscard]] std::vector<NodeIndex> connected_nodes() const {
    const auto links = fabric_.links();
    const auto first = std::ranges::find_if(links, [&](const model::Link& link) {
      return !is_switch(fabric_.port(link.a).node) || !is_switch(fabric_.port(link.b).node);
    });
    if (first == links.end()) throw std::runtime_error("no host has a cable");
    std::vector<std::uint8_t> found(fabric_.nodes().size(), 0);
    std::vector<NodeIndex> queue{fabric_.port(first->a).node};
    found[queue.front().value()] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const PortIndex begin = fabric_.first_port(queue[i]);
      for (std::size_t p = 0; p < fabric_.ports_of(queue[i]).size(); ++p) {
        const auto peer = fabric_.peer(PortIndex{begin.value() + static_cast<std::uint32_t>(p)});
        if (!peer) continue;
        const NodeIndex next = fabric_.port(*peer).node;
        if (found[next.value()] != 0) continue;
        found[next.value()] = 1;
        queue.push_back(next);
      }
    }
    return queue;
  }
  [[nodiscard]] bool is_switch(NodeIndex node) const {
    return fabric_.node(node).kind == NodeKind::kSwitch;
  }
  /// Ports that a sweep would meet: of a switch all, of others those with a cable.
  [[nodiscard]] std::vector<PortIndex> ports_met(NodeIndex node) const {
    std::vector<PortIndex> ports;
    const PortIndex begin = fabric_.first_port(node);
    for (std::uint32_t p = 0; p < fabric_.ports_of(node).size(); ++p) {
      const PortIndex port{begin.value() + p};
      if (is_switch(node) || fabric_.peer(port)) ports.push_back(port);
    }
    return ports;
  }

  [[nodiscard]] ib_node_info_t node_info(NodeIndex index, const model::Port& port) const {
    const model::Node& node = fabric_.node(index);
    ib_node_info_t info{};
    info.base_version = 1;
    info.class_version = 1;
    info.node_type = node.kind == NodeKind::kSwitch   ? IB_NODE_TYPE_SWITCH
                     : node.kind == NodeKind::kRouter ? IB_NODE_TYPE_ROUTER
                                                      : IB_NODE_TYPE_CA;
    info.num_ports = node.port_count;
    info.sys_guid = to_wire(node.system_guid ? node.system_guid->value() : node.guid.value());
    info.node_guid = to_wire(node.guid.value());
    info.port_guid = port.guid ? to_wire(port.guid->value()) : info.node_guid;
    info.device_id = to_wire(node.device_id);
    info.port_num_vendor_id =
        to_wire(std::uint32_t{port.number.value()} << 24U | node.vendor_id.value_or(0));
    return info;
  }

  void add_node(NodeIndex index) {
    osm_node_t* node = nullptr;
    for (const PortIndex port_index : ports_met(index)) {
      const model::Port& port = fabric_.port(port_index);
      const ib_node_info_t info = node_info(index, port);
      Answer answer(IB_MAD_ATTR_NODE_INFO);
      std::memcpy(answer.smp.data, &info, sizeof info);
      if (node == nullptr) {
        node = osm_node_new(&answer.wrapper);
        if (node == nullptr) throw std::runtime_error("no memory for a node");
        nodes_[index.value()] = node;
        cl_qmap_insert(&osm_.subn.node_guid_tbl, info.node_guid, &node->map_item);
        if (is_switch(index)) add_switch(*node);
      } else if (!is_switch(index)) {
        osm_node_init_physp(node, port.number.value(), &answer.wrapper);
      }
      set_port_info(*node, port_index);
      if (!is_switch(index) || port.number == PortNum{}) add_end_port(*node, info, port);
    }
  }
  void add_switch(osm_node_t& node) {
    Answer answer(IB_MAD_ATTR_SWITCH_INFO);
    ib_switch_info_t info{};
    info.lin_cap = to_wire(std::uint16_t{kTopUnicastLid + 1});
    info.mcast_cap = to_wire(std::uint16_t{1024});
    std::memcpy(answer.smp.data, &info, sizeof info);
    node.sw = osm_switch_new(&node, &answer.wrapper);
    if (node.sw == nullptr) throw std::runtime_error("no memory for a switch");
    cl_qmap_insert(&osm_.subn.sw_guid_tbl, node.node_info.node_guid, &node.sw->map_item);
  }
  void set_port_info(osm_node_t& node, PortIndex index) {
    const model::Port& port = fabric_.port(index);
    const bool up = fabric_.peer(index).has_value() || port.number == PortNum{};
    ib_port_info_t& info = node.physp_table[port.number.value()].port_info;
    info.base_lid = to_wire(port.lid.value_or(Lid{}).value());
    info.mkey_lmc = port.lmc;
    ib_port_info_set_port_state(&info, up ? IB_LINK_INIT : IB_LINK_DOWN);
    info.capability_mask = IB_PORT_CAP_HAS_SL_MAP;  // without it dfsssp gives a port no lanes
    info.link_width_active = 2;                     // 4x
    info.state_info1 =
        static_cast<std::uint8_t>((info.state_info1 & 0x0FU) | 0x40U);  // 10 Gb/s a lane
    info.vl_cap = static_cast<std::uint8_t>(kEightDataVls << 4U);
    info.vl_enforce = static_cast<std::uint8_t>(kEightDataVls << 4U);
  }
  void add_end_port(osm_node_t& node, const ib_node_info_t& info, const model::Port& port) {
    osm_port_t* const end = osm_port_new(&info, &node);
    if (end == nullptr) throw std::runtime_error("no memory for a port");
    cl_qmap_insert(&osm_.subn.port_guid_tbl, info.port_guid, &end->map_item);
    if (!port.lid) throw std::runtime_error("an end port has no LID");
    end->lid = to_wire(port.lid->value());
    for (std::uint32_t i = 0; i < (1U << port.lmc); ++i) {
      if (cl_ptr_vector_set(&osm_.subn.port_lid_tbl, port.lid->value() + std::size_t{i}, end) !=
          CL_SUCCESS) {
        throw std::runtime_error("no memory for the LIDs");
      }
    }
  }

  /// Some engines ask where the subnet manager itself is.
  void take_first_end_port() {
    const cl_map_item_t* const item = cl_qmap_head(&osm_.subn.port_guid_tbl);
    const auto* const end = reinterpret_cast<const osm_port_t*>(item);
    osm_.subn.sm_port_guid = end->guid;
    osm_.subn.sm_base_lid = end->lid;
    osm_.subn.master_sm_base_lid = end->lid;
  }

  osm_opensm_t& osm_;
  const Fabric& fabric_;
  std::vector<osm_node_t*> nodes_;  ///< by NodeIndex
};

}  // namespace

void fill_subnet(osm_opensm_t& osm, const Fabric& fabric) { SubnetFiller(osm, fabric).fill(); }

ForwardingTables new_tables(const osm_opensm_t& osm, const Fabric& fabric) {
  const Lid top{static_cast<std::uint16_t>(cl_ptr_vector_get_size(&osm.subn.port_lid_tbl) - 1)};
  ForwardingTables tables(fabric.switches().size(), top);
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const std::uint64_t guid = to_wire(fabric.node(fabric.node_of(sw)).guid.value());
    const cl_map_item_t* const item = cl_qmap_get(&osm.subn.sw_guid_tbl, guid);
    if (item == cl_qmap_end(&osm.subn.sw_guid_tbl)) continue;
    const auto* const found = reinterpret_cast<const osm_switch_t*>(item);
    const auto row = tables.row(sw);
    std::copy_n(found->new_lft, std::min<std::size_t>(row.size(), found->max_lid_ho + 1U),
                row.begin());
    tables.mark_known(sw);
  }
  return tables;
}

}  // namespace heddle::opensm_engines
