#include <gmock/gmock.h>

#include <memory>

#include "questions.hpp"
#include "support/topologies.hpp"

// Where directed-route packets get to. ft2_k4: host 0 is on leaf 0 port 1; port 3 of a leaf leads
// to spine 0, whose port i + 1 leads to leaf i.
namespace heddle::simulation {
namespace {

using support::node_named;
using support::port_at;

class DirectedRoutes : public testing::Test {
 protected:
  /// Description of the node at the end of the route, empty if nothing answers.
  std::string at_end_of(std::initializer_list<std::uint8_t> exits) {
    const auto answer =
        devices_.answer(directed(exits, {mad::smp::kNodeDescription}), std::nullopt);
    return answer ? mad::node_description_from_wire(mad::smp_data(*answer)) : std::string{};
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::ft2_k4());
  SimulatedFabric devices_{fabric_, port_at(*fabric_, "host-00000 HCA-1", 1)};
};

TEST_F(DirectedRoutes, LeadAlongTheCables) {
  EXPECT_EQ(at_end_of({}), "host-00000 HCA-1");
  EXPECT_EQ(at_end_of({1}), "leaf-0000");
  EXPECT_EQ(at_end_of({1, 2}), "host-00001 HCA-1");
  EXPECT_EQ(at_end_of({1, 3}), "spine-0000");
  EXPECT_EQ(at_end_of({1, 4, 4}), "leaf-0003");
  EXPECT_EQ(at_end_of({1, 4, 4, 2}), "host-00007 HCA-1");
  EXPECT_EQ(at_end_of({1, 3, 2, 4, 1, 1}), "host-00000 HCA-1");
}

TEST_F(DirectedRoutes, BringBackTheirReturnPathAndTransaction) {
  const mad::MadBytes question = directed({1, 4, 4, 2}, {mad::smp::kNodeInfo});
  const auto answer = devices_.answer(question, std::nullopt);
  ASSERT_TRUE(answer.has_value());
  const mad::Header header = mad::header_from_wire(*answer);
  EXPECT_EQ(header.method, static_cast<std::uint8_t>(mad::Method::kGetResp));
  EXPECT_EQ(header.transaction_id, mad::header_from_wire(question).transaction_id);
  EXPECT_EQ((*answer)[4], 0x80) << "direction bit";
  EXPECT_EQ((*answer)[6], 0) << "hop pointer, all the way back";
  EXPECT_EQ((*answer)[7], 4) << "hop count";
  EXPECT_EQ(mad::route_from_wire(*answer), mad::route_from_wire(question));
  // Leaf 0 by 1, spine 1 by 1, leaf 3 by 4, host 7 by 1.
  EXPECT_THAT(std::vector<int>(answer->begin() + 193, answer->begin() + 197),
              testing::ElementsAre(1, 1, 4, 1));
}

TEST_F(DirectedRoutes, TellByWhichPortTheQuestionCameIn) {
  const auto answer = devices_.answer(directed({1, 4, 4}, {mad::smp::kNodeInfo}), std::nullopt);
  ASSERT_TRUE(answer.has_value());
  const mad::NodeInfo info = mad::node_info_from_wire(mad::smp_data(*answer));
  EXPECT_EQ(info.local_port, model::PortNum{std::uint8_t{4}});
  EXPECT_EQ(info.node_guid, node_named(*fabric_, "leaf-0003").guid);
}

TEST_F(DirectedRoutes, EndInSilenceWhereTheyLeaveTheFabric) {
  EXPECT_EQ(at_end_of({2}), "") << "not the port that the questioner sits on";
  EXPECT_EQ(at_end_of({1, 1, 1}), "") << "hosts pass nothing on";
  EXPECT_EQ(at_end_of({1, 5}), "") << "no such port";
  EXPECT_EQ(at_end_of({1, 0}), "") << "no cable at port 0";
}

TEST_F(DirectedRoutes, EndInSilenceAtACutUntilItIsRestored) {
  devices_.cut(port_at(*fabric_, "spine-0000", 1));
  EXPECT_EQ(at_end_of({1, 3}), "");
  EXPECT_EQ(at_end_of({1, 4}), "spine-0001");
  devices_.restore(port_at(*fabric_, "leaf-0000", 3));
  EXPECT_EQ(at_end_of({1, 3}), "spine-0000");
}

TEST_F(DirectedRoutes, FollowCablesThatHaveChangedPlaces) {
  devices_.swap_cables(port_at(*fabric_, "spine-0000", 2), port_at(*fabric_, "spine-0000", 3));
  EXPECT_EQ(at_end_of({1, 3, 2}), "leaf-0002");
  EXPECT_EQ(at_end_of({1, 3, 3}), "leaf-0001");
  EXPECT_EQ(at_end_of({1, 4, 2, 3, 3}), "leaf-0001") << "and back over the moved cable";
  devices_.cut(port_at(*fabric_, "spine-0000", 2));
  EXPECT_EQ(at_end_of({1, 4, 3, 3}), "") << "the cable that is there now is cut";
  EXPECT_EQ(at_end_of({1, 4, 2, 3}), "spine-0000");
  devices_.restore(port_at(*fabric_, "leaf-0002", 3));
  devices_.swap_cables(port_at(*fabric_, "leaf-0001", 3), port_at(*fabric_, "leaf-0002", 3));
  EXPECT_EQ(at_end_of({1, 3, 2}), "leaf-0001") << "as it was";
}

TEST_F(DirectedRoutes, AreLostInAMuteSwitchAndPassBesideIt) {
  devices_.mute(node_named(*fabric_, "spine-0000").guid);
  EXPECT_EQ(at_end_of({1, 3}), "");
  EXPECT_EQ(at_end_of({1, 3, 2}), "");
  EXPECT_EQ(at_end_of({1, 4, 2}), "leaf-0001");
  devices_.unmute(node_named(*fabric_, "spine-0000").guid);
  EXPECT_EQ(at_end_of({1, 3, 2}), "leaf-0001");
}

TEST_F(DirectedRoutes, LeaveTheQuestionersPortEvenIfItsOwnAgentIsMute) {
  devices_.mute(node_named(*fabric_, "host-00000 HCA-1").guid);
  EXPECT_EQ(at_end_of({}), "");
  EXPECT_EQ(at_end_of({1}), "leaf-0000");
}

TEST_F(DirectedRoutes, EndInSilenceWithAHopCountThatNoRouteHas) {
  mad::MadBytes question = directed({1}, {mad::smp::kNodeInfo});
  question[7] = 64;
  EXPECT_FALSE(devices_.answer(question, std::nullopt).has_value());
}

TEST(DirectedRoutesFromASwitch, LeaveByAnyPort) {
  const auto fabric = std::make_shared<const model::Fabric>(support::two_switches());
  SimulatedFabric devices(fabric, port_at(*fabric, "leaf-0000", 0));
  const auto answer = devices.answer(directed({3, 2}, {mad::smp::kNodeDescription}), std::nullopt);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(mad::node_description_from_wire(mad::smp_data(*answer)), "host-00003 HCA-1");
}

}  // namespace
}  // namespace heddle::simulation
