#include "routing/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/fabric_summary.hpp"
#include "routing/recognition/describe.hpp"
#include "routing/recognition/hosts.hpp"
#include "routing/recognition/leaves.hpp"
#include "routing/recognition/net.hpp"
#include "routing/recognition/part.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::SwitchIndex;
using recognition::Net;
using recognition::Part;
using recognition::Vertex;

namespace {

/// Hints by vertex.
struct Named {
  std::vector<std::uint8_t> root;
  std::vector<std::optional<std::uint32_t>> group;
};

model::Result<Named> resolve(const Graph& graph, const RecogniseHints& hints) {
  std::map<model::NodeGuid, Vertex> by_guid;
  for (Vertex v = 0; v < graph.switch_count(); ++v) by_guid[graph.guid(SwitchIndex{v})] = v;
  Named named;
  named.root.assign(graph.switch_count(), 0);
  named.group.resize(graph.switch_count());
  for (const model::NodeGuid guid : hints.roots) {
    const auto found = by_guid.find(guid);
    if (found == by_guid.end()) {
      return fail(Errc::kNotFound, fmt::format("root {} is no switch of the fabric", guid));
    }
    named.root[found->second] = 1;
  }
  for (std::uint32_t g = 0; g < hints.groups.size(); ++g) {
    for (const model::NodeGuid guid : hints.groups[g]) {
      const auto found = by_guid.find(guid);
      if (found == by_guid.end()) {
        return fail(Errc::kNotFound, fmt::format("{} of a group is no switch of the fabric", guid));
      }
      named.group[found->second] = g;
    }
  }
  return named;
}

Part recognise_with(const Net& net, std::vector<Vertex> members, const Named& named) {
  std::vector<Vertex> roots;
  std::vector<std::optional<std::uint32_t>> group;
  bool grouped = false;
  for (Vertex v = 0; v < members.size(); ++v) {
    if (named.root[members[v]] != 0) roots.push_back(v);
    group.push_back(named.group[members[v]]);
    grouped = grouped || group.back();
  }
  if (!roots.empty()) {
    Part part = tree_below(net, std::move(members), roots);
    if (grouped && !part.pods.empty()) part.pods.back() = std::move(group);
    return part;
  }
  if (grouped) return grouped_as(net, std::move(members), std::move(group));
  return recognise_part(net, std::move(members));
}

/// The part that gives the fabric its shape: of most hosts, else of most switches, else the first.
std::size_t main_part(const Net& net, const std::vector<Part>& parts) {
  const auto size = [&](const Part& part) {
    std::uint64_t hosts = 0;
    for (const Vertex v : part.members) hosts += net.hosts(v);
    return std::pair(hosts, part.members.size());
  };
  return static_cast<std::size_t>(std::ranges::max_element(parts, {}, size) - parts.begin());
}

/// Numbers pods over all parts and orders leaves by them. A pod that a fault cut off from its roots
/// is a part of fewer levels, all of it one pod.
void place_in_pods(const std::vector<Part>& parts, Structure& structure) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const std::size_t count = structure.level.size();
  std::vector<std::uint32_t> key(count, kNone);  // lowest switch of the pod
  std::vector<std::pair<std::vector<std::uint32_t>, Vertex>> leaves;
  for (const Part& part : parts) {
    const bool tree = part.shape == Shape::kFatTree || part.shape == Shape::kSingleSwitch;
    const bool cut_off = tree && part.pods.size() + 2U < structure.levels;
    std::vector<std::vector<std::uint32_t>> keys(part.pods.size());
    for (std::size_t k = 0; k < part.pods.size(); ++k) {
      std::map<std::uint32_t, Vertex> lowest;
      for (Vertex v = 0; v < part.members.size(); ++v) {
        if (part.pods[k][v]) lowest.try_emplace(*part.pods[k][v], part.members[v]);
        keys[k].push_back(part.pods[k][v] ? lowest.at(*part.pods[k][v]) : kNone);
      }
    }
    for (Vertex v = 0; v < part.members.size(); ++v) {
      if (!part.levels[v]) continue;
      const Vertex global = part.members[v];
      if (cut_off)
        key[global] = part.members.front();
      else if (!keys.empty())
        key[global] = keys.back()[v];
      else if (tree && part.levels[v] == std::uint8_t{0})
        key[global] = global;
      if (part.levels[v] != std::uint8_t{0}) continue;
      std::vector<std::uint32_t> path{key[global]};
      for (auto k = keys.rbegin(); k != keys.rend(); ++k) path.push_back((*k)[v]);
      leaves.emplace_back(std::move(path), global);
    }
  }
  std::vector<std::uint32_t> number(count, kNone);
  for (const std::uint32_t k : key) {
    if (k != kNone) number[k] = 0;
  }
  for (std::uint32_t& n : number) {
    if (n != kNone) n = structure.pods++;
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (key[v] != kNone) structure.pod[v] = number[key[v]];
  }
  std::ranges::sort(leaves);
  for (const auto& [path, v] : leaves) structure.leaf_order.emplace_back(v);
}

void find_roots(const Net& net, Structure& structure) {
  for (Vertex v = 0; v < net.size(); ++v) {
    if (!structure.level[v]) continue;
    // A leaf that lost its uplinks is no root beside others.
    const bool low = *structure.level[v] + 1 < structure.levels;
    if (!low) structure.roots.emplace_back(v);
  }
}

/// What the cables of one switch carry in one direction.
struct Capacity {
  std::uint64_t cables = 0;
  std::uint64_t bits_per_second = 0;
  std::uint64_t of_unknown_rate = 0;

