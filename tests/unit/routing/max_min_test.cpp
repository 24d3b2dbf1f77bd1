#include "routing/max_min.hpp"

#include <gmock/gmock.h>

#include <random>

#include "routing/flows.hpp"
#include "support/plain_graphs.hpp"
#include "support/simple_routers.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::BitsPerSecond;

/// Numbers for channels that belong to no fabric.
struct Bare {
  explicit Bare(const std::vector<std::vector<std::uint32_t>>& flows) {
    for (const std::vector<std::uint32_t>& channels : flows) {
      paths.channels.insert(paths.channels.end(), channels.begin(), channels.end());
      paths.first.push_back(static_cast<std::uint32_t>(paths.channels.size()));
    }
  }
  FlowPaths paths;
};

std::vector<std::uint64_t> rates(const Graph& graph, const Bare& flows,
                                 std::vector<std::uint64_t> capacity) {
  const ChannelNumbers numbers(graph);
  capacity.resize(numbers.count(), 1'000'000);
  std::vector<BitsPerSecond> limits;
  for (const std::uint64_t c : capacity) limits.emplace_back(c);
  std::vector<std::uint64_t> out;
  for (const FlowRate& rate : max_min_rates(numbers, flows.paths, limits))
    out.push_back(rate.rate.value());
  return out;
}

TEST(MaxMinTest, FlowsOfAFullChannelShareItAndTheOthersTakeTheRest) {
  const Graph graph = support::graph_of(support::assign_lids(support::ft3_k4()));
  // The textbook case: channel 0 holds flows a, b; channel 1 holds b, c; channel 2 holds c alone.
  EXPECT_THAT(rates(graph, Bare({{0}, {0, 1}, {1, 2}}), {90, 300, 1000}),
              testing::ElementsAre(45, 45, 255));
}

TEST(MaxMinTest, AFlowWithoutAPathGetsNothing) {
  const Graph graph = support::graph_of(support::assign_lids(support::ft2_k4()));
  EXPECT_THAT(rates(graph, Bare({{}, {0}}), {70}), testing::ElementsAre(0, 70));
}

TEST(MaxMinTest, AChannelThatIsDownCarriesNothing) {
  const Graph graph = support::graph_of(support::assign_lids(support::ft2_k4()));
  EXPECT_THAT(rates(graph, Bare({{0, 1}, {1}}), {0, 70}), testing::ElementsAre(0, 70));
}

/// The definition, step by step: raise all flows that can still grow until one channel is full.
std::vector<double> slowly(const Bare& flows, const std::vector<std::uint64_t>& capacity) {
  const std::size_t n = flows.paths.first.size() - 1;
  std::vector<double> rate(n, 0);
  std::vector<bool> fixed(n, false);
  std::vector<double> left(capacity.begin(), capacity.end());
  for (;;) {
    std::vector<unsigned> growing(capacity.size());
    for (std::size_t f = 0; f < n; ++f) {
      for (std::uint32_t i = flows.paths.first[f]; i < flows.paths.first[f + 1]; ++i) {
        growing[flows.paths.channels[i]] += fixed[f] ? 0U : 1U;
      }
    }
    double step = -1;
    for (std::size_t c = 0; c < capacity.size(); ++c) {
      if (growing[c] != 0 && (step < 0 || left[c] / growing[c] < step)) step = left[c] / growing[c];
    }
    if (step < 0) return rate;
    for (std::size_t c = 0; c < capacity.size(); ++c) left[c] -= step * growing[c];
    for (std::size_t f = 0; f < n; ++f) {
      if (fixed[f]) continue;
      rate[f] += step;
      for (std::uint32_t i = flows.paths.first[f]; i < flows.paths.first[f + 1]; ++i) {
        if (left[flows.paths.channels[i]] < 1e-6) fixed[f] = true;
      }
    }
  }
}

TEST(MaxMinTest, AgreesWithTheDefinitionOnRandomPaths) {
  const Graph graph = support::graph_of(support::assign_lids(support::ft3_k4()));
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<std::uint32_t>> flows(1 + random() % 30);
    for (auto& flow : flows) {
      for (std::uint32_t c = 0; c < 12; ++c) {
        if (random() % 4 == 0) flow.push_back(c);
      }
      if (flow.empty()) flow.push_back(static_cast<std::uint32_t>(random() % 12));
    }
    std::vector<std::uint64_t> capacity;
    for (int c = 0; c < 12; ++c) capacity.push_back(1'000'000 + random() % 9'000'000);
    const Bare bare(flows);
    const std::vector<std::uint64_t> fast = rates(graph, bare, capacity);
    const std::vector<double> slow = slowly(bare, capacity);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      EXPECT_NEAR(static_cast<double>(fast[f]), slow[f], 32.0)
          << "round " << round << " flow " << f;
    }
  }
}

TEST(FlowsTest, EveryPatternHasTheFlowsOfItsName) {
  std::vector<TerminalIndex> ranks;
  for (std::uint32_t i = 0; i < 6; ++i) ranks.push_back(TerminalIndex{i});
  const auto flows = [&](Pattern pattern) { return *flows_of(pattern, ranks, 3); };
  EXPECT_EQ(flows(Pattern::kRing).size(), 6U);
  EXPECT_EQ(flows(Pattern::kRing).back(), (Flow{TerminalIndex{5U}, TerminalIndex{0U}}));
  EXPECT_EQ(flows(Pattern::kShift).front(), (Flow{TerminalIndex{0U}, TerminalIndex{3U}}));
  EXPECT_EQ(flows(Pattern::kAllToAll).size(), 30U);
  std::vector<unsigned> got(6);
  for (const Flow& flow : flows(Pattern::kPermutation)) {
    EXPECT_NE(flow.source, flow.destination);
    ++got[flow.destination.value()];
  }
  for (const unsigned count : got) EXPECT_LE(count, 1U);
  EXPECT_EQ(flows(Pattern::kPermutation), *flows_of(Pattern::kPermutation, ranks, 3));
}

TEST(FlowsTest, NamesOfPatternsReadBack) {
  for (const Pattern pattern :
       {Pattern::kRing, Pattern::kAllToAll, Pattern::kShift, Pattern::kPermutation}) {
    EXPECT_EQ(*parse_pattern(to_string(pattern)), pattern);
  }
  EXPECT_FALSE(parse_pattern("rings").has_value());
}

TEST(FlowsTest, AnAllToAllTooLargeToHoldIsRefused) {
  EXPECT_FALSE(flows_of(Pattern::kAllToAll, std::vector<TerminalIndex>(5000), 1).has_value());
}

}  // namespace
}  // namespace heddle::routing
