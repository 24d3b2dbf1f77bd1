// churn_bench PGFT_SHAPE FAULTS SEED FOLDER fabrics|judge: what a tree's tables change when things
// break, over what they must.
//
// "cut": one leaf-to-middle cable of the intact tree, beside OpenSM's ftree with a file of the
// roots. `fabrics` writes that fabric before and after the cut into FOLDER, and `jobs` for
// heddle_opensm_engines; `judge` reads what the peer made. "faults": FAULTS cables and whole
// switches one after another, each repaired and proved at once; what is away comes back by chance,
// so that a few per cent are away at a time. "left_over": entries that differ from those of the
// intact tree after everything is back; "differs_from_fresh": entries that differ from tables
// computed afresh, looked at every 50 faults.

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_program.hpp"
#include "discovery/topology_text.hpp"
#include "model/fabric_builder.hpp"
#include "routing/fat_tree.hpp"
#include "routing/ordered_proof.hpp"
#include "routing/random.hpp"
#include "routing/recognise.hpp"
#include "routing/table_changes.hpp"

namespace {

using namespace heddle;
using bench::stop;
using bench::value_of;
using model::ForwardingTables;
using model::SwitchIndex;
using routing::ArcIndex;
using routing::Availability;
using routing::Graph;
using routing::TableChanges;

constexpr std::uint32_t kAwayAtOnce = 24;
constexpr std::uint32_t kOneSwitchIn = 5;  ///< faults
constexpr std::uint32_t kLookEvery = 50;   ///< faults

std::uint64_t differing(const ForwardingTables& a, const ForwardingTables& b) {
  std::uint64_t count = 0;
  for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
    const auto x = a.row(SwitchIndex{s});
    const auto y = b.row(SwitchIndex{s});
    for (std::size_t lid = 0; lid < x.size(); ++lid) count += x[lid] != y[lid] ? 1U : 0U;
  }
  return count;
}

/// A cable or a switch.
struct Thing {
  std::optional<SwitchIndex> sw;
  ArcIndex cable{};
};

class Churn {
 public:
  explicit Churn(const std::string& shape)
      : fabric_(bench::tree_of(shape)),
        graph_(value_of(Graph::from(fabric_))),
        structure_(value_of(routing::recognise(fabric_, graph_))),
        workers_(2),
        tree_(graph_, routing::FatTreePlan::make(fabric_, graph_, structure_)),
        now_(graph_) {
    tree_.compute(now_, workers_);
    intact_ = tree_.tables();
  }

  void write_fabrics(const std::string& folder) {
    const std::string roots = folder + "/roots";
    std::ofstream roots_out(roots);
    for (const SwitchIndex root : structure_.roots) {
      roots_out << fmt::format("{}\n", graph_.guid(root));
    }
    std::ofstream(folder + "/whole.topo") << discovery::format_topology(fabric_);
    std::ofstream(folder + "/cut.topo") << discovery::format_topology(without_the_cable());
    std::ofstream jobs(folder + "/jobs");
    for (const char* const name : {"whole", "cut"}) {
      jobs << fmt::format("ftree {0}/{1}.topo {2} {0}/{1}.rows\n", folder, name, roots);
    }
    if (!jobs) stop("cannot write " + folder);
  }

  [[nodiscard]] std::string judge_cut(const std::string& folder) {
    Availability cut(graph_);
    cut.take_down(graph_, leaf_cable());
    repair(cut);
    const TableChanges ours = compare(cut, intact_, tree_.tables());
    repair(Availability(graph_));
    const std::uint64_t left = differing(intact_, tree_.tables());
    const TableChanges theirs =
        compare(cut, read_rows(folder + "/whole.rows"), read_rows(folder + "/cut.rows"));
    const auto json = [](const TableChanges& changes) {
      return fmt::format(R"({{"entries": {}, "unavoidable": {}, "switches": {}, "blocks": {}}})",
                         changes.entries, changes.unavoidable, changes.switches, changes.blocks);
    };
    return fmt::format(R"({{"ours": {}, "peer": {}, "left_over": {}}})", json(ours), json(theirs),
                       left);
  }

  [[nodiscard]] std::string judge_faults(std::uint32_t faults, std::uint64_t seed) {
    routing::SplitMix64 random(seed);
    std::vector<Thing> away;
    std::uint64_t entries = 0;
    std::uint64_t unavoidable = 0;
    std::uint64_t fresh_differs = 0;
    std::uint32_t switches = 0;
    double worst_ms = 0;
    for (std::uint32_t fault = 0; fault < faults; ++fault) {
      while (away.size() >= kAwayAtOnce || (!away.empty() && random.below(2) == 0)) {
        const std::size_t which = random.below(away.size());
        set(away[which], true);
        away.erase(away.begin() + static_cast<std::ptrdiff_t>(which));
        repair(now_);
      }
      const Thing thing = draw(random);
      switches += thing.sw ? 1U : 0U;
      set(thing, false);
      away.push_back(thing);
      const ForwardingTables before = tree_.tables();
      worst_ms = std::max(worst_ms, repair(now_));
      const TableChanges changes = compare(now_, before, tree_.tables());
      entries += changes.entries;
      unavoidable += changes.unavoidable;
      if (fault % kLookEvery == 0) {
        routing::FatTree fresh(graph_, tree_.plan());
        fresh.compute(now_, workers_);
        fresh_differs += differing(fresh.tables(), tree_.tables());
      }
    }
    repair(Availability(graph_));
    return fmt::format(
        R"({{"faults": {}, "of_switches": {}, "entries": {}, "unavoidable": {}, "differs_from_fresh": {}, "left_over": {}, "worst_repair_ms": {:.3f}}})",
        faults, switches, entries, unavoidable, fresh_differs, differing(intact_, tree_.tables()),
        worst_ms);
  }

