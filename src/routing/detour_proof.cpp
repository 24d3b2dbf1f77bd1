#include "routing/detour_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "model/fabric_tables.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

/// A packet that crossed more cables than this circles.
constexpr std::size_t kMostHops = 64;

using Waits = std::pair<std::uint32_t, std::uint32_t>;  ///< (arc held, arc wanted)

/// Whether some of them lie on a circle. Arcs that nothing is waited for by are taken away until
/// none is left, or only circles and what they wait for (Kahn, CACM 5(11), 1962).
bool has_cycle(std::vector<Waits> edges) {
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<std::uint32_t> arcs;
  for (const auto& [held, wanted] : edges) {
    arcs.push_back(held);
    arcs.push_back(wanted);
  }
  std::ranges::sort(arcs);
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  const auto place = [&](std::uint32_t arc) {
    return static_cast<std::size_t>(std::ranges::lower_bound(arcs, arc) - arcs.begin());
  };
  std::vector<std::uint32_t> holders(arcs.size(), 0);
  for (const auto& edge : edges) ++holders[place(edge.second)];
  std::vector<std::uint32_t> free;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (holders[i] == 0) free.push_back(arcs[i]);
  }
  std::size_t removed = 0;
  while (!free.empty()) {
    const std::uint32_t held = free.back();
    free.pop_back();
    ++removed;
    for (auto edge = std::ranges::lower_bound(edges, Waits{held, 0});
         edge != edges.end() && edge->first == held; ++edge) {
      if (--holders[place(edge->second)] == 0) free.push_back(edge->second);
    }
  }
  return removed != arcs.size();
}

class Walker {
 public:
  Walker(const Graph& graph, const Availability& availability, const ForwardingTables& tables,
         std::span<const DetourEntry> entries)
      : graph_(graph), availability_(availability), tables_(tables), entries_(entries) {}

  /// Adds what the detour's channels wait for; false if it does not end at the LID.
  bool walk(const DetourEntry& detour, std::vector<Waits>& waits) const {
    const Destination* const to = graph_.find(detour.lid);
    if (to == nullptr || !availability_.usable(graph_, *to)) return false;
    SwitchIndex sw = detour.sw;
    std::optional<std::uint32_t> held;
    for (std::size_t hops = 0; sw != to->at; ++hops) {
      if (hops == kMostHops || !availability_.up(sw)) return false;
      const PortTarget target = graph_.target(sw, model::PortNum{port(sw, detour.lid)});
      if (target.kind != PortTarget::Kind::kSwitch ||
          !availability_.usable(graph_, ArcIndex{target.index})) {
        return false;
      }
      if (held) waits.emplace_back(*held, target.index);
      held = target.index;
      sw = graph_.arc(ArcIndex{target.index}).to;
    }
    return port(sw, detour.lid) == graph_.last_exit(*to).value();
  }

 private:
  [[nodiscard]] std::uint8_t port(SwitchIndex sw, model::Lid lid) const {
    const auto key = [](const DetourEntry& entry) { return std::tuple(entry.lid, entry.sw); };
    const auto found = std::ranges::lower_bound(entries_, std::tuple(lid, sw), {}, key);
    const bool is_detour = found != entries_.end() && key(*found) == std::tuple(lid, sw);
    return is_detour ? found->port : tables_.row(sw)[lid.value()];
  }

  const Graph& graph_;
  const Availability& availability_;
  const ForwardingTables& tables_;
  std::span<const DetourEntry> entries_;
};

}  // namespace

std::optional<std::string> find_wrong_detour(const Graph& graph, const Availability& availability,
                                             const ForwardingTables& tables,
                                             std::span<const DetourEntry> entries) {
  const Walker walker(graph, availability, tables, entries);
  std::vector<std::vector<Waits>> waits(std::tuple_size_v<model::SlToVl>);
  for (const DetourEntry& detour : entries) {
    if (!walker.walk(detour, waits[detour.level.value()])) {
      return fmt::format("the detour from switch {} to LID {} does not end there",
                         graph.guid(detour.sw), detour.lid);
    }
  }
  for (std::size_t level = 0; level < waits.size(); ++level) {
    if (has_cycle(std::move(waits[level]))) {
      return fmt::format("detours on service level {} wait for each other in a circle", level);
    }
  }
  return std::nullopt;
}

}  // namespace heddle::routing
