#include "mad/pma.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "field_tables.hpp"

namespace heddle::mad {
namespace {

using model::Counter;
using Data = std::array<std::uint8_t, kGmpDataSize>;

constexpr std::uint16_t kExtendedWidth = 1U << 9;
constexpr std::uint16_t kNoIetf = 1U << 10;
constexpr std::uint16_t kXmitWait = 1U << 12;
constexpr std::uint16_t kQp1Dropped = 1U << 15;
constexpr std::uint32_t kAdditional = 1U << 1;

struct CounterField {
  Counter counter;
  MAD_FIELDS field;
  unsigned bits;
};

const std::vector<CounterField> kPortCounterFields{
    {Counter::kSymbolErrors, IB_PC_ERR_SYM_F, 16},
    {Counter::kLinkErrorRecovery, IB_PC_LINK_RECOVERS_F, 8},
    {Counter::kLinkDowned, IB_PC_LINK_DOWNED_F, 8},
    {Counter::kRcvErrors, IB_PC_ERR_RCV_F, 16},
    {Counter::kRcvRemotePhysicalErrors, IB_PC_ERR_PHYSRCV_F, 16},
    {Counter::kRcvSwitchRelayErrors, IB_PC_ERR_SWITCH_REL_F, 16},
    {Counter::kXmitDiscards, IB_PC_XMT_DISCARDS_F, 16},
    {Counter::kXmitConstraintErrors, IB_PC_ERR_XMTCONSTR_F, 8},
    {Counter::kRcvConstraintErrors, IB_PC_ERR_RCVCONSTR_F, 8},
    {Counter::kLocalLinkIntegrityErrors, IB_PC_ERR_LOCALINTEG_F, 4},
    {Counter::kExcessiveBufferOverruns, IB_PC_ERR_EXCESS_OVR_F, 4},
    {Counter::kVl15Dropped, IB_PC_VL15_DROPPED_F, 16},
    {Counter::kXmitData, IB_PC_XMT_BYTES_F, 32},
    {Counter::kRcvData, IB_PC_RCV_BYTES_F, 32},
    {Counter::kXmitPkts, IB_PC_XMT_PKTS_F, 32},
    {Counter::kRcvPkts, IB_PC_RCV_PKTS_F, 32},
    {Counter::kXmitWait, IB_PC_XMT_WAIT_F, 32}};

const std::vector<CounterField> kExtendedFields{
    {Counter::kXmitData, IB_PC_EXT_XMT_BYTES_F, 64},
    {Counter::kRcvData, IB_PC_EXT_RCV_BYTES_F, 64},
    {Counter::kXmitPkts, IB_PC_EXT_XMT_PKTS_F, 64},
    {Counter::kRcvPkts, IB_PC_EXT_RCV_PKTS_F, 64},
    {Counter::kUnicastXmitPkts, IB_PC_EXT_XMT_UPKTS_F, 64},
    {Counter::kUnicastRcvPkts, IB_PC_EXT_RCV_UPKTS_F, 64},
    {Counter::kMulticastXmitPkts, IB_PC_EXT_XMT_MPKTS_F, 64},
    {Counter::kMulticastRcvPkts, IB_PC_EXT_RCV_MPKTS_F, 64},
    {Counter::kSymbolErrors, IB_PC_EXT_ERR_SYM_F, 64},
    {Counter::kLinkErrorRecovery, IB_PC_EXT_LINK_RECOVERS_F, 64},
    {Counter::kLinkDowned, IB_PC_EXT_LINK_DOWNED_F, 64},
    {Counter::kRcvErrors, IB_PC_EXT_ERR_RCV_F, 64},
    {Counter::kRcvRemotePhysicalErrors, IB_PC_EXT_ERR_PHYSRCV_F, 64},
    {Counter::kRcvSwitchRelayErrors, IB_PC_EXT_ERR_SWITCH_REL_F, 64},
    {Counter::kXmitDiscards, IB_PC_EXT_XMT_DISCARDS_F, 64},
    {Counter::kXmitConstraintErrors, IB_PC_EXT_ERR_XMTCONSTR_F, 64},
    {Counter::kRcvConstraintErrors, IB_PC_EXT_ERR_RCVCONSTR_F, 64},
    {Counter::kLocalLinkIntegrityErrors, IB_PC_EXT_ERR_LOCALINTEG_F, 64},
    {Counter::kExcessiveBufferOverruns, IB_PC_EXT_ERR_EXCESS_OVR_F, 64},
    {Counter::kVl15Dropped, IB_PC_EXT_VL15_DROPPED_F, 64},
    {Counter::kXmitWait, IB_PC_EXT_XMT_WAIT_F, 64},
    {Counter::kQp1Dropped, IB_PC_EXT_QP1_DROP_F, 64}};

const std::vector<CounterField> kRcvErrorDetailFields{
    {Counter::kLocalPhysicalErrors, IB_PC_RCV_LOCAL_PHY_ERR_F, 16},
    {Counter::kMalformedPackets, IB_PC_RCV_MALFORMED_PKT_ERR_F, 16},
    {Counter::kBufferOverruns, IB_PC_RCV_BUF_OVR_ERR_F, 16},
    {Counter::kDlidMappingErrors, IB_PC_RCV_DLID_MAP_ERR_F, 16},
    {Counter::kVlMappingErrors, IB_PC_RCV_VL_MAP_ERR_F, 16},
    {Counter::kLoopingErrors, IB_PC_RCV_LOOPING_ERR_F, 16}};

const std::vector<CounterField> kXmitDiscardDetailFields{
    {Counter::kInactiveDiscards, IB_PC_XMT_INACT_DISC_F, 16},
    {Counter::kNeighborMtuDiscards, IB_PC_XMT_NEIGH_MTU_DISC_F, 16},
    {Counter::kSwLifetimeDiscards, IB_PC_XMT_SW_LIFE_DISC_F, 16},
    {Counter::kSwHoqLifetimeDiscards, IB_PC_XMT_SW_HOL_DISC_F, 16}};

const model::CounterReading* find(const model::CounterSample& sample, Counter counter) {
  const auto found = std::ranges::find(sample.readings(), counter, &model::CounterReading::counter);
  return found == sample.readings().end() ? nullptr : &*found;
}

std::uint64_t largest(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }

/// Both directions against libibmad, with values past the fields' widths on the way out.
void expect_layout(const std::vector<CounterField>& fields,
                   const std::function<void(GmpData, model::CounterSample&)>& read,
                   const std::function<void(const DeviceCounters&, GmpDataOut)>& write) {
  std::mt19937_64 random = test::random_source();
  for (int round = 0; round < 200; ++round) {
    Data data;
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint64_t> values;
    for (const CounterField& f : fields) {
      values.push_back(test::random_value(random, f.bits));
      test::set_theirs(data, f.field, f.bits, values.back());
    }
    model::CounterSample sample;
    read(data, sample);
    ASSERT_EQ(sample.readings().size(), fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto* const reading = find(sample, fields[i].counter);
      ASSERT_NE(reading, nullptr) << mad_field_name(fields[i].field);
      ASSERT_EQ(reading->raw, values[i]) << mad_field_name(fields[i].field);
      ASSERT_EQ(reading->width_bits, fields[i].bits) << mad_field_name(fields[i].field);
    }

    DeviceCounters counters{};
    for (std::uint64_t& value : counters) value = random() >> (random() % 64);
    data.fill(0);
    write(counters, data);
    for (const CounterField& f : fields) {
      ASSERT_EQ(test::get_theirs(data, f.field, f.bits),
                std::min(counters[static_cast<std::size_t>(f.counter)], largest(f.bits)))
          << mad_field_name(f.field);
    }
  }
}

TEST(PmaLayout, PortCountersAreWhereLibibmadHasThem) {
  expect_layout(
      kPortCounterFields,
      [](GmpData data, model::CounterSample& sample) {
        port_counters_from_wire(data, {.capability_mask = kXmitWait}, sample);
      },
      port_counters_to_wire);
}

// libibmad's own entry for this field lacks its conversion of bit offsets and reads VL15Dropped.
TEST(PmaLayout, Qp1DroppedStandsBeforeVl15Dropped) {
  Data data{};
  data[20] = 0x12, data[21] = 0x34, data[22] = 0x56, data[23] = 0x78;
  model::CounterSample sample;
  port_counters_from_wire(data, {.capability_mask = kQp1Dropped}, sample);
  ASSERT_NE(find(sample, Counter::kQp1Dropped), nullptr);
  EXPECT_EQ(find(sample, Counter::kQp1Dropped)->raw, 0x1234U);
  EXPECT_EQ(find(sample, Counter::kVl15Dropped)->raw, 0x5678U);
}

TEST(PmaLayout, PortCountersExtendedAreWhereLibibmadHasThem) {
  const ClassPortInfo all{.capability_mask = kExtendedWidth | kXmitWait | kQp1Dropped,
                          .capability_mask2 = kAdditional};
  expect_layout(
      kExtendedFields,
      [&](GmpData data, model::CounterSample& sample) {
        port_counters_extended_from_wire(data, all, sample);
      },
      [&](const DeviceCounters& counters, GmpDataOut data) {
        port_counters_extended_to_wire(counters, all, data);
      });
}

TEST(PmaLayout, DetailsAreWhereLibibmadHasThem) {
  expect_layout(kRcvErrorDetailFields, port_rcv_error_details_from_wire,
                port_rcv_error_details_to_wire);
  expect_layout(kXmitDiscardDetailFields, port_xmit_discard_details_from_wire,
                port_xmit_discard_details_to_wire);
}

TEST(PmaLayout, ClassPortInfoIsWhereLibibmadHasIt) {
  test::expect_same_layout<kGmpDataSize, ClassPortInfo>(
      {test::field(IB_CPI_BASEVER_F, 8, &ClassPortInfo::base_version),
       test::field(IB_CPI_CLASSVER_F, 8, &ClassPortInfo::class_version),
       test::field(IB_CPI_CAPMASK_F, 16, &ClassPortInfo::capability_mask),
       test::field(IB_CPI_CAPMASK2_F, 27, &ClassPortInfo::capability_mask2),
       test::field(IB_CPI_RESP_TIME_VALUE_F, 5, &ClassPortInfo::response_time)},
      class_port_info_from_wire,
      [](const ClassPortInfo& info, GmpDataOut data) { to_wire(info, data); });
}

TEST(PmaLayout, PortSelectAndTickAreWhereLibibmadHasThem) {
  Data data{};
  port_select_to_wire(model::PortNum{std::uint8_t{37}}, data);
  samples_control_tick_to_wire(31, data);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_PC_PORT_SELECT_F), 37U);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_PSC_PORT_SELECT_F), 37U);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_PSC_TICK_F), 31U);
  EXPECT_EQ(port_select_from_wire(data), model::PortNum{std::uint8_t{37}});
  EXPECT_EQ(samples_control_tick_from_wire(data), 31);
}

