#include "discovery/snapshot_gate.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/fabric_builder.hpp"

namespace heddle::discovery {
namespace {

using std::chrono::seconds;

std::shared_ptr<const model::Fabric> fabric_of(std::size_t nodes) {
  model::FabricBuilder builder("test");
  for (std::size_t i = 0; i < nodes; ++i) {
    model::Node node;
    node.guid = model::NodeGuid{std::uint64_t{i + 1}};
    node.port_count = 1;
    builder.add_node(node);
  }
  return std::make_shared<const model::Fabric>(std::move(builder).build());
}

/// One sweep after another, as a small play: what was found when, and what must then be served.
struct Step {
  seconds at{};
  std::size_t found = 0;  ///< nodes; 0 means that the sweep failed
  std::size_t served = 0;
  bool stale = false;
  bool changed = false;
};
struct Play {
  std::string name;
  std::vector<Step> steps;
};

class SnapshotGatePlay : public testing::TestWithParam<Play> {};

TEST_P(SnapshotGatePlay, ServesWhatTheTableSays) {
  SnapshotGate gate({.keep_ratio = 0.5, .accept_after = seconds{900}});
  const std::chrono::steady_clock::time_point start{};
  for (const Step& step : GetParam().steps) {
    SCOPED_TRACE(step.at.count());
    const SnapshotGate::Verdict verdict = step.found == 0
                                              ? gate.failed("no answer from the local port")
                                              : gate.offer(fabric_of(step.found), start + step.at);
    EXPECT_EQ(verdict.served ? verdict.served->nodes().size() : 0, step.served);
    EXPECT_EQ(verdict.stale, step.stale);
    EXPECT_EQ(verdict.changed, step.changed);
    EXPECT_EQ(verdict.reason.empty(), !step.stale);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Plays, SnapshotGatePlay,
    testing::Values(Play{"FirstSnapshotIsServedWhateverItsSize", {{seconds{0}, 1, 1, false, true}}},
                    Play{"EachSweepThatFindsTheFabricIsServed",
                         {{seconds{0}, 10, 10, false, true}, {seconds{10}, 10, 10, false, true}}},
                    Play{"HalfOfTheNodesIsStillGood",
                         {{seconds{0}, 10, 10, false, true}, {seconds{10}, 5, 5, false, true}}},
                    Play{"LessThanHalfIsSuspectUntilTheFabricIsFoundAgain",
                         {{seconds{0}, 10, 10, false, true},
                          {seconds{10}, 4, 10, true, false},
                          {seconds{20}, 4, 10, true, false},
                          {seconds{30}, 9, 9, false, true}}},
                    Play{"TheSmallerOneIsAcceptedAfterTheTime",
                         {{seconds{0}, 10, 10, false, true},
                          {seconds{10}, 4, 10, true, false},
                          {seconds{909}, 4, 10, true, false},
                          {seconds{910}, 4, 4, false, true},
                          {seconds{920}, 4, 4, false, true}}},
                    Play{"AHalvedFabricWithAHostThatFlapsIsAcceptedInTheEnd",
                         {{seconds{0}, 10, 10, false, true},
                          {seconds{10}, 4, 10, true, false},
                          {seconds{800}, 3, 10, true, false},
                          {seconds{805}, 4, 10, true, false},
                          {seconds{910}, 3, 3, false, true},
                          {seconds{920}, 4, 4, false, true}}},
                    Play{"FindingTheFabricForgetsTheSuspicion",
                         {{seconds{0}, 10, 10, false, true},
                          {seconds{10}, 4, 10, true, false},
                          {seconds{20}, 10, 10, false, true},
                          {seconds{915}, 4, 10, true, false}}},
                    Play{"AFailedSweepKeepsWhatIsServed",
                         {{seconds{0}, 10, 10, false, true}, {seconds{10}, 0, 10, true, false}}},
                    Play{"AFailedSweepBreaksTheSightOfTheSmallerOne",
                         {{seconds{0}, 10, 10, false, true},
                          {seconds{10}, 4, 10, true, false},
                          {seconds{500}, 0, 10, true, false},
                          {seconds{910}, 4, 10, true, false},
                          {seconds{1810}, 4, 4, false, true}}},
                    Play{"AFailureBeforeAnySnapshotServesNone",
                         {{seconds{0}, 0, 0, true, false}, {seconds{10}, 3, 3, false, true}}}),
    [](const testing::TestParamInfo<Play>& play) { return play.param.name; });

TEST(SnapshotGate, SaysHowMuchIsMissing) {
  SnapshotGate gate({});
  const std::chrono::steady_clock::time_point start{};
  static_cast<void>(gate.offer(fabric_of(100), start));
  const SnapshotGate::Verdict verdict = gate.offer(fabric_of(7), start + seconds{1});
  EXPECT_NE(verdict.reason.find("7 of 100 nodes"), std::string::npos) << verdict.reason;
}

TEST(SnapshotGate, OfferingTheServedSnapshotAgainChangesNothing) {
  SnapshotGate gate({});
  const std::shared_ptr<const model::Fabric> fabric = fabric_of(3);
  EXPECT_TRUE(gate.offer(fabric, {}).changed);
  EXPECT_FALSE(gate.offer(fabric, {}).changed);
}

}  // namespace
}  // namespace heddle::discovery
