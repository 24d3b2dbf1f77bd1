// fault_bench fabrics|judge PGFT_SHAPE BREAKAGE SEEDS FOLDER: what tables of broken trees are
// worth, beside those of OpenSM's ftree with a file of the roots, on the same fabrics by the same
// judge.
//
// `fabrics` writes a fabric and its roots for each seed 1 … SEEDS into FOLDER, and `jobs` for
// heddle_opensm_engines. `judge` computes ours for the same fabrics, reads what the peer made
// (SEED.rows), and prints one JSON object. Ours are computed twice: "remembered" as a fabric that
// degraded while it ran (routing/memory.hpp; not for swaps, which have no past), and "recognised"
// from the broken fabric alone. BREAKAGE: breakage.hpp.

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_program.hpp"
#include "bench/breakage.hpp"
#include "discovery/topology_text.hpp"
#include "routing/compute.hpp"
#include "routing/memory.hpp"
#include "routing/recognise.hpp"
#include "routing/score.hpp"

namespace {

using namespace heddle;
using bench::stop;
using bench::value_of;
using model::SwitchIndex;
using routing::Availability;
using routing::Graph;
using Levels = std::vector<std::optional<std::uint8_t>>;

/// Where each leaf can go by up*/down*, by a plain walk: leaves with a mark by SwitchIndex.
std::vector<std::uint8_t> deliverable_from(const Graph& graph, const Availability& availability,
                                           const Levels& level, SwitchIndex leaf) {
  std::vector<std::uint8_t> upward(graph.switch_count(), 0);
  std::vector<std::uint8_t> found(graph.switch_count(), 0);
  const auto spread = [&](std::vector<std::uint8_t>& marks, std::vector<SwitchIndex> queue,
                          bool up) {
    while (!queue.empty()) {
      const SwitchIndex at = queue.back();
      queue.pop_back();
      for (std::uint32_t i = 0; i < graph.arcs_of(at).size(); ++i) {
        const routing::ArcIndex index{graph.first_arc(at).value() + i};
        const SwitchIndex to = graph.arc(index).to;
        if (!availability.usable(graph, index) || marks[to.value()] != 0) continue;
        if ((level[to.value()] > level[at.value()]) != up) continue;
        marks[to.value()] = 1;
        queue.push_back(to);
      }
    }
  };
  upward[leaf.value()] = 1;
  spread(upward, {leaf}, true);
  std::vector<SwitchIndex> tops;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (upward[s] != 0) tops.emplace_back(s);
  }
  found = upward;
  spread(found, tops, false);
  return found;
}

/// Host pairs, by source switch, that up*/down* connects and that are not in lane 0.
std::uint64_t kept_from_lane_0(const Graph& graph, const Availability& availability,
                               const Levels& level, const routing::Lanes& lanes) {
  std::uint64_t pairs = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex leaf{s};
    if (!availability.up(leaf) || graph.terminals_of(leaf).empty()) continue;
    const auto row = lanes.levels.row(leaf);
    if (row.empty()) continue;
    const auto connected = deliverable_from(graph, availability, level, leaf);
    for (const routing::Destination& to : graph.destinations()) {
      if (to.terminal && availability.usable(graph, to) && connected[to.at.value()] != 0) {
        pairs += row[to.lid.value()] != 0 ? 1U : 0U;
      }
    }
  }
  return pairs;
}

/// What came out over all seeds.
struct Tally {
  std::uint64_t undelivered = 0;
  std::uint64_t not_in_lane_0 = 0;
  std::uint64_t cycles = 0;
  std::uint64_t other_engine = 0;
  int lanes = 0;
  std::uint32_t shift_max = 0;
  std::vector<double> bisection;
  std::vector<double> to_peer;  ///< bisection over the peer's on the same seed

  [[nodiscard]] std::string json() const {
    const auto mean = [](const std::vector<double>& values) {
      double sum = 0;
      for (const double value : values) sum += value;
      return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
    };
    const auto least = [](const std::vector<double>& values) {
      return values.empty() ? 0.0 : *std::ranges::min_element(values);
    };
    return fmt::format(
        R"({{"tried": {}, "undelivered": {}, "not_in_lane_0": {}, "cycles": {}, "other_engine": {}, "lanes": {}, "shift_max": {}, "bisection_mean": {:.5f}, "bisection_worst": {:.5f}, "compared": {}, "to_peer_mean": {:.5f}, "to_peer_worst": {:.5f}}})",
        bisection.size(), undelivered, not_in_lane_0, cycles, other_engine, lanes, shift_max,
        mean(bisection), least(bisection), to_peer.size(), mean(to_peer), least(to_peer));
  }
};

class Series {
 public:
  Series(const std::string& shape, const std::string& breakage, const std::string& folder)
      : folder_(folder),
        breakage_(bench::parse_breakage(breakage)),
        whole_(bench::tree_of(shape)),
        graph_(value_of(Graph::from(whole_))),
        structure_(value_of(routing::recognise(whole_, graph_))),
        workers_(2) {}

