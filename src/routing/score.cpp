#include "routing/score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "routing/hop_table.hpp"
#include "routing/per_thread.hpp"
#include "routing/random.hpp"
#include "routing/sources.hpp"
#include "routing/tree_walk.hpp"

namespace heddle::routing {

using model::Lid;
using model::SwitchIndex;

namespace {

struct Flow {
  std::uint32_t from;  ///< ranks
  std::uint32_t to;
};

struct Outcome {
  std::uint32_t greatest_load = 0;
  double mean_share = 0;  ///< of what flows get
};

/// Loads the channels with sets of flows, one set after the other. Memory of one thread.
class Traffic {
 public:
  Traffic(const Graph& graph, const std::vector<double>& weight, const HopTable& hops,
          const model::ForwardingTables& tables, const std::vector<TerminalIndex>& ranks,
          std::uint8_t max_hops)
      : graph_(graph),
        weight_(weight),
        hops_(hops),
        tables_(tables),
        ranks_(ranks),
        max_hops_(max_hops),
        load_(graph.arcs().size()) {}

  /// Each rank sends at most once and receives at most once, so that only channels between
  /// switches can carry several.
  Outcome run(const std::vector<Flow>& flows) {
    std::ranges::fill(load_, 0U);
    arcs_.clear();
    ends_.clear();
    for (const Flow& flow : flows) add(flow);
    Outcome outcome;
    double sum = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      double most = 1;
      for (; begin < end; ++begin) {
        most = std::max(most, load_[arcs_[begin]] * weight_[arcs_[begin]]);
      }
      constexpr double kRounding = 1e-9;  // 59 flows at 59 % are a load of 100
      outcome.greatest_load =
          std::max(outcome.greatest_load, static_cast<std::uint32_t>(std::ceil(most - kRounding)));
      sum += 1.0 / most;
    }
    if (!ends_.empty()) outcome.mean_share = sum / static_cast<double>(ends_.size());
    return outcome;
  }

 private:
  void add(const Flow& flow) {
    const Terminal& to = graph_.terminal(ranks_[flow.to]);
    if (flow.from == flow.to || !to.lid) return;
    const TableColumn column(tables_, *to.lid);
    const std::size_t begin = arcs_.size();
    std::uint32_t at = graph_.terminal(ranks_[flow.from]).leaf.value();
    for (std::uint32_t cables = 2; cables <= max_hops_; ++cables) {
      const HopTable::Hop hop = hops_.at(at, column[at]);
      if (hop.to == HopTable::Hop::kNothing) break;
      if (hop.to == HopTable::Hop::kTerminal) {
        if (hop.index != ranks_[flow.to].value()) break;
        for (std::size_t i = begin; i < arcs_.size(); ++i) ++load_[arcs_[i]];
        ends_.push_back(arcs_.size());
        return;
      }
      arcs_.push_back(hop.index);
      at = hop.to;
    }
    arcs_.resize(begin);
  }

  const Graph& graph_;
  const std::vector<double>& weight_;  ///< of a flow on a channel, by ArcIndex
  const HopTable& hops_;
  const model::ForwardingTables& tables_;
  const std::vector<TerminalIndex>& ranks_;
  std::uint8_t max_hops_;
  std::vector<std::uint32_t> load_;  ///< by ArcIndex
  std::vector<std::uint32_t> arcs_;  ///< of the delivered flows' paths, one after the other
  std::vector<std::size_t> ends_;    ///< of the paths in arcs_
};

/// 1 for cables of full capacity, and for drained ones, which are not throttled.
std::vector<double> weights(const Graph& graph, const Availability& availability) {
  std::vector<double> weight;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const unsigned percent = availability.capacity(ArcIndex{a}).value;
    weight.push_back(percent == 0 ? 1.0 : 100.0 / percent);
  }
  return weight;
}

std::vector<Flow> shift(std::uint32_t ranks, std::uint32_t by) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < ranks; ++i) flows.push_back({i, (i + by) % ranks});
  return flows;
}

std::vector<Flow> permutation(const std::vector<std::uint32_t>& order) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < order.size(); ++i) flows.push_back({i, order[i]});
  return flows;
}

