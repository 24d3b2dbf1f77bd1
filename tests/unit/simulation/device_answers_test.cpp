#include <gmock/gmock.h>

#include <memory>

#include "questions.hpp"
#include "simulation/generators.hpp"
#include "support/topologies.hpp"

// What subnet management agents say. From host 0 of ft2_k4: {1} is leaf 0, {1, 1} host 0 again.
namespace heddle::simulation {
namespace {

using model::PortNum;
using support::node_named;
using support::port_at;

constexpr std::uint16_t kUnsupported = 0x000C;
constexpr std::uint16_t kInvalidField = 0x001C;

class DeviceAnswers : public testing::Test {
 protected:
  std::optional<mad::MadBytes> ask(std::initializer_list<std::uint8_t> exits, Question question,
                                   mad::Method method = mad::Method::kGet) {
    return devices_.answer(directed(exits, question, method), std::nullopt);
  }
  mad::PortInfo port_info(std::initializer_list<std::uint8_t> exits, std::uint32_t modifier) {
    const auto answer = ask(exits, {mad::smp::kPortInfo, modifier});
    EXPECT_EQ(status_of(answer), 0);
    return mad::port_info_from_wire(mad::smp_data(answer.value()));
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::ft2_k4()));
  SimulatedFabric devices_{fabric_, port_at(*fabric_, "host-00000 HCA-1", 1)};
};

TEST_F(DeviceAnswers, IdentifySwitchesAndAdapters) {
  const auto leaf = ask({1}, {mad::smp::kNodeInfo});
  ASSERT_EQ(status_of(leaf), 0);
  EXPECT_EQ(mad::node_info_from_wire(mad::smp_data(*leaf)),
            (mad::NodeInfo{.node_type = mad::NodeType::kSwitch,
                           .port_count = 4,
                           .system_guid = model::SystemGuid{0x0002c90200000000UL},
                           .node_guid = model::NodeGuid{0x0002c90200000000UL},
                           .port_guid = model::PortGuid{0x0002c90200000000UL},
                           .partition_capacity = 128,
                           .device_id = 0xd2f0,
                           .revision = 0,
                           .local_port = PortNum{std::uint8_t{1}},
                           .vendor_id = 0x2c9}));
  const auto host = ask({1, 2}, {mad::smp::kNodeInfo});
  ASSERT_EQ(status_of(host), 0);
  const mad::NodeInfo adapter = mad::node_info_from_wire(mad::smp_data(*host));
  EXPECT_EQ(adapter.node_type, mad::NodeType::kChannelAdapter);
  EXPECT_EQ(adapter.port_count, 1);
  EXPECT_EQ(adapter.port_guid, model::PortGuid{0x0002c90100000011UL});
}

TEST_F(DeviceAnswers, DescribeEveryPortAsTheFabricDoes) {
  for (std::uint8_t number = 0; number <= 4; ++number) {
    const model::PortKey key = port_at(*fabric_, "leaf-0000", number);
    model::Port expected = fabric_->port(*fabric_->find_port(key));
    expected.node = {};
    expected.guid.reset();  // NodeInfo tells it
    EXPECT_EQ(mad::to_port(port_info({1}, number), PortNum{number}), expected);
  }
}

TEST_F(DeviceAnswers, OfAnAdapterTakePortZeroForThePortAsked) {
  EXPECT_EQ(port_info({1, 2}, 0), port_info({1, 2}, 1));
  EXPECT_EQ(port_info({1, 2}, 0).lid, model::Lid{std::uint16_t{2}});
}

TEST_F(DeviceAnswers, AcceptTheExtendedSpeedsBitBesideThePort) {
  EXPECT_EQ(port_info({1}, 0x80000000U | 3U), port_info({1}, 3));
}

TEST_F(DeviceAnswers, ShowBothEndsOfACutCableDownAndPolling) {
  devices_.cut(port_at(*fabric_, "leaf-0000", 2));
  const model::Port near = mad::to_port(port_info({1}, 2), PortNum{std::uint8_t{2}});
  EXPECT_EQ(near.state, model::PortState::kDown);
  EXPECT_EQ(near.physical_state, model::PhysicalState::kPolling);
  EXPECT_EQ(near.rate, model::LinkRate{});
  EXPECT_EQ(near.speeds_supported,
            fabric_->port(*fabric_->find_port(port_at(*fabric_, "leaf-0000", 2))).speeds_supported);
  EXPECT_EQ(port_info({1}, 1).port_state, 4);
  devices_.restore(port_at(*fabric_, "host-00001 HCA-1", 1));
  EXPECT_EQ(port_info({1}, 2).port_state, 4);
}

TEST_F(DeviceAnswers, RefusePortsThatTheyHaveNot) {
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kPortInfo, 5})), kInvalidField);
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kPortInfo, 257})), kInvalidField);
  EXPECT_EQ(status_of(ask({1, 2}, {mad::smp::kPortInfo, 2})), kInvalidField);
}

