#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "cli/traffic_files.hpp"
#include "model/fabric_lids.hpp"
#include "routing/graph.hpp"
#include "simulation/generators.hpp"

namespace {

using heddle::routing::TerminalIndex;

bool has_place(const heddle::model::Error& error) {
  return error.position && error.position->line != 0;
}

}  // namespace

/// Any text gives flows between different end ports, each of a job that is there, and ranks without
/// repetition, or an error with a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const heddle::model::Fabric fabric =
      *heddle::model::with_lids(*heddle::simulation::make_hybrid({.groups = 2,
                                                                  .leaves = 2,
                                                                  .spines = 2,
                                                                  .super_spines = 2,
                                                                  .hosts_per_leaf = 2,
                                                                  .two_homed = true},
                                                                 {}),
                                {});
  static const heddle::routing::Graph graph = *heddle::routing::Graph::from(fabric);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto traffic = heddle::cli::parse_traffic(text, "f", fabric, graph)) {
    if (traffic->flows.empty() || traffic->job.size() != traffic->flows.size()) std::abort();
    for (std::size_t f = 0; f < traffic->flows.size(); ++f) {
      const heddle::routing::Flow& flow = traffic->flows[f];
      if (flow.source == flow.destination || traffic->job[f] >= traffic->jobs.size()) std::abort();
      if (!graph.terminal(flow.source).lid || !graph.terminal(flow.destination).lid) std::abort();
    }
  } else if (!has_place(traffic.error())) {
    std::abort();
  }
  if (const auto ranks = heddle::cli::parse_ranks(text, "f", fabric, graph)) {
    const std::set<TerminalIndex> distinct(ranks->begin(), ranks->end());
    if (ranks->size() < 2 || distinct.size() != ranks->size()) std::abort();
  } else if (!has_place(ranks.error())) {
    std::abort();
  }
  return 0;
}
