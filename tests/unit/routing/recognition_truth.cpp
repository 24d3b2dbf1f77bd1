#include "unit/routing/recognition_truth.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"

namespace heddle::routing::testing {
namespace {

using model::SwitchIndex;

model::Fabric made(model::Result<model::Fabric> fabric) {
  if (!fabric) throw std::logic_error(fabric.error().message());
  return *std::move(fabric);
}

Place place_of(const Known& known, model::NodeGuid guid) {
  const std::uint64_t offset = guid.value() - simulation::GeneratorOptions{}.guid_base;
  const auto tier = static_cast<std::uint32_t>(offset / simulation::kGuidRange - 2);
  return known.place(tier, offset % simulation::kGuidRange / simulation::kGuidStride);
}

/// The largest set of switches that hang together over arcs that `keep` takes.
std::vector<SwitchIndex> largest_piece(const Graph& graph, const std::vector<SwitchIndex>& of,
                                       const std::function<bool(const Arc&)>& keep) {
  std::vector<std::uint8_t> open(graph.switch_count(), 0);
  for (const SwitchIndex sw : of) open[sw.value()] = 1;
  std::vector<SwitchIndex> best;
  for (const SwitchIndex start : of) {
    if (open[start.value()] == 0) continue;
    open[start.value()] = 0;
    std::vector<SwitchIndex> piece{start};
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (const Arc& arc : graph.arcs_of(piece[i])) {
        if (open[arc.to.value()] == 0 || !keep(arc)) continue;
        open[arc.to.value()] = 0;
        piece.push_back(arc.to);
      }
    }
    if (piece.size() > best.size()) best = std::move(piece);
  }
  std::ranges::sort(best);
  return best;
}

bool host_at(const Graph& graph, SwitchIndex sw) {
  return std::ranges::any_of(graph.terminals_of(sw), [](const Terminal& terminal) {
    return terminal.kind == model::NodeKind::kHostAdapter;
  });
}

std::set<SwitchIndex> neighbours(const Graph& graph, SwitchIndex sw) {
  std::set<SwitchIndex> all;
  for (const Arc& arc : graph.arcs_of(sw)) all.insert(arc.to);
  return all;
}

/// Whether a switch has more neighbours in its pod than in any other.
bool belongs(const Graph& graph, const std::vector<Place>& place, SwitchIndex sw) {
  std::map<std::uint32_t, std::uint32_t> by_pod;
  for (const SwitchIndex other : neighbours(graph, sw)) {
    if (place[other.value()].pod) ++by_pod[*place[other.value()].pod];
  }
  const std::uint32_t own = by_pod[*place[sw.value()].pod];
  by_pod.erase(*place[sw.value()].pod);
  return std::ranges::all_of(by_pod, [own](const auto& other) { return other.second < own; });
}

}  // namespace

Known known_pgft(const std::string& text) {
  const model::Result<simulation::PgftShape> parsed = simulation::parse_pgft_shape(text);
  if (!parsed) throw std::logic_error(parsed.error().message());
  const simulation::PgftShape shape = *parsed;
  const auto place = [shape](std::uint32_t tier, std::uint64_t rank) {
    const std::size_t height = shape.m.size();
    Place found{.level = static_cast<std::uint8_t>(tier), .pod = std::nullopt};
    if (tier + 1 == height) {
      found.root = true;
      return found;
    }
    for (std::size_t level = 0; level <= tier; ++level) rank /= shape.w[level];
    for (std::size_t level = tier + 1; level + 1 < height; ++level) rank /= shape.m[level];
    found.pod = static_cast<std::uint32_t>(rank);
    return found;
  };
  return {text, made(simulation::make_pgft(shape, {})), Shape::kFatTree, place};
}

Known known_dragonfly(std::uint32_t routers, std::uint32_t hosts, std::uint32_t global,
                      std::uint32_t groups) {
  const auto place = [routers](std::uint32_t, std::uint64_t rank) {
    return Place{.level = 0, .pod = static_cast<std::uint32_t>(rank / routers)};
  };
  return {fmt::format("dragonfly {}x{}x{}", groups, routers, hosts),
          made(simulation::make_dragonfly({.routers_per_group = routers,
                                           .hosts_per_router = hosts,
                                           .global_links = global,
                                           .groups = groups},
                                          {})),
          Shape::kDragonfly, place};
}

