#include "routing/traffic.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::BitsPerSecond;
using model::Fabric;
using testing::Each;
using testing::ElementsAre;

constexpr std::uint64_t kHdr = 200'000'000'000;  // data rate of 4xHDR
constexpr BitsPerSecond kUnknown{10'000'000'000};

//  spine 0 ─1─2─3─4     spine 1 ─1─2─3─4     ft2_k4: leaf i has hosts 2i and 2i + 1 on ports 1, 2
//           │ │ │ │              │ │ │ │     and the spines on 3, 4. D-mod-K: even hosts are
//      leaf 0 1 2 3         leaf 0 1 2 3     reached over spine 0, odd ones over spine 1.
class TrafficTest : public testing::Test {
 protected:
  TrafficTest() : TrafficTest(support::ft2_k4()) {}
  explicit TrafficTest(const Fabric& fabric)
      : fabric_(support::assign_lids(fabric)),
        graph_(support::graph_of(fabric_)),
        structure_(*recognise(fabric_, graph_)),
        all_(graph_),
        ranks_(ranks_by_guid(fabric_, graph_, all_)) {}

  [[nodiscard]] TrafficRates run(const std::vector<Flow>& flows,
                                 const Availability& availability) const {
    Workers workers(1);
    const auto computed = compute_routes(fabric_, graph_, structure_, availability, {}, workers);
    if (!computed) throw std::runtime_error(computed.error().text);
    return traffic_rates(fabric_, graph_, availability, computed->routes.tables, flows, kUnknown);
  }
  [[nodiscard]] std::vector<Flow> flows(Pattern pattern, std::uint64_t seed = 1) const {
    return *flows_of(pattern, ranks_, seed);
  }
  [[nodiscard]] Flow flow(std::size_t from, std::size_t to) const {
    return {ranks_[from], ranks_[to]};
  }
  [[nodiscard]] model::SwitchIndex named(std::string_view name) const {
    return *fabric_.switch_index(*fabric_.find_node(support::node_named(fabric_, name).guid));
  }
  [[nodiscard]] ArcIndex arc(std::string_view name, std::uint8_t port) const {
    return ArcIndex{graph_.target(named(name), model::PortNum{port}).index};
  }

  static std::vector<std::uint64_t> numbers(const TrafficRates& rates) {
    std::vector<std::uint64_t> out;
    for (const FlowRate& flow : rates.flows) out.push_back(flow.rate.value());
    return out;
  }

  Fabric fabric_;
  Graph graph_;
  Structure structure_;
  Availability all_;
  std::vector<TerminalIndex> ranks_;
};

TEST_F(TrafficTest, RanksAreHostsInOrderOfGuidWithoutThoseThatAreAway) {
  ASSERT_EQ(ranks_.size(), 8U);
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    EXPECT_LT(fabric_.key(graph_.terminal(ranks_[i - 1]).port),
              fabric_.key(graph_.terminal(ranks_[i]).port));
  }
  Availability less(graph_);
  less.take_down(ranks_[3]);
  less.take_down(graph_.terminal(ranks_[0]).leaf);
  EXPECT_THAT(ranks_by_guid(fabric_, graph_, less),
              ElementsAre(ranks_[2], ranks_[4], ranks_[5], ranks_[6], ranks_[7]));
}

TEST_F(TrafficTest, AShiftOverAWholeTreeFillsEveryHostsCableAndNothingLimits) {
  const TrafficRates rates = run(flows(Pattern::kShift), all_);
  EXPECT_THAT(numbers(rates), Each(kHdr));
  EXPECT_TRUE(limits_of(ChannelNumbers(graph_), rates).empty());
}

