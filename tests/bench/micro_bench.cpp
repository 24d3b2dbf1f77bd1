// What the daemon does often, on a three-level fat tree of each size: google-benchmark's own
// options apply.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "discovery/topology_text.hpp"
#include "exporter/prepared_body.hpp"
#include "exporter/prometheus.hpp"
#include "model/fabric_builder.hpp"
#include "model/fabric_delta.hpp"
#include "simulation/generators.hpp"

namespace {

using heddle::model::Fabric;

/// Hosts and switches of a full three-level tree grow with the radix: 8 gives 128 and 80, 24 gives
/// 3,456 and 720.
std::shared_ptr<const Fabric> fat_tree(std::uint32_t radix) {
  const auto shape = heddle::simulation::pgft_of({.levels = 3, .radix = radix});
  if (!shape) std::abort();
  auto fabric = heddle::simulation::make_pgft(*shape, {});
  if (!fabric) std::abort();
  return std::make_shared<const Fabric>(std::move(*fabric));
}

heddle::exporter::View view_of(std::shared_ptr<const Fabric> fabric) {
  auto counters = std::make_shared<heddle::model::CounterTable>();
  counters->fabric = fabric;
  counters->ports.resize(fabric->ports().size());
  std::uint64_t value = 1;
  for (heddle::model::PortTotals& port : counters->ports) {
    port.known = ~std::uint32_t{0};
    for (std::uint64_t& counter : port.value) counter = value += 1'000'003;
  }
  heddle::exporter::View view;
  view.fabric_name = "bench";
  view.summary = std::make_shared<const heddle::model::FabricSummary>(summarise(*fabric));
  view.degraded = std::make_shared<const std::vector<heddle::model::DegradedLink>>();
  view.duplicates = std::make_shared<const std::vector<heddle::model::DuplicateName>>();
  view.counters = std::move(counters);
  view.fabric = std::move(fabric);
  return view;
}

std::uint32_t radix_of(const benchmark::State& state) {
  return static_cast<std::uint32_t>(state.range(0));
}

void render_metrics(benchmark::State& state) {
  const auto view = view_of(fat_tree(radix_of(state)));
  std::uint64_t series = 0;
  for (auto _ : state) {
    const auto text =
        heddle::exporter::render_metrics(view, heddle::exporter::Compatibility::kTreydock);
    series = text.series;
    benchmark::DoNotOptimize(text.body.data());
  }
  state.counters["series"] = static_cast<double>(series);
}

void prepare_body(benchmark::State& state) {
  const auto text = heddle::exporter::render_metrics(view_of(fat_tree(radix_of(state))),
                                                     heddle::exporter::Compatibility::kTreydock);
  for (auto _ : state) {
    auto body = heddle::exporter::PreparedBody::make(text.body);
    if (!body) std::abort();
    benchmark::DoNotOptimize(body->plain().data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.body.size()));
}

void parse_topology(benchmark::State& state) {
  const std::string text = heddle::discovery::format_topology(*fat_tree(radix_of(state)));
  for (auto _ : state) {
    auto fabric = heddle::discovery::parse_topology(text, "bench.topo", "bench");
    if (!fabric) std::abort();
    benchmark::DoNotOptimize(&*fabric);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void build_fabric(benchmark::State& state) {
  const std::uint32_t radix = radix_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(fat_tree(radix).get());
}

void compare_fabrics(benchmark::State& state) {
  const auto before = fat_tree(radix_of(state));
  const auto after = fat_tree(radix_of(state));
  for (auto _ : state) {
    const auto delta = heddle::model::compare(*before, *after);
    benchmark::DoNotOptimize(&delta);
  }
}

BENCHMARK(render_metrics)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(prepare_body)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(parse_topology)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(build_fabric)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(compare_fabrics)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