Known known_dragonfly_plus(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                           std::uint32_t hosts, std::uint32_t global) {
  const auto place = [leaves, spines](std::uint32_t tier, std::uint64_t rank) {
    return Place{.level = static_cast<std::uint8_t>(tier),
                 .pod = static_cast<std::uint32_t>(rank / (tier == 0 ? leaves : spines))};
  };
  return {fmt::format("dragonfly+ {}x({}+{})", groups, leaves, spines),
          made(simulation::make_dragonfly_plus({.groups = groups,
                                                .leaves = leaves,
                                                .spines = spines,
                                                .hosts_per_leaf = hosts,
                                                .global_links = global},
                                               {})),
          Shape::kDragonflyPlus, place};
}

Known known_hybrid(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                   std::uint32_t super_spines, std::uint32_t hosts, bool two_homed) {
  const auto place = [leaves, spines](std::uint32_t tier, std::uint64_t rank) {
    Place found{.level = static_cast<std::uint8_t>(tier), .pod = std::nullopt, .root = tier == 2};
    if (tier < 2) found.pod = static_cast<std::uint32_t>(rank / (tier == 0 ? leaves : spines));
    return found;
  };
  return {fmt::format("hybrid {}x({}+{})+{}", groups, leaves, spines, super_spines),
          made(simulation::make_hybrid({.groups = groups,
                                        .leaves = leaves,
                                        .spines = spines,
                                        .super_spines = super_spines,
                                        .hosts_per_leaf = hosts,
                                        .two_homed = two_homed},
                                       {})),
          two_homed ? Shape::kHybrid : Shape::kFatTree, place};
}

Mistakes mistakes_in(const Known& known, const model::Fabric& left, const Graph& graph,
                     const Structure& structure) {
  Mistakes mistakes;
  mistakes.shape = structure.shape != known.shape;
  std::vector<SwitchIndex> all;
  std::vector<Place> place;
  std::map<std::uint32_t, std::vector<SwitchIndex>> pods;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    all.emplace_back(s);
    place.push_back(place_of(known, graph.guid(SwitchIndex{s})));
  }
  const auto say = [&](SwitchIndex sw, const auto& found) {
    return fmt::format("{}: {}", describe_switch(left, sw),
                       found ? fmt::format("{}", *found) : std::string("none"));
  };
  const std::vector<SwitchIndex> rest = largest_piece(graph, all, [](const Arc&) { return true; });
  for (const SwitchIndex sw : rest) {
    const Place& truth = place[sw.value()];
    const bool told = host_at(graph, sw) || neighbours(graph, sw).size() > 1;
    mistakes.levels_judged += told ? 1U : 0U;
    if (told && structure.level[sw.value()] != truth.level) {
      mistakes.levels.push_back(say(sw, structure.level[sw.value()]));
    }
    if (!told) continue;
    mistakes.roots_judged += truth.root ? 1U : 0U;
    if (std::ranges::binary_search(structure.roots, sw) != truth.root) {
      mistakes.roots.push_back(
          fmt::format("{}: {}", describe_switch(left, sw), truth.root ? "not named" : "is none"));
    }
    if (truth.pod) {
      pods[*truth.pod].push_back(sw);
    } else if (structure.pod[sw.value()]) {
      mistakes.pods.push_back(say(sw, structure.pod[sw.value()]));
    }
  }
  std::map<std::uint32_t, std::uint32_t> taken;  // found pod -> true pod
  for (const auto& [pod, members] : pods) {
    std::vector<SwitchIndex> piece = largest_piece(
        graph, members, [&](const Arc& arc) { return place[arc.to.value()].pod == pod; });
    std::erase_if(piece, [&](SwitchIndex sw) { return !belongs(graph, place, sw); });
    if (piece.empty()) continue;
    mistakes.pods_judged += static_cast<std::uint32_t>(piece.size());
    std::map<std::optional<std::uint32_t>, std::size_t> found;
    for (const SwitchIndex sw : piece) ++found[structure.pod[sw.value()]];
    const auto most = std::ranges::max_element(found, {}, [](const auto& x) { return x.second; });
    for (const SwitchIndex sw : piece) {
      if (structure.pod[sw.value()] != most->first || !most->first) {
        mistakes.pods.push_back(say(sw, structure.pod[sw.value()]));
      }
    }
    if (most->first && !taken.try_emplace(*most->first, pod).second) {
      mistakes.pods.push_back(fmt::format("pod {} is also another", pod));
    }
  }
  return mistakes;
}

}  // namespace heddle::routing::testing