 private:
  /// Repairs and proves; milliseconds.
  double repair(const Availability& next) {
    const Availability before = proved_;
    const bench::Clock::time_point begin = bench::Clock::now();
    const std::vector<routing::ChangedEntry> written = tree_.repair(next, workers_);
    const bool good = routing::prove_written(graph_, tree_.plan().directions(), before, next,
                                             tree_.tables(), written)
                          .good();
    const double spent = bench::milliseconds_since(begin);
    if (!good) stop("repaired tables do not pass the proof");
    proved_ = next;
    return spent;
  }

  [[nodiscard]] TableChanges compare(const Availability& availability,
                                     const ForwardingTables& before,
                                     const ForwardingTables& after) {
    return routing::compare_tables(graph_, availability, before, after, structure_.level, workers_);
  }

  /// The first cable up from the first leaf.
  [[nodiscard]] ArcIndex leaf_cable() const {
    for (std::uint32_t a = 0; a < graph_.arcs().size(); ++a) {
      if (structure_.level[graph_.arc(ArcIndex{a}).from.value()] == 0) return ArcIndex{a};
    }
    stop("no leaf has a cable up");
  }

  [[nodiscard]] model::Fabric without_the_cable() const {
    const routing::Arc& cable = graph_.arc(leaf_cable());
    const model::PortKey end{graph_.guid(cable.from), cable.exit};
    model::FabricBuilder builder(fabric_.name());
    for (std::uint32_t n = 0; n < fabric_.nodes().size(); ++n) {
      const model::NodeIndex node{n};
      builder.add_node(fabric_.node(node));
      for (const model::Port& port : fabric_.ports_of(node)) {
        builder.set_port(fabric_.node(node).guid, port);
      }
    }
    for (const model::Link& link : fabric_.links()) {
      if (fabric_.key(link.a) == end || fabric_.key(link.b) == end) continue;
      builder.connect(fabric_.key(link.a), fabric_.key(link.b));
    }
    return std::move(builder).build();
  }

  [[nodiscard]] ForwardingTables read_rows(const std::string& path) const {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    ForwardingTables tables(graph_.switch_count(), graph_.top_lid());
    if (bytes.size() != tables.row_length() * graph_.switch_count()) stop("odd rows in " + path);
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      const auto row = tables.row(SwitchIndex{s});
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(s * row.size()), row.size(),
                  row.begin());
      tables.mark_known(SwitchIndex{s});
    }
    return tables;
  }

  /// Something that is there.
  [[nodiscard]] Thing draw(routing::SplitMix64& random) const {
    for (;;) {
      if (random.below(kOneSwitchIn) == 0) {
        const SwitchIndex sw{static_cast<std::uint32_t>(random.below(graph_.switch_count()))};
        if (now_.up(sw)) return {sw, {}};
      } else {
        const ArcIndex cable{static_cast<std::uint32_t>(random.below(graph_.arcs().size()))};
        if (now_.usable(graph_, cable)) return {std::nullopt, cable};
      }
    }
  }
  void set(const Thing& thing, bool up) {
    if (thing.sw) {
      up ? now_.bring_back(*thing.sw) : now_.take_down(*thing.sw);
    } else {
      up ? now_.bring_back(graph_, thing.cable) : now_.take_down(graph_, thing.cable);
    }
  }

  model::Fabric fabric_;
  Graph graph_;
  routing::Structure structure_;
  routing::Workers workers_;
  routing::FatTree tree_;
  Availability now_;
  Availability proved_ = now_;  ///< that of the tables
  ForwardingTables intact_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 5) stop("usage: churn_bench PGFT_SHAPE FAULTS SEED FOLDER fabrics|judge");
  Churn churn(words[0]);
  if (words[4] == "fabrics") {
    churn.write_fabrics(words[3]);
    return 0;
  }
  const std::string cut = churn.judge_cut(words[3]);
  std::cout << fmt::format(
      R"({{"cut": {}, "churn": {}}})", cut,
      churn.judge_faults(static_cast<std::uint32_t>(std::stoul(words[1])), std::stoull(words[2])));
  std::cout << '\n';
  return 0;
}
