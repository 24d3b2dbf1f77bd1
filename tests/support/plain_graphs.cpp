#include "support/plain_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "simulation/fabric_maker.hpp"
#include "support/topologies.hpp"

namespace heddle::support {
namespace {

using Cables = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

model::Fabric build(std::uint32_t switches, const Cables& cables,
                    const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> ports = hosts;
  for (const auto& [a, b] : cables) {
    ++ports[a];
    ++ports[b];
  }
  simulation::FabricMaker maker({.fabric_name = "plain"});
  std::uint64_t rank = 0;
  for (std::uint32_t s = 0; s < switches; ++s) {
    maker.add_switch(maker.switch_guid(0, s), ports[s], fmt::format("switch-{:04}", s));
    for (std::uint32_t h = 0; h < hosts[s]; ++h, ++rank) {
      maker.add_host(rank, 1);
      maker.cable(maker.host_guid(rank), 1, maker.switch_guid(0, s), 1 + h);
    }
  }
  std::vector<std::uint32_t> next = hosts;
  for (const auto& [a, b] : cables) {
    maker.cable(maker.switch_guid(0, a), ++next[a], maker.switch_guid(0, b), ++next[b]);
  }
  return assign_lids(std::move(maker).build());
}

bool connected(std::uint32_t switches, const Cables& cables) {
  std::set<std::uint32_t> reached{0};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const auto& [a, b] : cables) {
      if (reached.contains(a)) reached.insert(b);
      if (reached.contains(b)) reached.insert(a);
    }
  }
  return reached.size() == switches;
}

}  // namespace

routing::Graph graph_of(const model::Fabric& fabric) {
  model::Result<routing::Graph> graph = routing::Graph::from(fabric);
  if (!graph) throw std::logic_error(graph.error().message());
  return *std::move(graph);
}

model::Fabric from_cables(std::uint32_t switches, std::uint32_t hosts, const Cables& cables) {
  return build(switches, cables, std::vector<std::uint32_t>(switches, hosts));
}

model::Fabric torus(const std::vector<std::uint32_t>& sides, std::uint32_t hosts) {
  std::uint32_t switches = 1;
  for (const std::uint32_t side : sides) switches *= side;
  Cables cables;
  for (std::uint32_t s = 0; s < switches; ++s) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : sides) {
      const std::uint32_t place = s / stride % side;
      const std::uint32_t next = s - place * stride + (place + 1) % side * stride;
      if (side > 2 || next > s) cables.emplace_back(s, next);
      stride *= side;
    }
  }
  return from_cables(switches, hosts, cables);
}

model::Fabric hypercube(std::uint32_t dimensions, std::uint32_t hosts) {
  return torus(std::vector<std::uint32_t>(dimensions, 2), hosts);
}

model::Fabric two_stars(std::uint32_t leaves, std::uint32_t hosts) {
  // Hubs 0 and 1, then the leaves of the first and of the second.
  Cables cables{{0, 1}};
  std::vector<std::uint32_t> on(2 + 2 * leaves, hosts);
  on[0] = on[1] = 0;
  for (std::uint32_t i = 0; i < 2 * leaves; ++i) cables.emplace_back(i < leaves ? 0 : 1, 2 + i);
  return build(2 + 2 * leaves, cables, on);
}

model::Fabric meshed_tree(std::uint32_t pods, std::uint32_t leaves, std::uint32_t spines,
                          std::uint32_t cores, std::uint32_t hosts) {
  const std::uint32_t first_spine = pods * leaves;
  const std::uint32_t first_core = first_spine + pods * spines;
  Cables cables;
  for (std::uint32_t pod = 0; pod < pods; ++pod) {
    for (std::uint32_t spine = 0; spine < spines; ++spine) {
      const std::uint32_t at = first_spine + pod * spines + spine;
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        cables.emplace_back(pod * leaves + leaf, at);
      }
      for (std::uint32_t core = 0; core < cores; ++core) cables.emplace_back(at, first_core + core);
    }
  }
  std::vector<std::uint32_t> on(first_core + cores, 0);
  std::fill_n(on.begin(), first_spine, hosts);
  return build(first_core + cores, cables, on);
}

model::Fabric random_regular(std::uint32_t switches, std::uint32_t degree, std::uint32_t hosts,
                             std::uint64_t seed) {
  // Two ends of cables at a time are paired by chance (Steger and Wormald, 1999); what gets stuck
  // or falls apart is thrown away as a whole.
  SplitMix64 random(seed);
  while (true) {
    Cables cables;
    std::set<std::pair<std::uint32_t, std::uint32_t>> present;
    std::vector<std::uint32_t> ends;
    for (std::uint32_t s = 0; s < switches; ++s) ends.insert(ends.end(), degree, s);
    for (std::uint32_t tries = 0; ends.size() > 1 && tries < 100 * switches; ++tries) {
      const auto count = static_cast<std::uint32_t>(ends.size());
      const std::uint32_t i = random.below(count);
      const std::uint32_t k = random.below(count);
      const auto cable = std::minmax(ends[i], ends[k]);
      if (ends[i] == ends[k] || !present.insert(cable).second) continue;
      cables.emplace_back(cable);
      std::swap(ends[std::max(i, k)], ends.back());
      ends.pop_back();
      std::swap(ends[std::min(i, k)], ends.back());
      ends.pop_back();
    }
    if (ends.empty() && connected(switches, cables)) return from_cables(switches, hosts, cables);
  }
}

routing::Availability damaged(const routing::Graph& graph, std::uint32_t per_mille,
                              std::uint64_t seed) {
  SplitMix64 random(seed);
  routing::Availability availability(graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const routing::ArcIndex arc{a};
    if (graph.arc(arc).reverse < arc) continue;
    if (random.below(1000) < per_mille) availability.take_down(graph, arc);
  }
  return availability;
}

}  // namespace heddle::support
