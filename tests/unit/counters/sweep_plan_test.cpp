#include "counters/sweep_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/counters/small_fabric.hpp"

namespace heddle::counters {
namespace {

namespace pma = mad::pma;
using model::Lid;
using model::NodeGuid;
using model::NodeKind;
using model::PortNum;
using model::PortState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::key;

constexpr std::uint16_t kExtended = 1U << 9;
constexpr std::uint16_t kExtendedNoIetf = 1U << 10;
constexpr std::uint32_t kAdditional = 1U << 1;

mad::ClassPortInfo caps(std::uint16_t mask, std::uint32_t mask2 = 0) {
  mad::ClassPortInfo info;
  info.capability_mask = mask;
  info.capability_mask2 = mask2;
  return info;
}

CounterSweep::Options wanted(bool data, bool errors) {
  CounterSweep::Options options;
  options.data = data;
  options.errors = errors;
  return options;
}

TEST(AttributesToAsk, DataComesFromTheWidestAttributeThatTheNodeHas) {
  const auto data = wanted(true, false);
  EXPECT_THAT(attributes_to_ask(caps(0), data), ElementsAre(pma::kPortCounters));
  EXPECT_THAT(attributes_to_ask(caps(kExtended), data), ElementsAre(pma::kPortCountersExtended));
  EXPECT_THAT(attributes_to_ask(caps(kExtendedNoIetf), data),
              ElementsAre(pma::kPortCountersExtended));
}

TEST(AttributesToAsk, ErrorsComeFromTheExtendedAttributeOnlyWithTheAdditionalSet) {
  const auto errors = wanted(false, true);
  EXPECT_THAT(attributes_to_ask(caps(0), errors), ElementsAre(pma::kPortCounters));
  EXPECT_THAT(attributes_to_ask(caps(kExtended), errors), ElementsAre(pma::kPortCounters));
  EXPECT_THAT(attributes_to_ask(caps(kExtended, kAdditional), errors),
              ElementsAre(pma::kPortCountersExtended));
  EXPECT_THAT(attributes_to_ask(caps(0, kAdditional), errors), ElementsAre(pma::kPortCounters))
      << "additional to an attribute that is not there";
}

TEST(AttributesToAsk, OneAttributeServesBothGroupsWhereItCan) {
  const auto both = wanted(true, true);
  EXPECT_THAT(attributes_to_ask(caps(0), both), ElementsAre(pma::kPortCounters));
  EXPECT_THAT(attributes_to_ask(caps(kExtended), both),
              ElementsAre(pma::kPortCountersExtended, pma::kPortCounters));
  EXPECT_THAT(attributes_to_ask(caps(kExtended, kAdditional), both),
              ElementsAre(pma::kPortCountersExtended));
}

TEST(AttributesToAsk, OptionalOnesComeLast) {
  auto all = wanted(true, true);
  all.details = true;
  all.wait_tick = true;
  EXPECT_THAT(attributes_to_ask(caps(kExtended), all),
              ElementsAre(pma::kPortCountersExtended, pma::kPortCounters, pma::kPortRcvErrorDetails,
                          pma::kPortXmitDiscardDetails, pma::kPortSamplesControl));
  EXPECT_THAT(attributes_to_ask(caps(kExtended), wanted(false, false)), IsEmpty());
}

class PlanSweep : public ::testing::Test {
 protected:
  void add(std::uint64_t guid, NodeKind kind, std::uint8_t ports) {
    model::Node node;
    node.guid = NodeGuid{guid};
    node.kind = kind;
    node.port_count = ports;
    builder_.add_node(node);
  }
  void port(std::uint64_t guid, int number, PortState state, std::optional<std::uint16_t> lid = {},
            bool is_subnet_manager = false) {
    model::Port port;
    port.is_subnet_manager = is_subnet_manager;
    port.number = PortNum{static_cast<std::uint8_t>(number)};
    port.state = state;
    if (lid) port.lid = Lid{*lid};
    builder_.set_port(NodeGuid{guid}, port);
  }
  SweepPlan plan() {
    fabric_ = std::move(builder_).build();
    return plan_sweep(fabric_);
  }
  [[nodiscard]] std::vector<std::string> ports_of(const NodeToAsk& ask) const {
    std::vector<std::string> text;
    for (const PortToAsk& p : ask.ports) {
      text.push_back(fmt::format("{}@{}", fabric_.port(p.port).number, p.lid));
    }
    return text;
  }