std::vector<Flow> bisection(const std::vector<std::uint32_t>& order) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i + 1 < order.size(); i += 2) {
    flows.push_back({order[i], order[i + 1]});
    flows.push_back({order[i + 1], order[i]});
  }
  return flows;
}

/// The k of the shifts to try: all, or as many as wanted by lot.
std::vector<std::uint32_t> choose_shifts(std::uint32_t ranks, const ScoreOptions& options) {
  SplitMix64 random(options.seed);
  std::vector<std::uint32_t> shifts;
  if (ranks - 1 <= options.permutations) {
    shifts.resize(ranks - 1);
    std::iota(shifts.begin(), shifts.end(), 1U);
    return shifts;
  }
  for (const std::uint32_t k : random_order(ranks - 1, random)) {
    if (shifts.size() == options.permutations) break;
    shifts.push_back(k + 1);
  }
  return shifts;
}

/// Of the sorted values the smallest that a share `ratio` of them does not exceed.
std::uint32_t quantile(const std::vector<std::uint32_t>& sorted, double ratio) {
  const double place = std::ceil(ratio * static_cast<double>(sorted.size())) - 1;
  return sorted[static_cast<std::size_t>(std::max(place, 0.0))];
}

void score_permutations(const std::vector<TerminalIndex>& ranks, const ScoreOptions& options,
                        Workers& workers, const std::function<std::unique_ptr<Traffic>()>& make,
                        Score& score) {
  const auto count = static_cast<std::uint32_t>(ranks.size());
  if (count < 2 || options.permutations == 0) return;
  const std::vector<std::uint32_t> shifts = choose_shifts(count, options);
  // A seed of its own for each set of flows, so that it does not matter who draws it.
  SplitMix64 seeds(options.seed);
  std::vector<std::uint64_t> seed(2 * std::size_t{options.permutations});
  std::ranges::generate(seed, std::ref(seeds));
  std::vector<Outcome> outcomes(shifts.size() + seed.size());
  share<Traffic>(outcomes.size(), workers, make, [&](Traffic& traffic, std::size_t i) {
    if (i < shifts.size()) {
      outcomes[i] = traffic.run(shift(count, shifts[i]));
      return;
    }
    SplitMix64 random(seed[i - shifts.size()]);
    const std::vector<std::uint32_t> order = random_order(count, random);
    const bool halves = i - shifts.size() >= options.permutations;
    outcomes[i] = traffic.run(halves ? bisection(order) : permutation(order));
  });
  const std::size_t first_random = shifts.size();
  const std::size_t first_bisection = first_random + options.permutations;
  double sum = 0;
  for (std::size_t i = 0; i < first_random; ++i) {
    score.shift_max = std::max(score.shift_max, outcomes[i].greatest_load);
    sum += outcomes[i].greatest_load;
  }
  score.shift_mean_max = sum / static_cast<double>(shifts.size());
  std::vector<std::uint32_t> greatest;
  for (std::size_t i = first_random; i < first_bisection; ++i) {
    greatest.push_back(outcomes[i].greatest_load);
  }
  std::ranges::sort(greatest);
  score.random_max_median = quantile(greatest, 0.5);
  score.random_max_p99 = quantile(greatest, 0.99);
  sum = 0;
  score.bisection_bandwidth_ratio_min = outcomes[first_bisection].mean_share;
  for (std::size_t i = first_bisection; i < outcomes.size(); ++i) {
    sum += outcomes[i].mean_share;
    score.bisection_bandwidth_ratio_min =
        std::min(score.bisection_bandwidth_ratio_min, outcomes[i].mean_share);
  }
  score.bisection_bandwidth_ratio = sum / options.permutations;
}

/// Routes of all terminals to one destination after the other. Memory of one thread.
struct AllPairs {
  AllPairs(const Graph& graph, const HopTable& hops, const model::ForwardingTables& tables,
           const Sources& sources)
      : walk(graph, hops, tables), routes(graph.arcs().size()), senders(sources.switches().size()) {
    for (std::uint32_t i = 0; i < senders.size(); ++i) {
      senders[i] = static_cast<std::uint32_t>(sources.terminals(i).size());
    }
  }

