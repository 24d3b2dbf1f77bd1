// hybrid_bench GROUPS,LEAVES,SPINES,SUPER_SPINES,HOSTS: what tables of fat-tree groups joined by
// super-spines are worth to hosts with two ports, whole and without each leaf in turn; prints one
// JSON object.
//
//   ways, shared   (leaf, host) that were followed to both ports; those that meet on the way
//   cut_off        hosts of which no port is left without some one leaf
//   undelivered    pairs of ports that are left and do not reach each other, cycles counted in

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/bench_program.hpp"
#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "support/two_homes.hpp"

namespace {

using namespace heddle;
using bench::stop;
using bench::value_of;

constexpr std::size_t kThreads = 2;

simulation::HybridShape parsed(std::string_view text) {
  const std::vector<std::uint32_t> n = bench::numbers(text);
  if (n.size() != 5) stop("usage: hybrid_bench GROUPS,LEAVES,SPINES,SUPER_SPINES,HOSTS");
  return {.groups = n[0],
          .leaves = n[1],
          .spines = n[2],
          .super_spines = n[3],
          .hosts_per_leaf = n[4],
          .two_homed = true};
}

std::uint64_t wrong(const routing::Verdict& verdict) {
  return verdict.unreachable + verdict.looping + verdict.unconnected +
         (verdict.cycle.empty() ? 0U : 1U);
}

}  // namespace

int main(int argc, char** argv) {
  const model::Fabric fabric = value_of(model::with_lids(
      value_of(simulation::make_hybrid(parsed(argc == 2 ? argv[1] : ""), {})), {}));
  const routing::Graph graph = value_of(routing::Graph::from(fabric));
  const routing::Structure structure = value_of(routing::recognise(fabric, graph));
  routing::Workers workers(kThreads);
  const auto computed = [&](const routing::Availability& availability) {
    return value_of(routing::compute_routes(fabric, graph, structure, availability, {}, workers));
  };
  const routing::Availability all(graph);
  const routing::Computed whole = computed(all);
  const support::SharedWays ways = support::shared_ways(fabric, graph, whole.routes.tables);
  const routing::Score score = routing::score_routes(graph, all, whole.routes.tables, {}, workers);

  std::uint64_t cut_off = 0;
  std::uint64_t undelivered = wrong(whole.verdict);
  int lanes = std::popcount(whole.verdict.lanes_used);
  std::uint32_t leaves = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (graph.terminals_of(model::SwitchIndex{s}).empty()) continue;
    ++leaves;
    routing::Availability without(graph);
    without.take_down(model::SwitchIndex{s});
    cut_off = std::max(cut_off, support::hosts_cut_off(fabric, graph, without));
    const routing::Computed left = computed(without);
    undelivered += wrong(left.verdict);
    lanes = std::max(lanes, std::popcount(left.verdict.lanes_used));
  }
  fmt::print(
      R"({{"hosts": {}, "ports": {}, "switches": {}, "leaves": {}, "ways": {}, "shared": {}, "cut_off": {}, "undelivered": {}, "vls": {}, "bisection": {:.4f}}})"
      "\n",
      fabric.nodes().size() - fabric.switches().size(), graph.terminals().size(),
      graph.switch_count(), leaves, ways.ways, ways.shared, cut_off, undelivered, lanes,
      score.bisection_bandwidth_ratio);
  return 0;
}