  model::FabricBuilder builder_{"test"};
  model::Fabric fabric_;
};

TEST_F(PlanSweep, AsksASwitchAtItsOneLidForItsExternalPortsThatAreUp) {
  add(0x10, NodeKind::kSwitch, 5);
  port(0x10, 0, PortState::kActive, 9);
  port(0x10, 1, PortState::kActive);
  port(0x10, 2, PortState::kDown);
  port(0x10, 3, PortState::kInit);
  port(0x10, 4, PortState::kArmed);
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 1U);
  EXPECT_THAT(ports_of(p.nodes[0]), ElementsAre("1@9", "3@9", "4@9"));
  EXPECT_EQ(p.ports, 3U);
}

TEST_F(PlanSweep, AsksEveryPortOfAnAdapterAtItsOwnLid) {
  add(0x20, NodeKind::kHostAdapter, 3);
  port(0x20, 1, PortState::kActive, 4);
  port(0x20, 2, PortState::kActive);
  port(0x20, 3, PortState::kActive, 6);
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 1U);
  EXPECT_THAT(ports_of(p.nodes[0]), ElementsAre("1@4", "3@6"));
  EXPECT_EQ(p.ports_unreached, 1U);
}

TEST_F(PlanSweep, MarksTheNodesThatASubnetManagerRunsOn) {
  add(0x20, NodeKind::kHostAdapter, 2);
  port(0x20, 1, PortState::kActive, 4);
  port(0x20, 2, PortState::kActive, 5, true);
  add(0x30, NodeKind::kHostAdapter, 1);
  port(0x30, 1, PortState::kActive, 6);
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 2U);
  EXPECT_TRUE(p.nodes[0].has_subnet_manager);
  EXPECT_FALSE(p.nodes[1].has_subnet_manager);
}

TEST_F(PlanSweep, TakesCabledPortsWhoseStateIsNotKnown) {
  add(0x10, NodeKind::kSwitch, 4);
  port(0x10, 0, PortState::kUnknown, 9);
  add(0x20, NodeKind::kRouter, 1);
  port(0x20, 1, PortState::kUnknown, 2);
  builder_.connect(key(0x10, 1), key(0x20, 1));
  builder_.connect_unresolved(key(0x10, 3), std::nullopt, std::nullopt, "somewhere");
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 2U);
  EXPECT_THAT(ports_of(p.nodes[0]), ElementsAre("1@9", "3@9"));
  EXPECT_THAT(ports_of(p.nodes[1]), ElementsAre("1@2"));
}

TEST_F(PlanSweep, LeavesOutACabledPortThatIsDown) {
  add(0x10, NodeKind::kHostAdapter, 1);
  port(0x10, 1, PortState::kDown, 1);
  add(0x20, NodeKind::kHostAdapter, 1);
  port(0x20, 1, PortState::kActive, 2);
  builder_.connect(key(0x10, 1), key(0x20, 1));
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(fabric_.node(p.nodes[0].node).guid, NodeGuid{std::uint64_t{0x20}});
}

TEST_F(PlanSweep, BeginsWithTheNodesThatTakeLongest) {
  add(0x10, NodeKind::kHostAdapter, 1);
  port(0x10, 1, PortState::kActive, 1);
  add(0x20, NodeKind::kSwitch, 2);
  port(0x20, 0, PortState::kActive, 2);
  port(0x20, 1, PortState::kActive);
  port(0x20, 2, PortState::kActive);
  const SweepPlan p = plan();
  ASSERT_EQ(p.nodes.size(), 2U);
  EXPECT_EQ(fabric_.node(p.nodes[0].node).kind, NodeKind::kSwitch);
}

}  // namespace
}  // namespace heddle::counters