TEST_F(DeviceAnswers, CarryAChangedDescription) {
  devices_.set_description(node_named(*fabric_, "leaf-0000").guid, "renamed \xff");
  const auto answer = ask({1}, {mad::smp::kNodeDescription});
  EXPECT_EQ(mad::node_description_from_wire(mad::smp_data(answer.value())), "renamed \xff");
}

TEST_F(DeviceAnswers, OfASwitchCarryItsForwardingTableByBlocks) {
  model::ForwardingTables tables(fabric_->switches().size(), model::Lid{std::uint16_t{70}});
  const model::SwitchIndex leaf{0U};
  tables.row(leaf)[1] = 1;
  tables.row(leaf)[63] = 3;
  tables.row(leaf)[70] = 4;
  devices_.set_forwarding(tables);

  const auto info = ask({1}, {mad::smp::kSwitchInfo});
  ASSERT_EQ(status_of(info), 0);
  EXPECT_EQ(mad::switch_info_from_wire(mad::smp_data(*info)).linear_fdb_top, 70);
  EXPECT_EQ(mad::switch_info_from_wire(mad::smp_data(*info)).linear_fdb_capacity, 0xC000);

  const auto first = ask({1}, {mad::smp::kLinearForwardingTable, 0});
  ASSERT_EQ(status_of(first), 0);
  EXPECT_EQ(mad::smp_data(*first)[1], 1);
  EXPECT_EQ(mad::smp_data(*first)[2], 255);
  EXPECT_EQ(mad::smp_data(*first)[63], 3);
  const auto second = ask({1}, {mad::smp::kLinearForwardingTable, 1});
  ASSERT_EQ(status_of(second), 0);
  EXPECT_EQ(mad::smp_data(*second)[6], 4);
  EXPECT_EQ(mad::smp_data(*second)[7], 255) << "past the row";
  EXPECT_EQ(mad::smp_data(ask({1}, {mad::smp::kLinearForwardingTable, 2}).value())[0], 255);
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kLinearForwardingTable, 767})), 0);
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kLinearForwardingTable, 768})), kInvalidField);
}

TEST_F(DeviceAnswers, OfAnAdapterRefuseWhatOnlySwitchesHave) {
  EXPECT_EQ(status_of(ask({1, 2}, {mad::smp::kSwitchInfo})), kUnsupported);
  EXPECT_EQ(status_of(ask({1, 2}, {mad::smp::kLinearForwardingTable})), kUnsupported);
}

TEST_F(DeviceAnswers, CarrySlToVlByInAndOutPort) {
  model::SlToVl table{};
  for (std::size_t sl = 0; sl < 16; ++sl) table[sl] = static_cast<std::uint8_t>(15 - sl);
  const model::NodeGuid leaf = node_named(*fabric_, "leaf-0000").guid;
  devices_.set_sl_to_vl(leaf, PortNum{std::uint8_t{2}}, PortNum{std::uint8_t{3}}, table);
  const auto written = ask({1}, {mad::smp::kSlToVlTable, 2U << 8 | 3U});
  ASSERT_EQ(status_of(written), 0);
  EXPECT_EQ(mad::sl_to_vl_from_wire(mad::smp_data(*written)), table);

  const auto initial = ask({1}, {mad::smp::kSlToVlTable, 3U << 8 | 2U});
  ASSERT_EQ(status_of(initial), 0);
  EXPECT_THAT(mad::sl_to_vl_from_wire(mad::smp_data(*initial)),
              testing::ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kSlToVlTable, 5U << 8 | 2U})), kInvalidField);
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kSlToVlTable, 2U << 8 | 5U})), kInvalidField);
}

