#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "routing/compute.hpp"
#include "routing/recognise.hpp"
#include "support/golden.hpp"
#include "support/paths.hpp"
#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::routing {
namespace {

using model::Fabric;
using model::ForwardingTables;
using model::PortNum;
using model::SwitchIndex;

struct Named {
  const char* name;
  Fabric (*make)();
};
std::ostream& operator<<(std::ostream& out, const Named& named) { return out << named.name; }

Fabric torus_3x3() { return support::torus({3, 3}, 1); }
Fabric hypercube_3() { return support::hypercube(3, 1); }
Fabric two_stars() { return support::two_stars(2, 2); }
Fabric meshed_tree() { return support::meshed_tree(2, 2, 2, 2, 2); }

/// Drawn in support/topologies.hpp and support/plain_graphs.hpp.
constexpr Named kNamed[] = {
    {"two_switches", support::two_switches},
    {"ft2_k4", support::ft2_k4},
    {"ft2_k4_missing_uplink", support::ft2_k4_missing_uplink},
    {"ft2_k8_parallel2", support::ft2_k8_parallel2},
    {"ft3_k4", support::ft3_k4},
    {"meshed_tree", meshed_tree},
    {"hybrid_two_homed", support::hybrid_two_homed},
    {"dfp_g3", support::dfp_g3},
    {"df_a4h2p2", support::df_a4h2p2},
    {"df_one_global_down", support::df_one_global_down},
    {"torus_3x3", torus_3x3},
    {"hypercube_3", hypercube_3},
    {"two_stars", two_stars},
};

/// One number a LID, right-aligned; `empty` is told as a point.
void append_row(std::string& out, std::span<const std::uint8_t> row, std::uint8_t empty) {
  for (std::size_t lid = 1; lid < row.size(); ++lid) {
    out += row[lid] == empty ? std::string("   .") : fmt::format("{:4}", row[lid]);
  }
  out += '\n';
}

/// The port for each LID at each switch, then the levels other than 0 and the mappings other than
/// VL = SL.
std::string told(const Fabric& fabric, const Graph& graph, const Routes& routes) {
  std::string out = fmt::format("engine {}\n\n{:12}", to_string(routes.engine), "LID");
  for (std::size_t lid = 1; lid < routes.tables.row_length(); ++lid) {
    fmt::format_to(std::back_inserter(out), "{:4}", lid);
  }
  out += '\n';
  const auto name = [&](SwitchIndex sw) {
    return fmt::format("{:12}", fabric.node(fabric.node_of(sw)).description);
  };
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    out += name(SwitchIndex{s});
    append_row(out, routes.tables.row(SwitchIndex{s}), ForwardingTables::kNoPort);
  }
  if (!routes.lanes.levels.all_zero()) out += "\nservice levels\n";
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const auto row = routes.lanes.levels.row(SwitchIndex{s});
    if (std::ranges::all_of(row, [](std::uint8_t level) { return level == 0; })) continue;
    out += name(SwitchIndex{s});
    append_row(out, row, 0);
  }
  if (!routes.lanes.maps.identity())
    out += "\nvirtual lane of each service level, by ports in, out\n";
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (std::uint8_t in = 0; in <= graph.port_count(sw); ++in) {
      for (std::uint8_t exit = 0; exit <= graph.port_count(sw); ++exit) {
        const model::SlToVl* map = routes.lanes.maps.find(sw, PortNum{in}, PortNum{exit});
        if (map == nullptr) continue;
        out += name(sw) + fmt::format("{:2} {:2}:", in, exit);
        for (const std::uint8_t vl : *map) fmt::format_to(std::back_inserter(out), " {}", vl);
        out += '\n';
      }
    }
  }
  return out;
}

class GoldenTables : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Fabrics, GoldenTables, testing::ValuesIn(kNamed),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(GoldenTables, AreAsTheyWere) {
  const Fabric fabric = support::assign_lids(GetParam().make());
  const Graph graph = support::graph_of(fabric);
  Workers workers(1);
  const model::Result<Computed> computed =
      compute_routes(fabric, graph, *recognise(fabric, graph), Availability(graph), {}, workers);
  ASSERT_TRUE(computed.has_value()) << computed.error().text;
  support::expect_golden(
      support::checkout_path("tests/golden/tables") / (std::string(GetParam().name) + ".txt"),
      told(fabric, graph, computed->routes));
}

}  // namespace
}  // namespace heddle::routing