  void add(const model::Fabric& fabric, model::PortIndex port) {
    const std::optional<model::LinkIndex> link = fabric.link_of(port);
    const std::optional<model::BitsPerSecond> rate =
        link ? model::data_rate(model::rate_of(fabric, fabric.link(*link))) : std::nullopt;
    ++cables;
    rate ? bits_per_second += rate->value() : ++of_unknown_rate;
  }
};

/// Down to up times 1000, rounded; by number of cables where a rate is unknown.
std::uint64_t permille(const Capacity& down, const Capacity& up) {
  const bool known = down.of_unknown_rate + up.of_unknown_rate == 0;
  // Mb/s, so that a thousand times all cables of a switch stays far below 2^64.
  constexpr std::uint64_t kMega = 1'000'000;
  const std::uint64_t d = known ? down.bits_per_second / kMega : down.cables;
  const std::uint64_t u = known ? up.bits_per_second / kMega : up.cables;
  return u == 0 ? 0 : (1000 * d + u / 2) / u;
}

void measure_oversubscription(const model::Fabric& fabric, const Graph& graph,
                              Structure& structure) {
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> ratios(structure.levels);
  for (Vertex v = 0; v < graph.switch_count(); ++v) {
    const SwitchIndex sw{v};
    if (!structure.level[v] || *structure.level[v] + 1 >= structure.levels) continue;
    Capacity up;
    Capacity down;
    for (const Terminal& t : graph.terminals_of(sw)) {
      if (t.kind == model::NodeKind::kHostAdapter) down.add(fabric, t.port);
    }
    const model::PortIndex first = fabric.first_port(fabric.node_of(sw));
    for (const Arc& arc : graph.arcs_of(sw)) {
      const std::optional<std::uint8_t> other = structure.level[arc.to.value()];
      if (!other || *other == *structure.level[v]) continue;
      (*other > *structure.level[v] ? up : down)
          .add(fabric, model::PortIndex{first.value() + arc.exit.value()});
    }
    if (up.cables != 0 && down.cables != 0) {
      ratios[*structure.level[v]].emplace_back(permille(down, up), 1);
    }
  }
  for (std::size_t level = 0; level + 1 < structure.levels; ++level) {
    structure.oversubscription_permille.push_back(
        static_cast<std::uint32_t>(recognition::weighted_median(std::move(ratios[level]))));
  }
}

/// Most hosts have ports on several leaves of one pod.
bool mostly_two_homed(const Graph& graph, const Structure& structure,
                      const std::vector<std::vector<recognition::HostPort>>& hosts) {
  std::size_t two_homed = 0;
  for (const auto& host : hosts) {
    const SwitchIndex first = graph.terminal(host.front().terminal).leaf;
    two_homed += std::ranges::any_of(host, [&](const recognition::HostPort& port) {
      const SwitchIndex other = graph.terminal(port.terminal).leaf;
      return other != first && structure.pod[first.value()] &&
             structure.pod[other.value()] == structure.pod[first.value()];
    });
  }
  return 2 * two_homed > hosts.size();
}

/// The pods of one third have at most half as many spines as those of another, and still several:
/// no accident.
bool pods_of_several_shapes(const Structure& structure) {
  std::vector<std::uint32_t> spines(structure.pods, 0);
  for (std::size_t v = 0; v < structure.level.size(); ++v) {
    if (structure.pod[v] && structure.level[v] == std::uint8_t{1}) ++spines[*structure.pod[v]];
  }
  std::ranges::sort(spines);
  if (spines.size() < 4) return false;
  const std::size_t third = spines.size() / 3;
  return spines[third] > 1 && 2 * spines[third] <= spines[spines.size() - 1 - third];
}

}  // namespace

model::Result<Structure> recognise(const model::Fabric& fabric, const Graph& graph,
                                   const RecogniseHints& hints) {
  const model::Result<Named> named = resolve(graph, hints);
  if (!named) return fail(named.error());
  Structure structure;
  structure.level.resize(graph.switch_count());
  structure.pod.resize(graph.switch_count());
  if (graph.switch_count() == 0) return structure;

  const Net net = Net::from(graph);
  std::vector<Part> parts;
  for (std::vector<Vertex>& members : recognition::components(net)) {
    const Net own = net.part(members);
    parts.push_back(recognise_with(own, std::move(members), *named));
  }
  structure.components = static_cast<std::uint32_t>(parts.size());
  const std::size_t main = main_part(net, parts);
  structure.shape = parts[main].shape;
  for (const Part& part : parts) {
    for (Vertex v = 0; v < part.members.size(); ++v) {
      structure.level[part.members[v]] = part.levels[v];
      if (part.levels[v])
        structure.levels = std::max<std::uint8_t>(structure.levels, *part.levels[v] + 1);
    }
  }
  place_in_pods(parts, structure);
  if (structure.shape == Shape::kFatTree || structure.shape == Shape::kSingleSwitch) {
    find_roots(net, structure);
    measure_oversubscription(fabric, graph, structure);
  }
  const auto hosts = recognition::hosts_of(fabric, graph);
  structure.rail = recognition::rails_of(graph, hosts);
  if (structure.shape == Shape::kFatTree && structure.levels > 2 &&
      (mostly_two_homed(graph, structure, hosts) || pods_of_several_shapes(structure))) {
    structure.shape = Shape::kHybrid;
  }
  if (structure.shape == Shape::kDragonflyPlus && pods_of_several_shapes(structure)) {
    structure.shape = Shape::kHybrid;
  }
  structure.irregularities = recognition::describe(
      {.fabric = fabric, .graph = graph, .net = net, .parts = parts, .main = main, .hosts = hosts},
      structure);
  return structure;
}

}  // namespace heddle::routing
