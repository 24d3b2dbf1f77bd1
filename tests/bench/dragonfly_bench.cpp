// dragonfly_bench KIND SHAPE [SEEDS [PERMILLES [LMC [SINGLES]]]]: what tables of a dragonfly are
// worth, whole and with faults, and prints one JSON object.
//
//   KIND       dragonfly or dragonfly-plus
//   SHAPE      groups,routers,hosts,global (a router's) or groups,leaves,spines,hosts,global
//   SEEDS      random faults tried for each share, and deals of GUIDs; 5 if not given
//   PERMILLES  shares of the cables between switches that are cut, of a thousand: 20,100 or 40,100
//   LMC        of the group shift, 2; 0 leaves it out
//   SINGLES    cables and switches lost one at a time, so many of each, drawn by chance; 16
//
// "remembered": cut cables keep their places; "forgotten": recognised without them. "dealt_guids":
// whole, with the GUIDs of the switches in another order. "vls" counts all lanes used, "host_vls"
// those between hosts alone. "shift": rates of the group shift over those of minimal paths;
// "dealt_guids_shift" the worst of its ratios with GUIDs dealt anew.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_program.hpp"
#include "model/fabric_lids.hpp"
#include "routing/compute.hpp"
#include "routing/random.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "simulation/generators.hpp"
#include "support/group_traffic.hpp"

namespace {

using namespace heddle;
using bench::numbers;
using bench::stop;
using bench::value_of;

constexpr std::size_t kThreads = 2;

model::Fabric generated(std::string_view kind, const std::vector<std::uint32_t>& n) {
  if (kind == "dragonfly" && n.size() == 4) {
    return value_of(simulation::make_dragonfly(
        {.routers_per_group = n[1], .hosts_per_router = n[2], .global_links = n[3], .groups = n[0]},
        {}));
  }
  if (kind == "dragonfly-plus" && n.size() == 5) {
    return value_of(simulation::make_dragonfly_plus({.groups = n[0],
                                                     .leaves = n[1],
                                                     .spines = n[2],
                                                     .hosts_per_leaf = n[3],
                                                     .global_links = n[4]},
                                                    {}));
  }
  stop("usage: dragonfly_bench dragonfly|dragonfly-plus SHAPE [SEEDS [PERMILLES [LMC [SINGLES]]]]");
}

/// Lanes of paths from hosts to hosts, first and last cables included, as a mask.
std::uint32_t host_lanes(const routing::Graph& graph, const routing::Availability& availability,
                         const routing::Routes& routes, routing::Workers& workers) {
  return routing::check_routes(graph, availability, routes.tables, routes.lanes,
                               {.switch_lids = false}, workers)
      .lanes_used;
}

/// The worst of several states of one fabric.
struct Worst {
  std::uint32_t tried = 0;
  std::uint32_t other_engine = 0;
  std::uint64_t undelivered = 0;
  std::uint32_t cycles = 0;
  int vls = 0;
  int host_vls = 0;
  std::uint32_t longest = 0;
  std::map<int, std::uint32_t> by_vls;
  std::vector<double> bisection;

  [[nodiscard]] std::string json() const {
    double sum = 0;
    for (const double value : bisection) sum += value;
    std::string counts;
    for (const auto& [lanes, count] : by_vls) {
      counts += fmt::format("{}\"{}\": {}", counts.empty() ? "" : ", ", lanes, count);
    }
    return fmt::format(
        R"({{"tried": {}, "other_engine": {}, "undelivered": {}, "cycles": {}, "vls": {}, "host_vls": {}, "by_vls": {{{}}}, "longest_hops": {}, "bisection_mean": {:.4f}, "bisection_worst": {:.4f}}})",
        tried, other_engine, undelivered, cycles, vls, host_vls, counts, longest,
        bisection.empty() ? 0.0 : sum / static_cast<double>(bisection.size()),
        bisection.empty() ? 0.0 : *std::ranges::min_element(bisection));
  }
};

class Bench {
 public:
  explicit Bench(routing::Engine engine) : engine_(engine), workers_(kThreads) {}

