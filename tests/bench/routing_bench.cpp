// routing_bench SHAPE: times the fat-tree engine on a generated fabric with two threads and prints
// one JSON object. SHAPE is a PGFT's, such as `18,18,6:1,18,9:1,1,2`, or of a dragonfly+
// `GROUPS,LEAVES,SPINES,HOSTS,GLOBAL`.
//
// "first" is the call that starts from a Fabric and nothing else, in a process that has done
// nothing else; "again" one with memory reused; each is tables and proof of delivery and
// acyclicity. "bare" is the arithmetic alone (d_mod_k_reference.hpp). "checked" is
// compute_routes(): what `heddle route` does, its own walk of every path included. Repairs are of
// one cable at a time, proof included. "order" is of order_writes() for the entries that such a cut
// and the return after it change, with the most steps and, of all, the share of blocks that are
// written twice. "peak_bytes" is of the process after the first call, the
// Fabric included.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench_program.hpp"
#include "bench/d_mod_k_reference.hpp"
#include "routing/compute.hpp"
#include "routing/fat_tree.hpp"
#include "routing/fat_tree_engine.hpp"
#include "routing/ordered_proof.hpp"
#include "routing/recognise.hpp"
#include "routing/tree_routes.hpp"
#include "routing/write_order.hpp"

