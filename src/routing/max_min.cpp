#include "routing/max_min.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "routing/rated_capacity.hpp"

namespace heddle::routing {

using model::BitsPerSecond;

std::vector<BitsPerSecond> channel_capacities(const model::Fabric& fabric, const Graph& graph,
                                              const Availability& availability,
                                              BitsPerSecond unknown) {
  const ChannelNumbers numbers(graph);
  std::vector<BitsPerSecond> capacity(numbers.count());
  const auto rate_of = [&](const model::Port& port) {
    return model::data_rate(port.rate).value_or(unknown);
  };
  const std::vector<BitsPerSecond> siblings = sibling_rates(fabric, graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    const std::optional<model::PortIndex> exit =
        fabric.find_port(fabric.node_of(arc.from), arc.exit);
    if (!exit || !availability.usable(graph, ArcIndex{a})) continue;
    const std::uint64_t rate = rate_of(fabric.port(*exit)).value();
    const CapacityPercent share = availability.capacity(ArcIndex{a});
    // A drain turns routes away from a cable; what has no other way is not throttled by it.
    const std::uint64_t whole = siblings.empty() ? rate : std::max(rate, siblings[a].value());
    capacity[a] =
        BitsPerSecond(share.value == 0 ? rate : std::min(rate, whole * share.value / 100));
  }
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (!availability.usable(graph, TerminalIndex{t})) continue;
    const BitsPerSecond rate = rate_of(fabric.port(graph.terminal(TerminalIndex{t}).port));
    capacity[numbers.number({Channel::Kind::kFromTerminal, t})] = rate;
    capacity[numbers.number({Channel::Kind::kToTerminal, t})] = rate;
  }
  return capacity;
}

std::vector<FlowRate> max_min_rates(const ChannelNumbers& numbers, const FlowPaths& paths,
                                    const std::vector<BitsPerSecond>& capacity) {
  const std::size_t flows = paths.first.size() - 1;
  std::vector<FlowRate> rates(flows);
  // Flows of each channel, flat.
  std::vector<std::uint32_t> first(numbers.count() + 1);
  for (const std::uint32_t channel : paths.channels) ++first[channel + 1];
  for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
  std::vector<std::uint32_t> next = first;
  std::vector<std::uint32_t> flows_of(paths.channels.size());
  for (std::uint32_t f = 0; f < flows; ++f) {
    for (std::uint32_t i = paths.first[f]; i < paths.first[f + 1]; ++i) {
      flows_of[next[paths.channels[i]]++] = f;
    }
  }
  std::vector<std::uint64_t> left(numbers.count());
  std::vector<std::uint32_t> growing(numbers.count());
  // The channel that fills first; entries that are out of date are put right when they come up: a
  // share only grows.
  using Entry = std::tuple<std::uint64_t, std::uint32_t>;  // fair share, channel
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t c = 0; c < numbers.count(); ++c) {
    left[c] = capacity[c].value();
    growing[c] = first[c + 1] - first[c];
    if (growing[c] != 0) queue.emplace(left[c] / growing[c], c);
  }
  std::vector<std::uint8_t> settled(flows);
  while (!queue.empty()) {
    const auto [share, channel] = queue.top();
    queue.pop();
    if (growing[channel] == 0) continue;
    const std::uint64_t now = left[channel] / growing[channel];
    if (now != share) {
      queue.emplace(now, channel);
      continue;
    }
    for (std::uint32_t i = first[channel]; i < first[channel + 1]; ++i) {
      const std::uint32_t flow = flows_of[i];
      if (settled[flow] != 0) continue;
      settled[flow] = 1;
      rates[flow] = {BitsPerSecond(share), numbers.channel(channel)};
      for (std::uint32_t k = paths.first[flow]; k < paths.first[flow + 1]; ++k) {
        left[paths.channels[k]] -= share;
        --growing[paths.channels[k]];
      }
    }
  }
  return rates;
}

}  // namespace heddle::routing
