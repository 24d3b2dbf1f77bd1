#include "plugins/opensm/live_lanes.hpp"

#include <gtest/gtest.h>

#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::Lid;
using model::NodeGuid;
using model::PortNum;
using model::Sl;
using model::SlToVl;
using model::SwitchIndex;
using routing::Graph;
using routing::Lanes;

constexpr PortNum port_of(unsigned number) { return PortNum{static_cast<std::uint8_t>(number)}; }
constexpr Sl sl(unsigned number) { return Sl{static_cast<std::uint8_t>(number)}; }

constexpr SlToVl kSwapped{1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

class LiveLanesTest : public testing::Test {
 protected:
  Lanes no_lanes() const {
    return {.levels = routing::PathLevels(graph_.switch_count(), graph_.top_lid()),
            .maps = routing::LaneMaps(graph_)};
  }

  const model::Fabric fabric_ = support::assign_lids(support::ft2_k4());
  const Graph graph_ = support::graph_of(fabric_);
  const SwitchIndex leaf_ = graph_.terminals().front().leaf;
  const Lid here_ = *graph_.terminals().front().lid;  // on leaf_
  const Lid there_ = *graph_.terminals().back().lid;
};

TEST_F(LiveLanesTest, OneLaneLeavesLevelsAndMappingsToOpensm) {
  const LiveLanes lanes(graph_, no_lanes());
  EXPECT_EQ(lanes.level(here_, there_), std::nullopt);
  EXPECT_EQ(lanes.mapping(graph_.guid(leaf_), port_of(1), port_of(3)), std::nullopt);
}

TEST_F(LiveLanesTest, LevelsAreThoseOfTheSwitchThatTheSourceHangsOn) {
  Lanes raised = no_lanes();
  raised.levels.set(leaf_, there_, sl(3));
  const LiveLanes lanes(graph_, std::move(raised));
  const Lid neighbour = *graph_.terminals_of(leaf_).back().lid;
  ASSERT_NE(neighbour, here_);
  EXPECT_EQ(lanes.level(here_, there_), sl(3));
  EXPECT_EQ(lanes.level(neighbour, there_), sl(3));
  EXPECT_EQ(lanes.level(*graph_.lid(leaf_), there_), sl(3)) << "the switch itself sends there too";
  EXPECT_EQ(lanes.level(there_, here_), sl(0));
}

TEST_F(LiveLanesTest, LidsOfNobodyGetTheLevelOfNoDetour) {
  Lanes raised = no_lanes();
  raised.levels.set(leaf_, there_, sl(3));
  const LiveLanes lanes(graph_, std::move(raised));
  const auto beyond = static_cast<std::uint16_t>(graph_.top_lid().value() + 1);
  for (const std::uint16_t lid : {std::uint16_t{0}, beyond, std::uint16_t{0xBFFF},
                                  std::uint16_t{0xC000}, std::uint16_t{0xFFFF}}) {
    EXPECT_EQ(lanes.level(Lid{lid}, there_), sl(0)) << lid;
    EXPECT_EQ(lanes.level(here_, Lid{lid}), sl(0)) << lid;
  }
}

TEST_F(LiveLanesTest, MappingsAreThoseOfTheSwitchWithThatGuidAndVlIsSlElsewhere) {
  Lanes mapped = no_lanes();
  mapped.maps.set(leaf_, port_of(1), port_of(3), kSwapped);
  const LiveLanes lanes(graph_, std::move(mapped));
  const NodeGuid guid = graph_.guid(leaf_);
  EXPECT_EQ(lanes.mapping(guid, port_of(1), port_of(3)), kSwapped);
  EXPECT_EQ(lanes.mapping(guid, port_of(3), port_of(1)), routing::kVlIsSl);
  for (const std::uint8_t port : {std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{255}}) {
    EXPECT_EQ(lanes.mapping(guid, port_of(port), port_of(3)), routing::kVlIsSl) << int{port};
    EXPECT_EQ(lanes.mapping(guid, port_of(1), port_of(port)), routing::kVlIsSl) << int{port};
  }
  for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
    const auto mapping = lanes.mapping(graph_.guid(SwitchIndex{s}), port_of(1), port_of(3));
    EXPECT_EQ(mapping, SwitchIndex{s} == leaf_ ? kSwapped : routing::kVlIsSl) << s;
  }
}

TEST_F(LiveLanesTest, NodesThatAreNoSwitchesHaveNoMapping) {
  Lanes mapped = no_lanes();
  mapped.maps.set(leaf_, port_of(1), port_of(3), kSwapped);
  const LiveLanes lanes(graph_, std::move(mapped));
  const NodeGuid host = fabric_.node(graph_.terminals().front().node).guid;
  for (const std::uint64_t guid : {std::uint64_t{0}, host.value(), ~std::uint64_t{0}}) {
    EXPECT_EQ(lanes.mapping(NodeGuid{guid}, port_of(1), port_of(3)), std::nullopt) << guid;
  }
}

TEST_F(LiveLanesTest, AMappingAloneMakesLevelsBindingAndTheOtherWayRound) {
  Lanes mapped = no_lanes();
  mapped.maps.set(leaf_, port_of(1), port_of(3), kSwapped);
  EXPECT_EQ(LiveLanes(graph_, std::move(mapped)).level(here_, there_), sl(0));
  Lanes raised = no_lanes();
  raised.levels.set(leaf_, there_, sl(1));
  EXPECT_EQ(
      LiveLanes(graph_, std::move(raised)).mapping(graph_.guid(leaf_), port_of(1), port_of(3)),
      routing::kVlIsSl);
}

TEST_F(LiveLanesTest, AFabricOfNothingHasNothingToSay) {
  const Graph empty;
  const LiveLanes lanes(empty, Lanes{});
  EXPECT_EQ(lanes.level(here_, there_), std::nullopt);
  EXPECT_EQ(lanes.mapping(NodeGuid{std::uint64_t{1}}, port_of(1), port_of(2)), std::nullopt);
}

}  // namespace
}  // namespace heddle::plugin