TEST_F(DeviceAnswers, OfAnAdapterCarrySlToVlWhateverTheInPort) {
  model::SlToVl table{};
  table[3] = 1;
  devices_.set_sl_to_vl(node_named(*fabric_, "host-00001 HCA-1").guid, PortNum{std::uint8_t{1}},
                        PortNum{std::uint8_t{1}}, table);
  for (const std::uint32_t modifier : {0U, 1U, 1U << 8 | 1U, 9U << 8}) {
    const auto answer = ask({1, 2}, {mad::smp::kSlToVlTable, modifier});
    ASSERT_EQ(status_of(answer), 0);
    EXPECT_EQ(mad::sl_to_vl_from_wire(mad::smp_data(*answer)), table);
  }
}

TEST_F(DeviceAnswers, CarryPartitionsByBlockAndPort) {
  const auto keys_at = [&](std::initializer_list<std::uint8_t> exits, std::uint32_t modifier) {
    return mad::p_key_block_from_wire(
        mad::smp_data(ask(exits, {mad::smp::kPKeyTable, modifier}).value()));
  };
  EXPECT_EQ(keys_at({1, 2}, 0)[0], model::PKey{std::uint16_t{0xFFFF}});
  EXPECT_EQ(keys_at({1}, 0)[0], model::PKey{std::uint16_t{0xFFFF}});
  EXPECT_EQ(keys_at({1}, 3U << 16)[0], model::PKey{});

  std::vector<model::PKey> keys;
  for (std::uint16_t i = 0; i < 40; ++i) {
    keys.push_back(model::PKey{static_cast<std::uint16_t>(0x8001 + i)});
  }
  devices_.set_partitions(port_at(*fabric_, "leaf-0000", 3), keys);
  EXPECT_EQ(keys_at({1}, 3U << 16)[31], model::PKey{std::uint16_t{0x8020}});
  EXPECT_EQ(keys_at({1}, 3U << 16 | 1U)[7], model::PKey{std::uint16_t{0x8028}});
  EXPECT_EQ(keys_at({1}, 3U << 16 | 1U)[8], model::PKey{});
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kPKeyTable, 3U << 16 | 4U})), kInvalidField);
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kPKeyTable, 5U << 16})), kInvalidField);
}

TEST_F(DeviceAnswers, TellOfASubnetManagerWhereOneRuns) {
  EXPECT_EQ(status_of(ask({1, 2}, {mad::smp::kSmInfo})), kUnsupported);
  EXPECT_EQ(port_info({1}, 0).sm_lid, model::Lid{});
  devices_.set_subnet_manager({.node = node_named(*fabric_, "host-00001 HCA-1").guid,
                               .port = PortNum{std::uint8_t{1}},
                               .port_guid = model::PortGuid{0x0002c90100000011UL},
                               .priority = 5,
                               .state = model::SubnetManager::State::kMaster,
                               .activity_count = 77});
  const auto answer = ask({1, 2}, {mad::smp::kSmInfo});
  ASSERT_EQ(status_of(answer), 0);
  EXPECT_EQ(mad::sm_info_from_wire(mad::smp_data(*answer)),
            (mad::SmInfo{.guid = model::PortGuid{0x0002c90100000011UL},
                         .sm_key = 0,
                         .activity_count = 77,
                         .priority = 5,
                         .state = 3}));
  EXPECT_TRUE(mad::to_port(port_info({1, 2}, 1), PortNum{std::uint8_t{1}}).is_subnet_manager);
  EXPECT_FALSE(mad::to_port(port_info({1}, 0), PortNum{}).is_subnet_manager);
  EXPECT_EQ(port_info({1}, 0).sm_lid, model::Lid{std::uint16_t{2}});
}

