// What the daemon does at each publication, on a three-level fat tree of each size, beside its
// peers: google-benchmark's own options apply.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exporter/prepared_body.hpp"
#include "exporter/prometheus.hpp"
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

constexpr auto kTreydock = heddle::exporter::Compatibility::kTreydock;

void report(benchmark::State& state, std::size_t bytes, std::uint64_t lines) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["lines"] = static_cast<double>(lines);
}

/// Each body in the memory of the last, as the daemon does it.
void render_metrics(benchmark::State& state) {
  const auto view = view_of(fat_tree(radix_of(state)));
  heddle::exporter::MetricsText text;
  for (auto _ : state) {
    text = heddle::exporter::render_metrics(view, kTreydock, std::move(text.body));
    benchmark::DoNotOptimize(text.body.data());
  }
  report(state, text.body.size(), text.series);
}

/// The peer: lines like those of the counters, as many bytes, by the loop that one writes first.
void print_lines(benchmark::State& state) {
  const auto view = view_of(fat_tree(radix_of(state)));
  const std::size_t bytes = heddle::exporter::render_metrics(view, kTreydock).body.size();
  std::string body;
  std::uint64_t lines = 0;
  for (auto _ : state) {
    body.clear();
    lines = 0;
    while (body.size() < bytes) {
      for (std::uint32_t i = 0; i < view.counters->ports.size() && body.size() < bytes; ++i) {
        const heddle::model::PortKey key = view.fabric->key(heddle::model::PortIndex{i});
        std::array<char, 256> line;
        const int size = std::snprintf(
            line.data(), line.size(),
            "infiniband_switch_port_symbol_error_total{fabric=\"%s\",guid=\"0x%016" PRIx64
            "\",port=\"%u\"} %" PRIu64 "\n",
            view.fabric_name.c_str(), key.node.value(), unsigned{key.port.value()},
            view.counters->ports[i].value[lines % heddle::model::kCounterCount]);
        body.append(line.data(), static_cast<std::size_t>(size));
        ++lines;
      }
    }
    benchmark::DoNotOptimize(body.data());
  }
  report(state, body.size(), lines);
}

void prepare_body(benchmark::State& state) {
  auto text = heddle::exporter::render_metrics(view_of(fat_tree(radix_of(state))), kTreydock);
  const std::size_t bytes = text.body.size();
  for (auto _ : state) {
    auto body = heddle::exporter::PreparedBody::make(std::move(text.body));
    if (!body) std::abort();
    benchmark::DoNotOptimize(body->gzip_front().data());
    text.body = std::move(*body).take_plain();
  }
  report(state, bytes, text.series);
}

/// The peer: zlib's own gzip format (CRC-32, as ours) at the same level, in one call and into
/// memory that is there.
void compress_body(benchmark::State& state) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kDefaultMemoryLevel = 8;
  const auto text = heddle::exporter::render_metrics(view_of(fat_tree(radix_of(state))), kTreydock);
  std::vector<Bytef> in(text.body.begin(), text.body.end());
  std::vector<Bytef> out(compressBound(in.size()) + 64);
  for (auto _ : state) {
    z_stream stream{};
    if (deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, kDefaultMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      std::abort();
    }
    stream.next_in = in.data();
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
    deflateEnd(&stream);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, in.size(), text.series);
}

BENCHMARK(render_metrics)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(print_lines)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(prepare_body)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(compress_body)->ArgName("radix")->Arg(8)->Arg(24)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
