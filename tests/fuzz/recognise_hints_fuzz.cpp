#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "cli/recognise_hints.hpp"
#include "routing/graph.hpp"
#include "simulation/generators.hpp"

namespace {

using heddle::model::NodeGuid;

/// Whether all are switches of the fabric, none twice.
bool sound(const heddle::model::Fabric& fabric, const std::vector<NodeGuid>& guids,
           std::set<NodeGuid>& seen) {
  for (const NodeGuid guid : guids) {
    const auto node = fabric.find_node(guid);
    if (!node || !fabric.switch_index(*node) || !seen.insert(guid).second) return false;
  }
  return true;
}

}  // namespace

/// Any text gives switches of the fabric, each once, or an error with a line; recognition takes
/// whatever is given.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const heddle::model::Fabric fabric =
      *heddle::simulation::make_pgft({{2, 2, 4}, {1, 2, 2}, {1, 1, 1}, 4}, {});
  static const heddle::routing::Graph graph = *heddle::routing::Graph::from(fabric);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heddle::routing::RecogniseHints hints;
  if (const auto roots = heddle::cli::parse_roots(text, "f", fabric)) {
    std::set<NodeGuid> seen;
    if (!sound(fabric, *roots, seen)) std::abort();
    hints.roots = *roots;
  } else if (!roots.error().position || roots.error().position->line == 0) {
    std::abort();
  }
  if (const auto groups = heddle::cli::parse_groups(text, "f", fabric)) {
    std::set<NodeGuid> seen;
    for (const auto& group : *groups) {
      if (group.empty() || !sound(fabric, group, seen)) std::abort();
    }
    hints.groups = *groups;
  }
  if (!heddle::routing::recognise(fabric, graph, hints)) std::abort();
  return 0;
}