TEST_F(DeviceAnswers, RefuseTheVendorsPortInfoUnlessTheySpeakFdr10) {
  EXPECT_EQ(status_of(ask({1}, {mad::smp::kVendorExtendedPortInfo, 1})), kUnsupported);
}

TEST_F(DeviceAnswers, RefuseUnknownAttributesAndSets) {
  EXPECT_EQ(status_of(ask({1}, {0x0099})), kUnsupported);
  const auto set = ask({1}, {mad::smp::kPortInfo, 1}, mad::Method::kSet);
  EXPECT_EQ(status_of(set), kUnsupported);
  EXPECT_EQ(mad::header_from_wire(*set).method, static_cast<std::uint8_t>(mad::Method::kGetResp));
}

TEST_F(DeviceAnswers, AreNoneToAnythingButARequest) {
  for (const mad::Method method :
       {mad::Method::kTrap, mad::Method::kTrapRepress, mad::Method::kGetResp}) {
    EXPECT_FALSE(ask({1}, {mad::smp::kNodeInfo}, method).has_value());
  }
  EXPECT_EQ(devices_.requests(mad::smp::kNodeInfo), 0U);
}

TEST_F(DeviceAnswers, RefuseAClassVersionThatTheyDoNotKnow) {
  mad::MadBytes question = directed({1}, {mad::smp::kNodeInfo});
  question[2] = 2;
  EXPECT_EQ(status_of(devices_.answer(question, std::nullopt)), 0x0004);
}

TEST_F(DeviceAnswers, AreCountedByAttributeAndClass) {
  (void)ask({1}, {mad::smp::kPortInfo, 1});
  (void)ask({1, 5}, {mad::smp::kPortInfo, 1});
  (void)devices_.answer(lid_routed({mad::smp::kPortInfo}), model::Lid{std::uint16_t{1}});
  (void)devices_.answer(performance(mad::pma::kPortRcvErrorDetails, 1),
                        model::Lid{std::uint16_t{1}});
  static_assert(mad::pma::kPortRcvErrorDetails == mad::smp::kPortInfo);
  EXPECT_EQ(devices_.requests(mad::ManagementClass::kSmpDirected, mad::smp::kPortInfo), 2U);
  EXPECT_EQ(devices_.requests(mad::ManagementClass::kSmpLid, mad::smp::kPortInfo), 1U);
  EXPECT_EQ(devices_.requests(mad::ManagementClass::kPerformance, mad::smp::kPortInfo), 1U);
  EXPECT_EQ(devices_.requests(mad::smp::kPortInfo), 4U);
  EXPECT_EQ(devices_.requests(mad::smp::kNodeInfo), 0U);
}

TEST(Fdr10Device, ShowsQdrInPortInfoAndTheTruthInTheVendorsAttribute) {
  const auto shape = *pgft_of({.levels = 1, .radix = 4});
  const auto fabric = std::make_shared<const model::Fabric>(
      *make_pgft(shape, {.fabric_name = "old", .rate = model::parse_link_rate("4xFDR10")}));
  SimulatedFabric devices(fabric, port_at(*fabric, "leaf-0000", 0));
  const auto port = devices.answer(directed({}, {mad::smp::kPortInfo, 1}), std::nullopt).value();
  EXPECT_EQ(mad::to_port(mad::port_info_from_wire(mad::smp_data(port)), PortNum{std::uint8_t{1}})
                .rate.speed,
            model::LinkSpeed::kQdr);
  const auto vendor = [&] {
    return mad::vendor_extended_port_info_from_wire(mad::smp_data(
        devices.answer(directed({}, {mad::smp::kVendorExtendedPortInfo, 1}), std::nullopt)
            .value()));
  };
  EXPECT_EQ(vendor(), (mad::VendorExtendedPortInfo{true, true, true}));
  devices.cut(port_at(*fabric, "leaf-0000", 1));
  EXPECT_EQ(vendor(), (mad::VendorExtendedPortInfo{false, true, true}));
}

}  // namespace
}  // namespace heddle::simulation