  void add(const Graph& graph, const Sources& sources, const Destination& destination,
           std::uint32_t max_hops) {
    walk.begin(destination);
    const auto own = sources.siblings(*destination.terminal);
    for (const TerminalIndex sibling : own) --senders[sources.source_of(sibling)];
    for (std::uint32_t i = 0; i < senders.size(); ++i) {
      if (senders[i] == 0) continue;
      SwitchIndex at = sources.switches()[i];
      const TreeWalk::Place& first = walk.resolve(at);
      const std::size_t hops = 1U + first.steps;
      if (first.outcome != TreeWalk::Outcome::kDelivered || hops > max_hops) continue;
      if (by_hops.size() <= hops) by_hops.resize(hops + 1);
      by_hops[hops] += senders[i];
      while (walk.at(at).exit == TreeWalk::Exit::kChannel) {
        const ArcIndex arc{walk.at(at).arc};
        routes[arc.value()] += senders[i];
        at = graph.arc(arc).to;
      }
    }
    for (const TerminalIndex sibling : own) ++senders[sources.source_of(sibling)];
  }

  TreeWalk walk;
  std::vector<std::uint64_t> routes;   ///< by ArcIndex
  std::vector<std::uint32_t> senders;  ///< by source
  std::vector<std::uint64_t> by_hops;
};

void score_all_pairs(const Graph& graph, const Availability& availability, const HopTable& hops,
                     const model::ForwardingTables& tables, const ScoreOptions& options,
                     Workers& workers, Score& score) {
  const Sources sources(graph, availability);
  std::vector<const Destination*> destinations;
  for (const Destination& destination : graph.destinations()) {
    if (destination.terminal && destination.path == 0 && availability.usable(graph, destination)) {
      destinations.push_back(&destination);
    }
  }
  constexpr std::size_t kBlock = 64;
  const auto parts =
      share<AllPairs>((destinations.size() + kBlock - 1) / kBlock, workers,
                      [&] { return std::make_unique<AllPairs>(graph, hops, tables, sources); },
                      [&](AllPairs& pairs, std::size_t block) {
                        const std::size_t end = std::min(destinations.size(), (block + 1) * kBlock);
                        for (std::size_t i = block * kBlock; i < end; ++i) {
                          pairs.add(graph, sources, *destinations[i], options.max_hops);
                        }
                      });
  std::vector<std::uint64_t> routes(graph.arcs().size());
  for (const auto& part : parts) {
    if (!part) continue;
    for (std::size_t i = 0; i < routes.size(); ++i) routes[i] += part->routes[i];
    if (score.paths_by_hops.size() < part->by_hops.size()) {
      score.paths_by_hops.resize(part->by_hops.size());
    }
    for (std::size_t i = 0; i < part->by_hops.size(); ++i) {
      score.paths_by_hops[i] += part->by_hops[i];
    }
  }
  std::size_t arcs = 0;
  double sum = 0;
  double squares = 0;
  for (std::uint32_t i = 0; i < routes.size(); ++i) {
    if (!availability.usable(graph, ArcIndex{i})) continue;
    ++arcs;
    const auto value = static_cast<double>(routes[i]);
    sum += value;
    squares += value * value;
    score.routes_per_arc_max = std::max(score.routes_per_arc_max, routes[i]);
  }
  if (arcs == 0) return;
  const auto count = static_cast<double>(arcs);
  score.routes_per_arc_mean = sum / count;
  const double variance = squares / count - score.routes_per_arc_mean * score.routes_per_arc_mean;
  score.routes_per_arc_deviation = std::sqrt(std::max(variance, 0.0));
}

}  // namespace

Score score_routes(const Graph& graph, const Availability& availability,
                   const model::ForwardingTables& tables, const ScoreOptions& options,
                   Workers& workers) {
  const HopTable hops(graph, availability);
  const std::vector<double> weight = weights(graph, availability);
  std::vector<TerminalIndex> ranks;
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    if (availability.usable(graph, TerminalIndex{t})) ranks.emplace_back(t);
  }
  // Ports stand in order of node GUID and number.
  std::ranges::sort(ranks, {}, [&](TerminalIndex t) { return graph.terminal(t).port; });
  Score score;
  score_permutations(
      ranks, options, workers,
      [&] {
        return std::make_unique<Traffic>(graph, weight, hops, tables, ranks, options.max_hops);
      },
      score);
  score_all_pairs(graph, availability, hops, tables, options, workers, score);
  return score;
}

}  // namespace heddle::routing