  void write_fabric(std::uint64_t seed, std::ostream& jobs) {
    const model::Fabric fabric = bench::broken(whole_, graph_, breakage_, seed);
    const std::string base = fmt::format("{}/{}", folder_, seed);
    std::ofstream(base + ".topo") << discovery::format_topology(fabric);
    std::ofstream roots(base + ".roots");
    for (const SwitchIndex root : structure_.roots) {
      if (fabric.find_node(graph_.guid(root))) roots << fmt::format("{}\n", graph_.guid(root));
    }
    jobs << fmt::format("ftree {0}.topo {0}.roots {0}.rows\n", base);
  }

  void judge(std::uint64_t seed) {
    const model::Fabric fabric = bench::broken(whole_, graph_, breakage_, seed);
    const Graph graph = value_of(Graph::from(fabric));
    const Availability all(graph);
    const std::optional<double> theirs = judge_peer(seed, graph);
    Levels level(graph.switch_count());
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      level[s] = structure_.level[in_whole(graph, SwitchIndex{s}).value()];
    }
    judge_ours(fabric, graph, value_of(routing::recognise(fabric, graph)), all, level, theirs,
               recognised_);
    using enum bench::Breakage::Kind;
    if (breakage_.kind == kSwaps || breakage_.kind == kCrossed) return;
    judge_ours(whole_, graph_, structure_, routing::present_in(whole_, graph_, fabric),
               structure_.level, theirs, remembered_);
  }

  [[nodiscard]] std::string json() const {
    return fmt::format(
        R"({{"hosts": {}, "switches": {}, "remembered": {}, "recognised": {}, "peer": {}}})",
        graph_.terminals().size(), graph_.switch_count(), remembered_.json(), recognised_.json(),
        peer_.json());
  }

 private:
  void judge_ours(const model::Fabric& fabric, const Graph& graph,
                  const routing::Structure& structure, const Availability& availability,
                  const Levels& level, std::optional<double> theirs, Tally& tally) {
    const routing::Computed computed =
        value_of(routing::compute_routes(fabric, graph, structure, availability, {}, workers_));
    const routing::Routes& routes = computed.routes;
    tally.other_engine += routes.engine == routing::Engine::kFatTree ? 0U : 1U;
    tally.undelivered += computed.verdict.unreachable + computed.verdict.looping;
    tally.cycles += computed.verdict.cycle.empty() ? 0U : 1U;
    tally.lanes = std::max(tally.lanes, std::popcount(computed.verdict.lanes_used));
    tally.not_in_lane_0 += kept_from_lane_0(graph, availability, level, routes.lanes);
    add_score(graph, availability, routes.tables, tally);
    if (theirs) tally.to_peer.push_back(tally.bisection.back() / *theirs);
  }

  /// The bisection bandwidth of the peer's tables; nothing where it made none.
  std::optional<double> judge_peer(std::uint64_t seed, const Graph& graph) {
    std::ifstream in(fmt::format("{}/{}.rows", folder_, seed), std::ios::binary);
    if (!in) return std::nullopt;
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::size_t length = bytes.size() / graph.switch_count();
    if (length == 0 || bytes.size() % graph.switch_count() != 0) stop("the peer's rows are odd");
    model::ForwardingTables tables(graph.switch_count(),
                                   model::Lid{static_cast<std::uint16_t>(length - 1)});
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(s * length), length,
                  tables.row(SwitchIndex{s}).begin());
      tables.mark_known(SwitchIndex{s});
    }
    const Availability all(graph);
    const routing::Verdict verdict = routing::check_routes(
        graph, all, tables, {routing::PathLevels(graph.switch_count(), graph.top_lid()), {}}, {},
        workers_);
    peer_.undelivered += verdict.unreachable + verdict.looping;
    peer_.cycles += verdict.cycle.empty() ? 0U : 1U;
    peer_.lanes = 1;
    add_score(graph, all, tables, peer_);
    return peer_.bisection.back();
  }

  void add_score(const Graph& graph, const Availability& availability,
                 const model::ForwardingTables& tables, Tally& tally) {
    const routing::Score score = routing::score_routes(graph, availability, tables, {}, workers_);
    tally.shift_max = std::max(tally.shift_max, score.shift_max);
    tally.bisection.push_back(score.bisection_bandwidth_ratio);
  }

  [[nodiscard]] SwitchIndex in_whole(const Graph& graph, SwitchIndex sw) const {
    return *whole_.switch_index(*whole_.find_node(graph.guid(sw)));
  }

  std::string folder_;
  bench::Breakage breakage_;
  model::Fabric whole_;
  Graph graph_;
  routing::Structure structure_;
  routing::Workers workers_;
  Tally remembered_;
  Tally recognised_;
  Tally peer_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 5 || (words[0] != "fabrics" && words[0] != "judge")) {
    stop("usage: fault_bench fabrics|judge PGFT_SHAPE BREAKAGE SEEDS FOLDER");
  }
  std::uint64_t seeds = 0;
  std::from_chars(words[3].data(), words[3].data() + words[3].size(), seeds);
  if (seeds == 0) stop("SEEDS is no number above 0");
  Series series(words[1], words[2], words[4]);
  if (words[0] == "fabrics") {
    std::ofstream jobs(words[4] + "/jobs");
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) series.write_fabric(seed, jobs);
    if (!jobs) stop("cannot write " + words[4]);
    return 0;
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) series.judge(seed);
  std::cout << series.json() << '\n';
  return 0;
}
