// lanes_bench FOLDER SEEDS: virtual lanes that the layered engine needs on graphs that are no tree,
// and prints one JSON object. Each graph is written to FOLDER, for dfsssp of OpenSM to route.

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_program.hpp"
#include "discovery/topology_text.hpp"
#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"
#include "support/plain_graphs.hpp"

namespace {

using namespace heddle;
using bench::stop;
using bench::value_of;

std::string judge(const std::string& name, const model::Fabric& fabric, const std::string& folder,
                  routing::Workers& workers) {
  const std::string path = fmt::format("{}/{}.topo", folder, name);
  std::ofstream out(path);
  out << discovery::format_topology(fabric);
  out.close();
  if (!out) stop("cannot write " + path);
  const routing::Graph graph = value_of(routing::Graph::from(fabric));
  const routing::Availability all(graph);
  const bench::Clock::time_point begin = bench::Clock::now();
  const routing::Computed computed =
      value_of(routing::compute_routes(fabric, graph, value_of(routing::recognise(fabric, graph)),
                                       all, {.engine = routing::Engine::kLayered}, workers));
  const double spent = bench::milliseconds_since(begin);
  const routing::Verdict& verdict = computed.verdict;
  return fmt::format(
      R"({{"name": "{}", "fabric": "{}", "switches": {}, "lanes": {}, "undelivered": {}, "cycles": {}, "milliseconds": {:.3f}}})",
      name, path, graph.switch_count(), std::popcount(verdict.lanes_used),
      verdict.unreachable + verdict.looping, verdict.cycle.empty() ? 0 : 1, spent);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) stop("usage: lanes_bench FOLDER SEEDS");
  const std::string folder = argv[1];
  std::vector<std::pair<std::string, model::Fabric>> fabrics{
      {"torus_4x4", support::torus({4, 4}, 2)},
      {"torus_5x5x5", support::torus({5, 5, 5}, 1)},
      {"hypercube_6", support::hypercube(6, 1)},
      {"two_stars_6", support::two_stars(6, 4)}};
  for (std::uint64_t seed = 1; seed <= std::stoull(argv[2]); ++seed) {
    fabrics.emplace_back(fmt::format("random_64x6_{}", seed),
                         support::random_regular(64, 6, 2, seed));
  }
  routing::Workers workers(2);
  std::string all;
  for (const auto& [name, fabric] : fabrics) {
    all += (all.empty() ? "" : ", ") + judge(name, fabric, folder, workers);
  }
  std::cout << "{\"fabrics\": [" << all << "]}\n";
  return 0;
}
