#include <gmock/gmock.h>

#include <limits>
#include <memory>

#include "questions.hpp"
#include "support/topologies.hpp"

namespace heddle::simulation {
namespace {

using model::Counter;
using support::node_named;
using support::port_at;

constexpr std::uint16_t kUnsupported = 0x000C;
constexpr std::uint16_t kInvalidField = 0x001C;

class PerformanceAgent : public testing::Test {
 protected:
  std::optional<mad::MadBytes> ask(std::uint16_t attribute, std::uint8_t port) {
    return devices_.answer(performance(attribute, port), lid_);
  }
  std::uint64_t& counter(std::uint8_t port, Counter counter) {
    return devices_.counters(
        port_at(*fabric_, "leaf-0000", port))[static_cast<std::size_t>(counter)];
  }
  static std::optional<std::uint64_t> reading(const model::CounterSample& sample, Counter counter) {
    for (const model::CounterReading& each : sample.readings()) {
      if (each.counter == counter) return each.raw;
    }
    return std::nullopt;
  }
  model::CounterSample extended(std::uint8_t port) {
    model::CounterSample sample{};
    mad::port_counters_extended_from_wire(
        mad::gmp_data(ask(mad::pma::kPortCountersExtended, port).value()), caps(), sample);
    return sample;
  }
  mad::ClassPortInfo caps() {
    return mad::class_port_info_from_wire(mad::gmp_data(ask(mad::pma::kClassPortInfo, 0).value()));
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::two_switches()));
  SimulatedFabric devices_{fabric_, port_at(*fabric_, "host-00000 HCA-1", 1)};
  model::Lid lid_ =
      *fabric_->management_lid(*fabric_->find_port(port_at(*fabric_, "leaf-0000", 0)));
};

TEST_F(PerformanceAgent, CanDoAllThatRecentDevicesCan) {
  const mad::ClassPortInfo can = caps();
  EXPECT_TRUE(can.extended_width());
  EXPECT_TRUE(can.additional_extended());
  EXPECT_TRUE(can.xmit_wait());
  EXPECT_TRUE(can.all_port_select());
  EXPECT_FALSE(can.qp1_dropped());
}

TEST_F(PerformanceAgent, CountsEachPortForItself) {
  counter(1, Counter::kXmitData) = 123456789012ULL;
  counter(3, Counter::kSymbolErrors) = 70000;
  EXPECT_EQ(reading(extended(1), Counter::kXmitData), 123456789012ULL);
  EXPECT_EQ(reading(extended(1), Counter::kSymbolErrors), 0U);
  EXPECT_EQ(reading(extended(3), Counter::kSymbolErrors), 70000U);
  EXPECT_EQ(reading(extended(2), Counter::kXmitData), 0U);
}

TEST_F(PerformanceAgent, ClipsAtTheWidthOfEachAttribute) {
  counter(1, Counter::kSymbolErrors) = 70000;
  counter(1, Counter::kXmitWait) = 1ULL << 40;
  const auto answer = ask(mad::pma::kPortCounters, 1);
  ASSERT_EQ(status_of(answer), 0);
  EXPECT_EQ(mad::port_select_from_wire(mad::gmp_data(*answer)), model::PortNum{std::uint8_t{1}});
  model::CounterSample sample{};
  mad::port_counters_from_wire(mad::gmp_data(*answer), caps(), sample);
  EXPECT_EQ(reading(sample, Counter::kSymbolErrors), 65535U);
  EXPECT_EQ(reading(sample, Counter::kXmitWait), 0xFFFFFFFFU);
}

TEST_F(PerformanceAgent, TellsTheDetailsOfErrorsAndDiscards) {
  counter(2, Counter::kBufferOverruns) = 5;
  counter(2, Counter::kSwHoqLifetimeDiscards) = 6;
  model::CounterSample errors{};
  mad::port_rcv_error_details_from_wire(
      mad::gmp_data(ask(mad::pma::kPortRcvErrorDetails, 2).value()), errors);
  EXPECT_EQ(reading(errors, Counter::kBufferOverruns), 5U);
  model::CounterSample discards{};
  mad::port_xmit_discard_details_from_wire(
      mad::gmp_data(ask(mad::pma::kPortXmitDiscardDetails, 2).value()), discards);
  EXPECT_EQ(reading(discards, Counter::kSwHoqLifetimeDiscards), 6U);
}

TEST_F(PerformanceAgent, AddsUpAllPortsWhereItCan) {
  counter(1, Counter::kXmitPkts) = 10;
  counter(3, Counter::kXmitPkts) = 32;
  counter(4, Counter::kRcvPkts) = std::numeric_limits<std::uint64_t>::max();
  counter(2, Counter::kRcvPkts) = 1;
  EXPECT_EQ(reading(extended(0xFF), Counter::kXmitPkts), 42U);
  EXPECT_EQ(reading(extended(0xFF), Counter::kRcvPkts), std::numeric_limits<std::uint64_t>::max());

  mad::ClassPortInfo without = caps();
  without.capability_mask = 1U << 9;
  devices_.set_capabilities(node_named(*fabric_, "leaf-0000").guid, without);
  EXPECT_EQ(status_of(ask(mad::pma::kPortCountersExtended, 0xFF)), kInvalidField);
}

TEST_F(PerformanceAgent, RefusesExtendedCountersWithoutTheCapability) {
  devices_.set_capabilities(node_named(*fabric_, "leaf-0000").guid, {});
  EXPECT_EQ(caps(), mad::ClassPortInfo{});
  EXPECT_EQ(status_of(ask(mad::pma::kPortCountersExtended, 1)), kUnsupported);
  EXPECT_EQ(status_of(ask(mad::pma::kPortCounters, 1)), 0);
}

TEST_F(PerformanceAgent, TellsTheTickOfXmitWait) {
  const auto tick = [&] {
    return mad::samples_control_tick_from_wire(
        mad::gmp_data(ask(mad::pma::kPortSamplesControl, 1).value()));
  };
  EXPECT_EQ(tick(), 7);
  devices_.set_wait_tick(node_named(*fabric_, "leaf-0000").guid, 31);
  EXPECT_EQ(tick(), 31);
}

TEST_F(PerformanceAgent, RefusesPortsWithoutCountersUnknownAttributesAndSets) {
  EXPECT_EQ(status_of(ask(mad::pma::kPortCounters, 0)), kInvalidField);
  EXPECT_EQ(status_of(ask(mad::pma::kPortCounters, 5)), kInvalidField);
  EXPECT_EQ(status_of(ask(0x001F, 1)), kUnsupported);
  counter(1, Counter::kXmitPkts) = 10;
  EXPECT_EQ(
      status_of(devices_.answer(performance(mad::pma::kPortCounters, 1, mad::Method::kSet), lid_)),
      kUnsupported);
  EXPECT_EQ(reading(extended(1), Counter::kXmitPkts), 10U);
}

TEST_F(PerformanceAgent, IsNotReachedByADirectedRouteOrAnUnknownClass) {
  EXPECT_FALSE(devices_.answer(performance(mad::pma::kPortCounters, 1), std::nullopt).has_value());
  mad::MadBytes question = performance(mad::pma::kPortCounters, 1);
  question[1] = 0x03;  // subnet administration
  EXPECT_FALSE(devices_.answer(question, lid_).has_value());
}

}  // namespace
}  // namespace heddle::simulation