TEST_F(TrafficTest, WithoutOneOfTwoSpinesAShiftGetsHalfAndUplinksLimit) {
  const std::vector<Flow> shift = flows(Pattern::kShift);
  const TrafficRates before = run(shift, all_);
  Availability cut(graph_);
  cut.take_down(named("spine-0000"));
  const TrafficRates after = run(shift, cut);
  EXPECT_THAT(numbers(after), Each(kHdr / 2));
  const std::vector<Limit> limits = limits_of(ChannelNumbers(graph_), after);
  ASSERT_EQ(limits.size(), 4U);  // leaf i port 4 -> spine 1
  for (std::size_t i = 0; i < 4; ++i) {
    const Arc& cable = graph_.arc(ArcIndex{limits[i].channel.index});
    EXPECT_EQ(limits[i].channel.kind, Channel::Kind::kArc);
    EXPECT_EQ(cable.from.value(), i);
    EXPECT_EQ(cable.to, named("spine-0001"));
    EXPECT_EQ(limits[i].flows, 2U);
    EXPECT_EQ(limits[i].rate, BitsPerSecond(kHdr / 2));
  }
  // The four flows to even hosts went over spine 0.
  const PathChanges changes = path_changes(graph_, before, after, cut);
  EXPECT_EQ(changes.rerouted, 4U);
  EXPECT_EQ(changes.interrupted, 4U);
}

TEST_F(TrafficTest, ReceiversCablesLimitWhatSeveralSendToOneHost) {
  // Three to host 0: two from elsewhere, one from its own leaf.
  const TrafficRates rates = run({flow(1, 0), flow(2, 0), flow(4, 0), flow(6, 3)}, all_);
  EXPECT_THAT(numbers(rates), ElementsAre(kHdr / 3, kHdr / 3, kHdr / 3, kHdr));
  const std::vector<Limit> limits = limits_of(ChannelNumbers(graph_), rates);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].channel, (Channel{Channel::Kind::kToTerminal, ranks_[0].value()}));
  EXPECT_EQ(limits[0].flows, 3U);
}

TEST_F(TrafficTest, AReducedCableCarriesItsShareAndADrainedOneNothingThatHasAnotherWay) {
  const std::vector<Flow> one{flow(0, 4)};  // leaf 0 port 3 -> spine 0
  Availability reduced(graph_);
  for (const std::uint8_t port : {std::uint8_t{3}, std::uint8_t{4}}) {
    reduced.set_capacity(graph_, arc("leaf-0000", port), {25});
  }
  EXPECT_THAT(numbers(run(one, reduced)), ElementsAre(kHdr / 4));
  Availability drained(graph_);
  drained.set_capacity(graph_, arc("leaf-0000", 3), {0});
  const TrafficRates around = run(one, drained);
  EXPECT_THAT(numbers(around), ElementsAre(kHdr));
  EXPECT_EQ(flows_over_drained(graph_, around, drained), 0U);
  const PathChanges changes = path_changes(graph_, run(one, all_), around, drained);
  EXPECT_EQ(changes.rerouted, 1U);
  EXPECT_EQ(changes.interrupted, 0U) << "a drained cable goes on until nothing uses it";
}

TEST_F(TrafficTest, ADrainedCableThatNothingReplacesCarriesAllAndIsCounted) {
  Availability drained(graph_);
  drained.set_capacity(graph_, arc("leaf-0000", 3), {0});
  drained.set_capacity(graph_, arc("leaf-0000", 4), {0});
  const TrafficRates rates = run({flow(0, 4), flow(2, 6)}, drained);
  EXPECT_THAT(numbers(rates), ElementsAre(kHdr, kHdr));
  EXPECT_EQ(flows_over_drained(graph_, rates, drained), 1U);
}

TEST_F(TrafficTest, FlowsOfAHostThatIsDownGetNothingAndHaveNoLimit) {
  Availability down(graph_);
  down.take_down(ranks_[0]);
  const TrafficRates rates = run({flow(0, 4), flow(4, 0), flow(1, 5)}, down);
  EXPECT_THAT(numbers(rates), ElementsAre(0, 0, kHdr));
  EXPECT_FALSE(rates.flows[0].limited_by.has_value());
  EXPECT_TRUE(limits_of(ChannelNumbers(graph_), rates).empty());
  EXPECT_EQ(summarise(rates).undelivered, 2U);
  const PathChanges changes =
      path_changes(graph_, run({flow(0, 4), flow(4, 0), flow(1, 5)}, all_), rates, down);
  EXPECT_EQ(changes.rerouted, 0U);
  EXPECT_EQ(changes.interrupted, 2U);
}

