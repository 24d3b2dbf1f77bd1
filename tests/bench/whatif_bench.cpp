// whatif_bench PGFT_SHAPE [FLOWS [REPEATS]]: times what heddle whatif does with flows once the
// tables are there, on a generated tree with one top switch down, and prints one JSON object:
// following a random permutation's flows through the tables, their max-min fair rates, and what
// limits them. Medians.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "model/fabric_lids.hpp"
#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "routing/traffic.hpp"
#include "simulation/generators.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

[[noreturn]] void stop(const std::string& why) {
  std::cerr << "whatif_bench: " << why << '\n';
  std::exit(2);
}

template <class T>
T value_of(model::Result<T> result) {
  if (!result) stop(result.error().message());
  return std::move(*result);
}

std::size_t number(int argc, char** argv, int at, std::size_t otherwise) {
  return argc > at ? static_cast<std::size_t>(std::max(1, std::atoi(argv[at]))) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) stop("usage: whatif_bench PGFT_SHAPE [FLOWS [REPEATS]]");
  const std::size_t wanted = number(argc, argv, 2, 1024);
  const std::size_t repeats = number(argc, argv, 3, 11);
  const model::Fabric fabric = value_of(model::with_lids(
      value_of(simulation::make_pgft(value_of(simulation::parse_pgft_shape(argv[1])), {})), {}));
  const routing::Graph graph = value_of(routing::Graph::from(fabric));
  const routing::Structure structure = value_of(routing::recognise(fabric, graph));
  routing::Availability availability(graph);
  std::vector<routing::Flow> flows =
      value_of(routing::flows_of(routing::Pattern::kPermutation,
                                 routing::ranks_by_guid(fabric, graph, availability), /*seed=*/1));
  if (flows.size() < wanted) stop(fmt::format("{} hosts have no {} flows", flows.size(), wanted));
  flows.resize(wanted);
  availability.take_down(structure.roots.front());
  routing::Workers workers(2);
  const routing::Computed computed =
      value_of(routing::compute_routes(fabric, graph, structure, availability, {}, workers));
  std::vector<double> times;
  std::size_t limits = 0;
  for (std::size_t i = 0; i < repeats; ++i) {
    const Clock::time_point begin = Clock::now();
    const routing::TrafficRates rates =
        routing::traffic_rates(fabric, graph, availability, computed.routes.tables, flows,
                               model::BitsPerSecond(100'000'000'000));
    limits = routing::limits_of(routing::ChannelNumbers(graph), rates).size();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (routing::summarise(rates).undelivered != 0) stop("a flow is not delivered");
  }
  std::ranges::sort(times);
  std::cout << fmt::format(
      "{{\"hosts\":{},\"switches\":{},\"flows\":{},\"limiting_channels\":{},\"rates_ms\":{:.3f}}}"
      "\n",
      graph.terminals().size(), graph.switch_count(), flows.size(), limits,
      times[times.size() / 2]);
  return 0;
}