namespace {

using namespace heddle;
using bench::Clock;
using bench::milliseconds_since;
using bench::stop;
using bench::value_of;

constexpr int kAgain = 5;
constexpr std::size_t kRepairs = 50;
/// Walking every path of larger fabrics takes longer than all the rest.
constexpr std::size_t kMostTerminalsChecked = 12000;

void prove(const routing::Graph& graph, const routing::FatTree& tree,
           const routing::Availability& availability, routing::Workers& workers) {
  const routing::OrderedProof proof =
      routing::prove_ordered(graph, tree.plan().directions(), availability, tree.tables(), workers);
  if (!proof.good() || !proof.undelivered.empty())
    stop("tables of a healthy tree do not pass the proof");
}

/// Milliseconds of repairs of one cable each.
struct Repairs {
  std::vector<double> at_leaf;  ///< between a leaf and the level above
  std::vector<double> above;
  [[nodiscard]] double worst() const {
    double most = 0;
    for (const auto* times : {&at_leaf, &above}) {
      for (const double time : *times) most = std::max(most, time);
    }
    return most;
  }
};

/// Orders of writing for such repairs.
struct Orders {
  std::vector<double> cut_ms;
  std::vector<double> return_ms;
  std::size_t most_steps = 0;
  std::size_t most_writes = 0;
  std::size_t writes = 0;
  std::size_t second_writes = 0;
  [[nodiscard]] double worst() const {
    return std::max(std::ranges::max(cut_ms), std::ranges::max(return_ms));
  }
};

/// `tables` are what is in the switches, and then what is to be there.
double order(const routing::Graph& graph, const routing::FatTreePlan& plan,
             const routing::Availability& now, const std::vector<routing::ChangedEntry>& changes,
             model::ForwardingTables& tables, Orders& orders) {
  const Clock::time_point begin = Clock::now();
  const routing::WritePlan writes = value_of(routing::order_writes(
      graph, now, tables, changes, routing::against_order(plan.directions()), {}));
  const double taken = milliseconds_since(begin);
  if (!writes.lost.empty() || writes.clears_first) stop("a repair loses pairs while it is written");
  for (const routing::ChangedEntry& change : changes) {
    tables.row(change.sw)[change.lid.value()] = change.after;
  }
  orders.most_steps = std::max(orders.most_steps, writes.steps.size());
  orders.most_writes = std::max(orders.most_writes, writes.writes);
  orders.writes += writes.writes;
  orders.second_writes += writes.second_writes;
  return taken;
}

Orders orders(const routing::Graph& graph, const routing::FatTreePlan& plan,
              routing::Workers& workers) {
  routing::FatTree tree(graph, plan);
  const routing::Availability all(graph);
  tree.compute(all, workers);
  model::ForwardingTables tables = tree.tables();
  Orders orders;
  const std::size_t stride = std::max<std::size_t>(graph.arcs().size() / kRepairs, 1);
  for (std::size_t a = 0; a < graph.arcs().size(); a += stride) {
    routing::Availability cut(graph);
    cut.take_down(graph, routing::ArcIndex{static_cast<std::uint32_t>(a)});
    orders.cut_ms.push_back(order(graph, plan, cut, tree.repair(cut, workers), tables, orders));
    orders.return_ms.push_back(order(graph, plan, all, tree.repair(all, workers), tables, orders));
  }
  return orders;
}

/// Repairs of cables spread over the tree, one after another: whole routes, detours in a second
/// lane and all proofs included.
Repairs repairs(const routing::Graph& graph, const routing::FatTreePlan& plan,
                routing::Workers& workers) {
  constexpr std::uint8_t kMaxLanes = 8;
  routing::TreeRoutes routes(graph, plan, kMaxLanes);
  const routing::Availability all(graph);
  if (!routes.compute(all, workers)) stop("a healthy tree is not routed");
  if (!routes.rehearse(workers)) stop("a repair cannot be rehearsed");
  Repairs times;
  const std::size_t stride = std::max<std::size_t>(graph.arcs().size() / kRepairs, 1);
  for (std::size_t a = 0; a < graph.arcs().size(); a += stride) {
    routing::Availability cut(graph);
    cut.take_down(graph, routing::ArcIndex{static_cast<std::uint32_t>(a)});
    const Clock::time_point begin = Clock::now();
    const auto change = routes.repair(cut, workers);
    const double taken = milliseconds_since(begin);
    const routing::Arc& cable = graph.arc(routing::ArcIndex{static_cast<std::uint32_t>(a)});
    const bool at_leaf = std::min(plan.level(cable.from), plan.level(cable.to)) == 0;
    (at_leaf ? times.at_leaf : times.above).push_back(taken);
    if (!change || !routes.undelivered().empty()) stop("a cut is not repaired");
    if (!routes.repair(all, workers)) stop("a cable that is back is not taken up");
  }
  return times;
}

/// Nothing for a PGFT's shape.
std::optional<simulation::DragonflyPlusShape> dragonfly_plus_shape(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return std::nullopt;
  const std::vector<std::uint32_t> numbers = bench::numbers(text);
  if (numbers.size() != 5) return std::nullopt;
  return simulation::DragonflyPlusShape{.groups = numbers[0],
                                        .leaves = numbers[1],
                                        .spines = numbers[2],
                                        .hosts_per_leaf = numbers[3],
                                        .global_links = numbers[4]};
}

std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Time of the arithmetic alone, first and with memory reused; it must give the same tables.
struct Bare {
  double first_ms = 0;
  double again_ms = 0;
};
Bare bare(const routing::Graph& graph, const routing::FatTree& tree, routing::Workers& workers) {
  const bench::DModKReference reference(graph, tree.plan());
  Bare times;
  const Clock::time_point begin = Clock::now();
  model::ForwardingTables tables(graph.switch_count(), graph.top_lid());
  reference.write(tables, workers);
  times.first_ms = milliseconds_since(begin);
  std::vector<double> again;
  for (int i = 0; i < kAgain; ++i) {
    const Clock::time_point part = Clock::now();
    reference.write(tables, workers);
    again.push_back(milliseconds_since(part));
  }
  times.again_ms = bench::median(again);
  if (reference.differing(tree.tables()) != 0) stop("the tables are not those of D-mod-K");
  return times;
}

/// Tables of a dragonfly+ from the Fabric on: proved by their order, detours for LIDs of switches
/// in a second lane proved besides.
int measure_dragonfly_plus(const simulation::DragonflyPlusShape& shape, const char* text,
                           routing::Workers& workers) {
  const model::Fabric fabric =
      value_of(model::with_lids(value_of(simulation::make_dragonfly_plus(shape, {})), {}));
  const Clock::time_point begin = Clock::now();
  const routing::Graph graph = value_of(routing::Graph::from(fabric));
  const double graph_ms = milliseconds_since(begin);
  Clock::time_point part = Clock::now();
  const routing::Structure structure = value_of(routing::recognise(fabric, graph));
  const double recognise_ms = milliseconds_since(part);
  const routing::Availability all(graph);
  const auto routes = routing::route_dragonfly_plus(fabric, graph, structure, all, {}, workers);
  const double first_ms = milliseconds_since(begin);
  if (!routes) stop(routes.error().text);
  if (!routes->undelivered.empty()) stop("a healthy dragonfly+ is not routed");
  part = Clock::now();
  const routing::Verdict verdict =
      routing::check_routes(graph, all, routes->tables, routes->lanes, {}, workers);
  if (!verdict.good()) stop("tables of a healthy dragonfly+ are not good");
  std::cout << fmt::format(
      R"({{"shape": "{}", "hosts": {}, "switches": {}, "table_bytes": {}, "vls": {}, "graph_ms": {:.3f}, "recognise_ms": {:.3f}, "first_ms": {:.3f}, "check_ms": {:.3f}}})",
      text, graph.terminals().size(), graph.switch_count(),
      graph.switch_count() * routes->tables.row_length(), std::popcount(verdict.lanes_used),
      graph_ms, recognise_ms, first_ms, milliseconds_since(part));
  std::cout << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) stop("usage: routing_bench PGFT_SHAPE|GROUPS,LEAVES,SPINES,HOSTS,GLOBAL");
  routing::Workers workers(2);
  if (const auto plus = dragonfly_plus_shape(argv[1])) {
    return measure_dragonfly_plus(*plus, argv[1], workers);
  }
  const model::Fabric fabric = bench::tree_of(argv[1]);