  void judge(const model::Fabric& fabric, const routing::Graph& graph,
             const routing::Structure& structure, const routing::Availability& availability,
             Worst& worst) {
    const routing::Computed computed =
        value_of(routing::compute_routes(fabric, graph, structure, availability, {}, workers_));
    const routing::Verdict& verdict = computed.verdict;
    ++worst.tried;
    worst.other_engine += computed.routes.engine == engine_ ? 0U : 1U;
    worst.undelivered += verdict.unreachable + verdict.looping;
    worst.cycles += verdict.cycle.empty() ? 0U : 1U;
    const int lanes = std::popcount(verdict.lanes_used);
    worst.vls = std::max(worst.vls, lanes);
    ++worst.by_vls[lanes];
    worst.host_vls = std::max(
        worst.host_vls, std::popcount(host_lanes(graph, availability, computed.routes, workers_)));
    worst.longest = std::max(worst.longest, verdict.longest_hops);
    worst.bisection.push_back(
        routing::score_routes(graph, availability, computed.routes.tables, {}, workers_)
            .bisection_bandwidth_ratio);
  }
  void judge_whole(const model::Fabric& fabric, Worst& worst) {
    const routing::Graph graph = value_of(routing::Graph::from(fabric));
    judge(fabric, graph, value_of(routing::recognise(fabric, graph)), routing::Availability(graph),
          worst);
  }
  /// One cable or switch at a time.
  Worst singles(const model::Fabric& fabric, std::uint64_t count) {
    const routing::Graph graph = value_of(routing::Graph::from(fabric));
    const routing::Structure structure = value_of(routing::recognise(fabric, graph));
    Worst worst;
    routing::SplitMix64 random(count);
    const auto draw = [&](std::size_t all) {
      std::vector<std::uint32_t> order =
          routing::random_order(static_cast<std::uint32_t>(all), random);
      order.resize(std::min<std::size_t>(all, count));
      return order;
    };
    std::vector<routing::ArcIndex> cables;
    for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
      const routing::ArcIndex arc{a};
      if (arc < graph.arc(arc).reverse) cables.push_back(arc);
    }
    for (const std::uint32_t cable : draw(cables.size())) {
      routing::Availability cut(graph);
      cut.take_down(graph, cables[cable]);
      judge(fabric, graph, structure, cut, worst);
    }
    for (const std::uint32_t s : draw(graph.switch_count())) {
      routing::Availability cut(graph);
      cut.take_down(model::SwitchIndex{s});
      judge(fabric, graph, structure, cut, worst);
    }
    return worst;
  }
  std::string faults(const model::Fabric& fabric, std::uint32_t permille, std::uint64_t seeds) {
    const routing::Graph graph = value_of(routing::Graph::from(fabric));
    const routing::Structure structure = value_of(routing::recognise(fabric, graph));
    Worst remembered;
    Worst forgotten;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const routing::Availability cut = support::cut_share(graph, permille, seed);
      judge(fabric, graph, structure, cut, remembered);
      judge_whole(support::forgetting(fabric, graph, cut), forgotten);
    }
    return fmt::format(R"({{"permille": {}, "remembered": {}, "forgotten": {}}})", permille,
                       remembered.json(), forgotten.json());
  }
  struct Shift {
    routing::Verdict verdict;
    support::ShareOfRate minimal;
    support::ShareOfRate hashed;
    support::ShareOfRate striped;
  };
  Shift shift(const model::Fabric& plain, std::uint8_t lmc) {
    const model::Fabric fabric = value_of(model::with_lids(plain, {.lmc = lmc, .remembered = {}}));
    const routing::Graph graph = value_of(routing::Graph::from(fabric));
    const routing::Structure structure = value_of(routing::recognise(fabric, graph));
    const routing::Availability all(graph);
    const routing::Computed computed =
        value_of(routing::compute_routes(fabric, graph, structure, all, {}, workers_));
    const auto flows = support::group_shift(graph, structure);
    const auto share = [&](support::LidChoice choice) {
      return support::fair_share(fabric, graph, all, computed.routes.tables, flows, choice);
    };
    return {computed.verdict, share(support::LidChoice::kFirst), share(support::LidChoice::kHashed),
            share(support::LidChoice::kStriped)};
  }
  std::string shift_json(const model::Fabric& plain, std::uint8_t lmc) {
    const Shift s = shift(plain, lmc);
    return fmt::format(
        R"({{"lmc": {}, "vls": {}, "undelivered": {}, "cycles": {}, "longest_hops": {}, "minimal_mean": {:.4f}, "hashed_mean": {:.4f}, "striped_mean": {:.4f}, "hashed_ratio": {:.3f}, "striped_ratio": {:.3f}, "hashed_least_ratio": {:.3f}, "striped_least_ratio": {:.3f}}})",
        lmc, std::popcount(s.verdict.lanes_used), s.verdict.unreachable + s.verdict.looping,
        s.verdict.cycle.empty() ? 0 : 1, s.verdict.longest_hops, s.minimal.mean, s.hashed.mean,
        s.striped.mean, s.hashed.mean / s.minimal.mean, s.striped.mean / s.minimal.mean,
        s.hashed.least / s.minimal.least, s.striped.least / s.minimal.least);
  }
  std::string dealt_shift_json(const model::Fabric& plain, std::uint8_t lmc, std::uint64_t seeds) {
    std::vector<double> hashed;
    std::vector<double> striped;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Shift s = shift(support::with_dealt_guids(plain, seed), lmc);
      hashed.push_back(s.hashed.mean / s.minimal.mean);
      striped.push_back(s.striped.mean / s.minimal.mean);
    }
    return fmt::format(R"({{"hashed_ratio_worst": {:.3f}, "striped_ratio_worst": {:.3f}}})",
                       hashed.empty() ? 0.0 : *std::ranges::min_element(hashed),
                       striped.empty() ? 0.0 : *std::ranges::min_element(striped));
  }

 private:
  routing::Engine engine_;
  routing::Workers workers_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* fallback) {
    return std::string(argc > i ? argv[i] : fallback);
  };
  const std::string kind = argument(1, "");
  const bool plus = kind == "dragonfly-plus";
  const model::Fabric plain = generated(kind, numbers(argument(2, "")));
  const std::uint64_t seeds = numbers(argument(3, "5")).front();
  const std::vector<std::uint32_t> shares = numbers(argument(4, plus ? "40,100" : "20,100"));
  const auto lmc = static_cast<std::uint8_t>(numbers(argument(5, "2")).front());
  const std::uint64_t singles = numbers(argument(6, "16")).front();
  const model::Fabric fabric = value_of(model::with_lids(plain, {}));

  Bench bench(plus ? routing::Engine::kDragonflyPlus : routing::Engine::kDragonfly);
  Worst whole;
  bench.judge_whole(fabric, whole);
  Worst dealt;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    bench.judge_whole(value_of(model::with_lids(support::with_dealt_guids(plain, seed), {})),
                      dealt);
  }
  std::string faults;
  for (const std::uint32_t permille : shares) {
    faults += (faults.empty() ? "" : ", ") + bench.faults(fabric, permille, seeds);
  }
  std::cout << fmt::format(
      R"({{"kind": "{}", "shape": "{}", "hosts": {}, "switches": {}, "whole": {}, "dealt_guids": {}, "single": {}, "faults": [{}], "shift": {}, "dealt_guids_shift": {}}})",
      kind, argument(2, ""), fabric.nodes().size() - fabric.switches().size(),
      fabric.switches().size(), whole.json(), dealt.json(), bench.singles(fabric, singles).json(),
      faults, lmc == 0 ? std::string("null") : bench.shift_json(plain, lmc),
      lmc == 0 ? std::string("null") : bench.dealt_shift_json(plain, lmc, seeds));
  std::cout << '\n';
  return 0;
}
