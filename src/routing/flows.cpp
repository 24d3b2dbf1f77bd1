#include "routing/flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "routing/random.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::Result;

namespace {

constexpr std::array kPatterns{std::pair{Pattern::kRing, std::string_view{"ring"}},
                               std::pair{Pattern::kAllToAll, std::string_view{"all-to-all"}},
                               std::pair{Pattern::kShift, std::string_view{"shift"}},
                               std::pair{Pattern::kPermutation, std::string_view{"permutation"}}};
constexpr std::uint64_t kMostFlows = std::uint64_t{1} << 24U;
/// No path of a sound table is longer; what is goes in circles.
constexpr std::size_t kMostHops = 64;

}  // namespace

std::string_view to_string(Pattern pattern) noexcept {
  for (const auto& [value, name] : kPatterns) {
    if (value == pattern) return name;
  }
  return "unknown";
}

Result<Pattern> parse_pattern(std::string_view text) {
  for (const auto& [value, name] : kPatterns) {
    if (name == text) return value;
  }
  return fail(Errc::kInvalidInput,
              fmt::format("'{}' is no pattern: ring, all-to-all, shift or permutation", text));
}

Result<std::vector<Flow>> flows_of(Pattern pattern, const std::vector<TerminalIndex>& ranks,
                                   std::uint64_t seed) {
  const std::size_t n = ranks.size();
  std::vector<Flow> flows;
  if (n < 2) return flows;
  if (pattern == Pattern::kAllToAll) {
    if (std::uint64_t{n} * (n - 1) > kMostFlows) {
      return fail(Errc::kInvalidInput,
                  fmt::format("an all-to-all of {} ranks has more than {} flows", n, kMostFlows));
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 1; k < n; ++k) flows.push_back({ranks[i], ranks[(i + k) % n]});
    }
    return flows;
  }
  SplitMix64 random(seed);
  const std::vector<std::uint32_t> order = pattern == Pattern::kPermutation
                                               ? random_order(static_cast<std::uint32_t>(n), random)
                                               : std::vector<std::uint32_t>{};
  const std::size_t shift = pattern == Pattern::kRing ? 1 : n / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t to = order.empty() ? (i + shift) % n : order[i];
    if (to != i) flows.push_back({ranks[i], ranks[to]});
  }
  return flows;
}

FlowPaths follow(const Graph& graph, const model::ForwardingTables& tables,
                 const std::vector<Flow>& flows) {
  const ChannelNumbers numbers(graph);
  FlowPaths paths;
  paths.first.reserve(flows.size() + 1);
  for (const Flow& flow : flows) {
    const Terminal& destination = graph.terminal(flow.destination);
    const std::size_t begin = paths.channels.size();
    bool delivered = false;
    if (destination.lid) {
      paths.channels.push_back(numbers.number({Channel::Kind::kFromTerminal, flow.source.value()}));
      model::SwitchIndex at = graph.terminal(flow.source).leaf;
      while (paths.channels.size() - begin < kMostHops) {
        const std::optional<model::PortNum> exit = tables.port(at, *destination.lid);
        const PortTarget target = exit ? graph.target(at, *exit) : PortTarget{};
        if (target.kind == PortTarget::Kind::kNothing) break;
        if (target.kind == PortTarget::Kind::kTerminal) {
          delivered = target.index == flow.destination.value();
          paths.channels.push_back(numbers.number({Channel::Kind::kToTerminal, target.index}));
          break;
        }
        paths.channels.push_back(target.index);
        at = graph.arc(ArcIndex{target.index}).to;
      }
    }
    if (!delivered) paths.channels.resize(begin);
    paths.first.push_back(static_cast<std::uint32_t>(paths.channels.size()));
  }
  return paths;
}

}  // namespace heddle::routing
