// routing_bench PGFT_SHAPE [REPEATS]: times the fat-tree engine on a generated tree with two
// threads and prints one JSON object. "first" is the call that starts from a Graph and nothing
// else, "again" one with memory reused; each is tables and proof. Repairs are of one cable at a
// time, proof included, cut and return counted apart.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "model/fabric_lids.hpp"
#include "routing/fat_tree.hpp"
#include "routing/ordered_proof.hpp"
#include "routing/recognise.hpp"
#include "simulation/generators.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

[[noreturn]] void stop(const std::string& why) {
  std::cerr << "routing_bench: " << why << '\n';
  std::exit(2);
}

template <class T>
T value_of(model::Result<T> result) {
  if (!result) stop(result.error().message());
  return std::move(*result);
}

void prove(const routing::Graph& graph, const routing::FatTree& tree,
           const routing::Availability& availability, routing::Workers& workers) {
  const routing::OrderedProof proof =
      routing::prove_ordered(graph, tree.plan().directions(), availability, tree.tables(), workers);
  if (!proof.good() || !proof.undelivered.empty())
    stop("tables of a healthy tree do not pass the proof");
}

/// Repairs of cables spread over the tree, one after another, each with its proof.
std::vector<double> repairs(const routing::Graph& graph, routing::FatTree& tree, std::size_t count,
                            routing::Workers& workers) {
  std::vector<double> times;
  const std::size_t stride = std::max<std::size_t>(graph.arcs().size() / count, 1);
  const routing::Availability all(graph);
  for (std::size_t a = 0; a < graph.arcs().size(); a += stride) {
    const routing::ArcIndex cable{static_cast<std::uint32_t>(a)};
    routing::Availability cut(graph);
    cut.take_down(graph, cable);
    const Clock::time_point begin = Clock::now();
    const std::vector<routing::ChangedEntry> written = tree.repair(cut, workers);
    const bool good =
        routing::prove_written(graph, tree.plan().directions(), all, cut, tree.tables(), written)
            .good();
    times.push_back(milliseconds_since(begin));
    if (!good) stop("repaired tables do not pass the proof");
    tree.repair(all, workers);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) stop("usage: routing_bench PGFT_SHAPE [REPEATS]");
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const model::Fabric fabric = value_of(model::with_lids(
      value_of(simulation::make_pgft(value_of(simulation::parse_pgft_shape(argv[1])), {})), {}));
  routing::Workers workers(2);
  std::vector<double> graph_ms, structure_ms, plan_ms, tables_first_ms, first_ms, tables_again_ms,
      again_ms;
  std::vector<double> repair_ms;
  std::size_t switches = 0;
  std::size_t table_bytes = 0;
  for (int i = 0; i < repeats; ++i) {
    const Clock::time_point begin = Clock::now();
    const routing::Graph graph = value_of(routing::Graph::from(fabric));
    graph_ms.push_back(milliseconds_since(begin));
    Clock::time_point part = Clock::now();
    const routing::Structure structure = value_of(routing::recognise(fabric, graph));
    structure_ms.push_back(milliseconds_since(part));
    part = Clock::now();
    routing::FatTree tree(graph, routing::FatTreePlan::make(fabric, graph, structure));
    plan_ms.push_back(milliseconds_since(part));
    part = Clock::now();
    const routing::Availability all(graph);
    tree.compute(all, workers);
    tables_first_ms.push_back(milliseconds_since(part));
    prove(graph, tree, all, workers);
    first_ms.push_back(milliseconds_since(begin));
    part = Clock::now();
    tree.compute(all, workers);
    tables_again_ms.push_back(milliseconds_since(part));
    prove(graph, tree, all, workers);
    again_ms.push_back(milliseconds_since(part));
    if (i == 0) repair_ms = repairs(graph, tree, 50, workers);
    switches = graph.switch_count();
    table_bytes = switches * tree.tables().row_length();
  }
  std::cout << fmt::format(
      "{{\"shape\": \"{}\", \"hosts\": {}, \"switches\": {}, \"table_bytes\": {}, \"graph_ms\": "
      "{:.3f}, "
      "\"recognise_ms\": {:.3f}, \"plan_ms\": {:.3f}, \"tables_first_ms\": {:.3f}, \"first_ms\": "
      "{:.3f}, "
      "\"tables_again_ms\": {:.3f}, \"again_ms\": {:.3f}, \"repair_median_ms\": {:.3f}, "
      "\"repair_worst_ms\": {:.3f}}}\n",
      argv[1], fabric.nodes().size() - switches, switches, table_bytes, median(graph_ms),
      median(structure_ms), median(plan_ms), median(tables_first_ms), median(first_ms),
      median(tables_again_ms), median(again_ms), median(repair_ms),
      *std::ranges::max_element(repair_ms));
  return 0;
}