TEST(TrafficSummaryTest, CountsLeastMedianAndMeanOfAllAndOfEachJob) {
  TrafficRates rates;
  for (const std::uint64_t rate : {40U, 10U, 0U, 31U}) {
    rates.flows.push_back({BitsPerSecond(rate), std::nullopt});
  }
  const RateSummary all = summarise(rates);
  EXPECT_EQ(all.flows, 4U);
  EXPECT_EQ(all.undelivered, 1U);
  EXPECT_EQ(all.minimum, BitsPerSecond(0));
  EXPECT_EQ(all.median, BitsPerSecond(10)) << "the lower of 10 and 31";
  EXPECT_EQ(all.mean, BitsPerSecond(20)) << "81 / 4 rounded down";
  const Traffic traffic{std::vector<Flow>(4), {1, 0, 1, 1}, {"a", "b", "idle"}};
  const std::vector<RateSummary> jobs = summarise_jobs(traffic, rates);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].minimum, BitsPerSecond(10));
  EXPECT_EQ(jobs[1].minimum, BitsPerSecond(0));
  EXPECT_EQ(jobs[1].median, BitsPerSecond(31));
  EXPECT_EQ(jobs[1].undelivered, 1U);
  EXPECT_EQ(jobs[2].flows, 0U);
}

class LargerTrafficTest : public TrafficTest {
 protected:
  LargerTrafficTest() : TrafficTest(support::ft3_k8()) {}

  /// What each channel carries.
  [[nodiscard]] std::vector<std::uint64_t> load(const TrafficRates& rates) const {
    std::vector<std::uint64_t> sum(ChannelNumbers(graph_).count());
    for (std::size_t f = 0; f < rates.flows.size(); ++f) {
      for (std::uint32_t i = rates.paths.first[f]; i < rates.paths.first[f + 1]; ++i) {
        sum[rates.paths.channels[i]] += rates.flows[f].rate.value();
      }
    }
    return sum;
  }
};

// Bertsekas and Gallager: rates are max-min fair exactly if every flow has a channel that is full
// and on which no flow gets more than it.
TEST_F(LargerTrafficTest, NoFlowCanGrowWithoutLoweringOneThatHasNoMore) {
  const std::uint64_t seed = support::seed_or(11);
  for (std::uint32_t round = 0; round < 8; ++round) {
    const Availability availability =
        support::damaged(graph_, round % 2 == 0 ? 0 : 100, seed + round);
    const TrafficRates rates = run(flows(Pattern::kPermutation, seed + round), availability);
    const std::vector<BitsPerSecond> capacity =
        channel_capacities(fabric_, graph_, availability, kUnknown);
    const std::vector<std::uint64_t> sum = load(rates);
    std::vector<std::uint64_t> greatest(sum.size());
    for (std::size_t f = 0; f < rates.flows.size(); ++f) {
      for (std::uint32_t i = rates.paths.first[f]; i < rates.paths.first[f + 1]; ++i) {
        std::uint64_t& most = greatest[rates.paths.channels[i]];
        most = std::max(most, rates.flows[f].rate.value());
      }
    }
    for (std::size_t c = 0; c < sum.size(); ++c) ASSERT_LE(sum[c], capacity[c].value());
    for (std::size_t f = 0; f < rates.flows.size(); ++f) {
      bool is_held = false;
      for (std::uint32_t i = rates.paths.first[f]; i < rates.paths.first[f + 1]; ++i) {
        const std::uint32_t channel = rates.paths.channels[i];
        // Shares are whole bits: up to one bit a flow stays free.
        const bool full = sum[channel] + rates.flows.size() > capacity[channel].value();
        // A bit is the rounding of shares that are equal.
        is_held |= full && greatest[channel] <= rates.flows[f].rate.value() + 64;
      }
      EXPECT_TRUE(is_held) << "flow " << f << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace heddle::routing