TEST(PortCounters, HoldDataOnlyForDevicesWithoutExtendedCounters) {
  const Data data{};
  model::CounterSample plain;
  port_counters_from_wire(data, {}, plain);
  EXPECT_NE(find(plain, Counter::kXmitData), nullptr);
  EXPECT_EQ(find(plain, Counter::kXmitWait), nullptr);
  EXPECT_EQ(find(plain, Counter::kQp1Dropped), nullptr);
  for (const std::uint16_t width : {kExtendedWidth, kNoIetf}) {
    model::CounterSample sample;
    port_counters_from_wire(data, {.capability_mask = width}, sample);
    EXPECT_EQ(find(sample, Counter::kXmitData), nullptr);
    EXPECT_NE(find(sample, Counter::kSymbolErrors), nullptr);
  }
}

TEST(PortCountersExtended, HoldWhatTheCapabilitiesSay) {
  const Data data{};
  const auto count = [&](std::uint16_t mask, std::uint32_t mask2) {
    model::CounterSample sample;
    port_counters_extended_from_wire(data, {.capability_mask = mask, .capability_mask2 = mask2},
                                     sample);
    return sample.readings().size();
  };
  EXPECT_EQ(count(0, 0), 0U);
  EXPECT_EQ(count(kNoIetf, 0), 4U);
  EXPECT_EQ(count(kExtendedWidth, 0), 8U);
  EXPECT_EQ(count(kExtendedWidth, kAdditional), 20U);
  EXPECT_EQ(count(kExtendedWidth | kXmitWait, kAdditional), 21U);
  EXPECT_EQ(count(kExtendedWidth | kXmitWait | kQp1Dropped, kAdditional), 22U);
}

}  // namespace
}  // namespace heddle::mad
