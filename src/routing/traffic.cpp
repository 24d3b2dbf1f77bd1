#include "routing/traffic.hpp"

#include <algorithm>
#include <tuple>

namespace heddle::routing {

using model::BitsPerSecond;

namespace {

std::span<const std::uint32_t> path_of(const FlowPaths& paths, std::size_t flow) {
  return std::span(paths.channels)
      .subspan(paths.first[flow], paths.first[flow + 1] - paths.first[flow]);
}

RateSummary summary_of(std::vector<std::uint64_t> rates) {
  RateSummary summary;
  summary.flows = rates.size();
  if (rates.empty()) return summary;
  std::ranges::sort(rates);
  summary.undelivered =
      static_cast<std::size_t>(std::ranges::upper_bound(rates, 0U) - rates.begin());
  summary.minimum = BitsPerSecond(rates.front());
  summary.median = BitsPerSecond(rates[(rates.size() - 1) / 2]);
  std::uint64_t sum = 0;  // 2^24 flows of 2^40 bit/s are 2^64; no cable is nearly as fast
  for (const std::uint64_t rate : rates) sum += rate;
  summary.mean = BitsPerSecond(sum / rates.size());
  return summary;
}

bool is_usable(const Graph& graph, const Availability& availability, Channel channel) {
  return channel.kind == Channel::Kind::kArc
             ? availability.usable(graph, ArcIndex{channel.index})
             : availability.usable(graph, TerminalIndex{channel.index});
}

}  // namespace

std::vector<TerminalIndex> ranks_by_guid(const model::Fabric& fabric, const Graph& graph,
                                         const Availability& availability) {
  std::vector<TerminalIndex> ranks;
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const TerminalIndex terminal{t};
    if (graph.terminal(terminal).kind == model::NodeKind::kHostAdapter &&
        availability.usable(graph, terminal)) {
      ranks.push_back(terminal);
    }
  }
  std::ranges::sort(ranks, {}, [&](TerminalIndex t) { return fabric.key(graph.terminal(t).port); });
  return ranks;
}

TrafficRates traffic_rates(const model::Fabric& fabric, const Graph& graph,
                           const Availability& availability, const model::ForwardingTables& tables,
                           const std::vector<Flow>& flows, BitsPerSecond unknown) {
  const ChannelNumbers numbers(graph);
  TrafficRates rates;
  rates.paths = follow(graph, tables, flows);
  const std::vector<BitsPerSecond> capacity =
      channel_capacities(fabric, graph, availability, unknown);
  rates.flows = max_min_rates(numbers, rates.paths, capacity);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    FlowRate& flow = rates.flows[f];
    const auto path = path_of(rates.paths, f);
    const bool has_all =
        !path.empty() && flow.rate == std::min(capacity[path.front()], capacity[path.back()]);
    if (has_all || flow.rate == BitsPerSecond()) flow.limited_by.reset();
  }
  return rates;
}

RateSummary summarise(const TrafficRates& rates) {
  std::vector<std::uint64_t> all;
  all.reserve(rates.flows.size());
  for (const FlowRate& flow : rates.flows) all.push_back(flow.rate.value());
  return summary_of(std::move(all));
}

std::vector<RateSummary> summarise_jobs(const Traffic& traffic, const TrafficRates& rates) {
  std::vector<std::vector<std::uint64_t>> by_job(traffic.jobs.size());
  for (std::size_t f = 0; f < rates.flows.size(); ++f) {
    by_job[traffic.job[f]].push_back(rates.flows[f].rate.value());
  }
  std::vector<RateSummary> out;
  out.reserve(by_job.size());
  for (std::vector<std::uint64_t>& job : by_job) out.push_back(summary_of(std::move(job)));
  return out;
}

std::vector<Limit> limits_of(const ChannelNumbers& numbers, const TrafficRates& rates) {
  std::vector<Limit> by_channel(numbers.count());
  for (const FlowRate& flow : rates.flows) {
    if (!flow.limited_by) continue;
    Limit& limit = by_channel[numbers.number(*flow.limited_by)];
    limit.channel = *flow.limited_by;
    limit.rate = flow.rate;
    ++limit.flows;
  }
  std::erase_if(by_channel, [](const Limit& limit) { return limit.flows == 0; });
  std::ranges::stable_sort(by_channel, [](const Limit& a, const Limit& b) {
    return std::tuple(b.flows, a.rate) < std::tuple(a.flows, b.rate);
  });
  return by_channel;
}

PathChanges path_changes(const Graph& graph, const TrafficRates& before, const TrafficRates& now,
                         const Availability& available_now) {
  const ChannelNumbers numbers(graph);
  PathChanges changes;
  for (std::size_t f = 0; f < before.flows.size(); ++f) {
    if (before.flows[f].rate == BitsPerSecond()) continue;
    const auto old_path = path_of(before.paths, f);
    const auto new_path = path_of(now.paths, f);
    if (now.flows[f].rate != BitsPerSecond() && !std::ranges::equal(old_path, new_path)) {
      ++changes.rerouted;
    }
    if (std::ranges::any_of(old_path, [&](std::uint32_t channel) {
          return !is_usable(graph, available_now, numbers.channel(channel));
        })) {
      ++changes.interrupted;
    }
  }
  return changes;
}

std::size_t flows_over_drained(const Graph& graph, const TrafficRates& rates,
                               const Availability& availability) {
  const ChannelNumbers numbers(graph);
  std::size_t count = 0;
  for (std::size_t f = 0; f < rates.flows.size(); ++f) {
    if (rates.flows[f].rate == BitsPerSecond()) continue;
    const auto path = path_of(rates.paths, f);
    count += std::ranges::any_of(path, [&](std::uint32_t number) {
      const Channel channel = numbers.channel(number);
      return channel.kind == Channel::Kind::kArc &&
             availability.capacity(ArcIndex{channel.index}).value == 0;
    });
  }
  return count;
}

}  // namespace heddle::routing