  const Clock::time_point begin = Clock::now();
  const routing::Graph graph = value_of(routing::Graph::from(fabric));
  const double graph_ms = milliseconds_since(begin);
  Clock::time_point part = Clock::now();
  const routing::Structure structure = value_of(routing::recognise(fabric, graph));
  const double recognise_ms = milliseconds_since(part);
  part = Clock::now();
  routing::FatTree tree(graph, routing::FatTreePlan::make(fabric, graph, structure));
  const double plan_ms = milliseconds_since(part);
  part = Clock::now();
  const routing::Availability all(graph);
  tree.compute(all, workers);
  const double tables_first_ms = milliseconds_since(part);
  prove(graph, tree, all, workers);
  const double first_ms = milliseconds_since(begin);
  const std::size_t peak = peak_bytes();

  std::vector<double> tables_again_ms, again_ms;
  for (int i = 0; i < kAgain; ++i) {
    part = Clock::now();
    tree.compute(all, workers);
    tables_again_ms.push_back(milliseconds_since(part));
    prove(graph, tree, all, workers);
    again_ms.push_back(milliseconds_since(part));
  }
  const Bare reference = bare(graph, tree, workers);
  const Repairs repair_ms = repairs(graph, tree.plan(), workers);
  const Orders ordered = orders(graph, tree.plan(), workers);
  double checked_ms = 0;
  if (graph.terminals().size() <= kMostTerminalsChecked) {
    part = Clock::now();
    const auto computed = routing::compute_routes(fabric, graph, structure, all, {}, workers);
    checked_ms = milliseconds_since(part);
    if (!computed || !computed->verdict.good()) stop("a healthy fabric is not routed");
  }
  std::cout << fmt::format(
      R"({{"shape": "{}", "hosts": {}, "switches": {}, "table_bytes": {}, "peak_bytes": {}, "graph_ms": {:.3f}, "recognise_ms": {:.3f}, "plan_ms": {:.3f}, "tables_first_ms": {:.3f}, "first_ms": {:.3f}, "tables_again_ms": {:.3f}, "again_ms": {:.3f}, "bare_first_ms": {:.3f}, "bare_again_ms": {:.3f}, "checked_ms": {:.3f}, "repair_leaf_ms": {:.3f}, "repair_above_ms": {:.3f}, "repair_worst_ms": {:.3f}, "order_cut_ms": {:.3f}, "order_return_ms": {:.3f}, "order_worst_ms": {:.3f}, "order_steps": {}, "order_blocks": {}, "order_second_ratio": {:.4f}}})",
      argv[1], graph.terminals().size(), graph.switch_count(),
      graph.switch_count() * tree.tables().row_length(), peak, graph_ms, recognise_ms, plan_ms,
      tables_first_ms, first_ms, bench::median(tables_again_ms), bench::median(again_ms),
      reference.first_ms, reference.again_ms, checked_ms, bench::median(repair_ms.at_leaf),
      bench::median(repair_ms.above), repair_ms.worst(), bench::median(ordered.cut_ms),
      bench::median(ordered.return_ms), ordered.worst(), ordered.most_steps, ordered.most_writes,
      ordered.writes == 0
          ? 0.0
          : static_cast<double>(ordered.second_writes) / static_cast<double>(ordered.writes));
  std::cout << '\n';
  return 0;
}
