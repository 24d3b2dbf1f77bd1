#include "mad/smp.hpp"

#include <gtest/gtest.h>

#include "field_tables.hpp"

namespace heddle::mad {
namespace {

using test::field;
using test::Field;

template <class Info>
void expect_smp_layout(const std::vector<Field<Info>>& fields, Info (*read)(SmpData) noexcept) {
  test::expect_same_layout<kSmpDataSize, Info>(
      fields, read, [](const Info& info, SmpDataOut data) { to_wire(info, data); });
}

TEST(SmpLayout, NodeInfoIsWhereLibibmadHasIt) {
  expect_smp_layout<NodeInfo>({field(IB_NODE_TYPE_F, 8, &NodeInfo::node_type),
                               field(IB_NODE_NPORTS_F, 8, &NodeInfo::port_count),
                               field(IB_NODE_SYSTEM_GUID_F, 64, &NodeInfo::system_guid),
                               field(IB_NODE_GUID_F, 64, &NodeInfo::node_guid),
                               field(IB_NODE_PORT_GUID_F, 64, &NodeInfo::port_guid),
                               field(IB_NODE_PARTITION_CAP_F, 16, &NodeInfo::partition_capacity),
                               field(IB_NODE_DEVID_F, 16, &NodeInfo::device_id),
                               field(IB_NODE_REVISION_F, 32, &NodeInfo::revision),
                               field(IB_NODE_LOCAL_PORT_F, 8, &NodeInfo::local_port),
                               field(IB_NODE_VENDORID_F, 24, &NodeInfo::vendor_id)},
                              node_info_from_wire);
}

TEST(SmpLayout, SwitchInfoIsWhereLibibmadHasIt) {
  expect_smp_layout<SwitchInfo>(
      {field(IB_SW_LINEAR_FDB_CAP_F, 16, &SwitchInfo::linear_fdb_capacity),
       field(IB_SW_LINEAR_FDB_TOP_F, 16, &SwitchInfo::linear_fdb_top),
       field(IB_SW_STATE_CHANGE_F, 1, &SwitchInfo::port_state_change),
       field(IB_SW_PARTITION_ENFORCE_CAP_F, 16, &SwitchInfo::partition_enforcement_capacity),
       field(IB_SW_ENHANCED_PORT0_F, 1, &SwitchInfo::enhanced_port0),
       // Two bits there; one is defined and used.
       {IB_SW_OPT_SLTOVL_MAPPING_F, 1,
        [](const SwitchInfo& info) { return std::uint64_t{info.optimized_sl_to_vl}; },
        [](SwitchInfo& info, std::uint64_t v) { info.optimized_sl_to_vl = v != 0; }}},
      switch_info_from_wire);
}

TEST(SmpLayout, PortInfoIsWhereLibibmadHasIt) {
  expect_smp_layout<PortInfo>(
      {field(IB_PORT_MKEY_F, 64, &PortInfo::m_key),
       field(IB_PORT_LID_F, 16, &PortInfo::lid),
       field(IB_PORT_SMLID_F, 16, &PortInfo::sm_lid),
       field(IB_PORT_CAPMASK_F, 32, &PortInfo::capability_mask),
       field(IB_PORT_LOCAL_PORT_F, 8, &PortInfo::local_port),
       field(IB_PORT_LMC_F, 3, &PortInfo::lmc),
       field(IB_PORT_STATE_F, 4, &PortInfo::port_state),
       field(IB_PORT_PHYS_STATE_F, 4, &PortInfo::physical_state),
       field(IB_PORT_LINK_WIDTH_ENABLED_F, 8, &PortInfo::link_width_enabled),
       field(IB_PORT_LINK_WIDTH_SUPPORTED_F, 8, &PortInfo::link_width_supported),
       field(IB_PORT_LINK_WIDTH_ACTIVE_F, 8, &PortInfo::link_width_active),
       field(IB_PORT_LINK_SPEED_SUPPORTED_F, 4, &PortInfo::link_speed_supported),
       field(IB_PORT_LINK_SPEED_ACTIVE_F, 4, &PortInfo::link_speed_active),
       field(IB_PORT_LINK_SPEED_ENABLED_F, 4, &PortInfo::link_speed_enabled),
       field(IB_PORT_NEIGHBOR_MTU_F, 4, &PortInfo::neighbor_mtu),
       field(IB_PORT_VL_CAP_F, 4, &PortInfo::vl_capability),
       field(IB_PORT_OPER_VLS_F, 4, &PortInfo::operational_vls),
       field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 4, &PortInfo::link_speed_ext_active),
       field(IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, 4, &PortInfo::link_speed_ext_supported),
       field(IB_PORT_LINK_SPEED_EXT_ENABLED_F, 5, &PortInfo::link_speed_ext_enabled)},
      port_info_from_wire);
}

// Debian's libibmad does not know these yet; the bits are those of rdma-core's table: 449 (2 wide),
// 451 (2) and 453 (3), counted from the most significant bit of byte 0.
TEST(SmpLayout, SecondExtendedSpeedsOfPortInfoShareByte56) {
  std::array<std::uint8_t, kSmpDataSize> data{};
  data[56] = 0b0'10'01'101;
  const PortInfo info = port_info_from_wire(data);
  EXPECT_EQ(info.link_speed_ext2_active, 0b10);
  EXPECT_EQ(info.link_speed_ext2_supported, 0b01);
  EXPECT_EQ(info.link_speed_ext2_enabled, 0b101);
  std::array<std::uint8_t, kSmpDataSize> back{};
  to_wire(info, back);
  EXPECT_EQ(back, data);
}

TEST(SmpLayout, VendorExtendedPortInfoIsWhereLibibmadHasIt) {
  // Eight bits there; FDR10 is the lowest.
  const auto flag = [](MAD_FIELDS number, bool VendorExtendedPortInfo::*member) {
    return field(number, 1, member);
  };
  expect_smp_layout<VendorExtendedPortInfo>(
      {flag(IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, &VendorExtendedPortInfo::fdr10_active),
       flag(IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, &VendorExtendedPortInfo::fdr10_supported),
       flag(IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, &VendorExtendedPortInfo::fdr10_enabled)},
      vendor_extended_port_info_from_wire);
}

TEST(SmpLayout, SmInfoIsWhereLibibmadHasIt) {
  expect_smp_layout<SmInfo>(
      {field(IB_SMINFO_GUID_F, 64, &SmInfo::guid), field(IB_SMINFO_KEY_F, 64, &SmInfo::sm_key),
       field(IB_SMINFO_ACT_F, 32, &SmInfo::activity_count),
       field(IB_SMINFO_PRIO_F, 4, &SmInfo::priority), field(IB_SMINFO_STATE_F, 4, &SmInfo::state)},
      sm_info_from_wire);
}

TEST(NodeDescription, KeepsBytesThatAreNoUtf8AndStopsAtTheFirstNul) {
  std::array<std::uint8_t, kSmpDataSize> data{};
  constexpr char text[] = "rack\xFF\xC3 7";
  std::copy_n(text, sizeof(text), data.begin());
  data[sizeof(text) + 2] = 'x';
  EXPECT_EQ(node_description_from_wire(data), "rack\xFF\xC3 7");
}

TEST(NodeDescription, MayFillAll64BytesAndIsCutThere) {
  std::array<std::uint8_t, kSmpDataSize> data{};
  const std::string text(80, 'n');
  node_description_to_wire(text, data);
  EXPECT_EQ(node_description_from_wire(data), std::string(64, 'n'));
  node_description_to_wire("short", data);
  EXPECT_EQ(node_description_from_wire(data), "short");
}

TEST(SlToVl, HasTheHighNibbleFirst) {
  std::mt19937_64 random = test::random_source();
  model::SlToVl table;
  for (std::uint8_t& vl : table) vl = static_cast<std::uint8_t>(random() % 16);
  std::array<std::uint8_t, kSmpDataSize> data{};
  sl_to_vl_to_wire(table, data);
  const std::uint64_t theirs = mad_get_field64(data.data(), 0, IB_SLTOVL_MAPPING_TABLE_F);
  for (std::size_t sl = 0; sl < 16; ++sl) EXPECT_EQ(theirs >> (60 - 4 * sl) & 15, table[sl]) << sl;
  EXPECT_EQ(sl_to_vl_from_wire(data), table);
}

TEST(PKeyBlock, Holds32KeysInNetworkOrder) {
  std::array<std::uint8_t, kSmpDataSize> data{};
  data[0] = 0xFF, data[1] = 0xFF, data[62] = 0x80, data[63] = 0x01;
  const auto block = p_key_block_from_wire(data);
  EXPECT_EQ(block[0], model::PKey{std::uint16_t{0xFFFF}});
  EXPECT_EQ(block[1], model::PKey{std::uint16_t{0}});
  EXPECT_EQ(block[31], model::PKey{std::uint16_t{0x8001}});
  std::array<std::uint8_t, kSmpDataSize> back{};
  p_key_block_to_wire(block, back);
  EXPECT_EQ(back, data);
}

TEST(NodeKind, TellsAggregationNodesFromAdapters) {
  using model::NodeKind;
  EXPECT_EQ(kind_of({.node_type = NodeType::kChannelAdapter, .device_id = 0x101B}, "node1 HCA-1"),
            NodeKind::kHostAdapter);
  EXPECT_EQ(kind_of({.node_type = NodeType::kChannelAdapter, .device_id = 0xCF09}, ""),
            NodeKind::kAggregationNode);
  EXPECT_EQ(kind_of({.node_type = NodeType::kChannelAdapter, .device_id = 0xCF10}, ""),
            NodeKind::kAggregationNode);
  EXPECT_EQ(
      kind_of({.node_type = NodeType::kChannelAdapter}, "Mellanox Technologies Aggregation Node"),
      NodeKind::kAggregationNode);
  EXPECT_EQ(kind_of({.node_type = NodeType::kSwitch, .device_id = 0xCF09}, "Aggregation Node"),
            NodeKind::kSwitch);
  EXPECT_EQ(kind_of({.node_type = NodeType::kRouter}, ""), NodeKind::kRouter);
  EXPECT_EQ(kind_of({.node_type = NodeType::kUnknown}, ""), NodeKind::kUnknown);
  EXPECT_EQ(kind_of({.node_type = NodeType{4}}, ""), NodeKind::kUnknown);
}

}  // namespace
}  // namespace heddle::mad
