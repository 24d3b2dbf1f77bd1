#include "routing/recognition/leaves.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "routing/recognition/clusters.hpp"

namespace heddle::routing::recognition {
namespace {

/// Resolution of shares of neighbours in integer arithmetic.
constexpr std::uint64_t kScale = 1U << 16U;

std::uint32_t neighbours_in(const Net& net, Vertex v, const std::vector<std::uint8_t>& set) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(net.bundles(v), [&](const Bundle& b) { return set[b.to] != 0; }));
}

/// Colours of a graph of two sides, or nothing if more than one neighbourhood in 20 contradicts.
std::optional<std::vector<std::uint8_t>> two_sides(const Net& net) {
  constexpr std::uint8_t kUnseen = 2;
  std::vector<std::uint8_t> side(net.size(), kUnseen);
  std::vector<Vertex> queue{0};
  side[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Bundle& b : net.bundles(queue[i])) {
      if (side[b.to] != kUnseen) continue;
      side[b.to] = static_cast<std::uint8_t>(1 - side[queue[i]]);
      queue.push_back(b.to);
    }
  }
  std::size_t same = 0;
  std::size_t all = 0;
  for (Vertex v = 0; v < net.size(); ++v) {
    for (const Bundle& b : net.bundles(v)) same += side[b.to] == side[v] ? 1U : 0U;
    all += net.degree(v);
  }
  if (same * 20 > all) return std::nullopt;
  return side;
}

/// Takes out, one at a time and the worst first, switches most of whose neighbours are in the set.
void drop_contradicting(const Net& net, std::vector<std::uint8_t>& set) {
  std::vector<std::uint32_t> inside(net.size(), 0);
  for (Vertex v = 0; v < net.size(); ++v) inside[v] = neighbours_in(net, v, set);
  while (true) {
    std::optional<Vertex> worst;
    for (Vertex v = 0; v < net.size(); ++v) {
      if (set[v] == 0 || 2 * inside[v] <= net.degree(v)) continue;
      if (!worst || inside[v] > inside[*worst]) worst = v;
    }
    if (!worst) return;
    set[*worst] = 0;
    for (const Bundle& b : net.bundles(*worst)) --inside[b.to];
  }
}

/// Switches that have leaves below them: at least half the share of neighbours that the upper end
/// of a leaf's cable typically has. A root that a swapped cable joins to a leaf has far less.
std::vector<std::uint8_t> find_uppers(const Net& net, const std::vector<std::uint8_t>& leaf) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> shares;
  std::vector<std::uint64_t> share(net.size(), 0);
  for (Vertex v = 0; v < net.size(); ++v) {
    if (leaf[v] != 0) continue;
    const std::uint32_t below = neighbours_in(net, v, leaf);
    if (below == 0) continue;
    share[v] = kScale * below / net.degree(v);
    shares.emplace_back(share[v], below);
  }
  const std::uint64_t typical = weighted_median(std::move(shares));
  std::vector<std::uint8_t> upper(net.size(), 0);
  for (Vertex v = 0; v < net.size(); ++v) upper[v] = 2 * share[v] > typical ? 1 : 0;
  return upper;
}

void find_pods(const Net& net, Base& base) {
  Incidence incidence;
  std::vector<std::uint32_t> place(net.size(), 0);
  std::vector<Vertex> leaves;
  std::vector<Vertex> uppers;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (base.leaf[v] != 0) leaves.push_back(v);
    if (base.upper[v] == 0) continue;
    place[v] = static_cast<std::uint32_t>(uppers.size());
    uppers.push_back(v);
  }
  incidence.uppers = static_cast<std::uint32_t>(uppers.size());
  for (const Vertex v : leaves) {
    std::vector<std::uint32_t>& above = incidence.uppers_of.emplace_back();
    for (const Bundle& b : net.bundles(v)) {
      if (base.upper[b.to] != 0) above.push_back(place[b.to]);
    }
    incidence.weight.push_back(1 + net.hosts(v));
  }
  const Clusters clusters = find_clusters(incidence);
  base.pod.assign(net.size(), std::nullopt);
  base.pods = clusters.count;
  for (std::size_t i = 0; i < leaves.size(); ++i) base.pod[leaves[i]] = clusters.of_unit[i];
  for (std::size_t i = 0; i < uppers.size(); ++i) base.pod[uppers[i]] = clusters.of_upper[i];
}

/// How the uppers next to a switch spread over pods.
struct Spread {
  std::uint32_t uppers = 0;
  std::uint32_t pods = 0;
  std::uint32_t in_first = 0;  ///< of the uppers, those in the pod that has most
  std::optional<std::uint32_t> first;
};
Spread spread_of(const Net& net, const Base& base, Vertex v) {
  std::map<std::uint32_t, std::uint32_t> by_pod;
  Spread spread;
  for (const Bundle& b : net.bundles(v)) {
    if (base.upper[b.to] == 0 || !base.pod[b.to]) continue;
    ++spread.uppers;
    const std::uint32_t count = ++by_pod[*base.pod[b.to]];
    if (count > spread.in_first) {
      spread.in_first = count;
      spread.first = *base.pod[b.to];
    }
  }
  spread.pods = static_cast<std::uint32_t>(by_pod.size());
  return spread;
}

/// Roots with hosts: they reach into several pods, none of which has most of their neighbours (a
/// third, if they carry more than half of a leaf's hosts: swapped cables can leave a leaf with half
/// of its pod's). True if there were any.
bool drop_roots(const Net& net, std::uint32_t typical_hosts, Base& base) {
  bool dropped = false;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (base.leaf[v] == 0) continue;
    const Spread spread = spread_of(net, base, v);
    const bool rich = 2 * net.hosts(v) > typical_hosts;
    if (spread.pods < 2 || (rich ? 3U : 2U) * spread.in_first > spread.uppers) continue;
    base.leaf[v] = 0;
    dropped = true;
  }
  return dropped;
}

/// Leaves that lost their hosts, or never had any: their uppers are those of one pod's leaves. A
/// root has one pod's in common with no leaf but one or, where pods are joined by all their
/// uppers, as many with each pod.
void add_bare_leaves(const Net& net, Base& base) {
  std::vector<std::pair<Vertex, std::uint32_t>> found;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (base.leaf[v] != 0 || base.upper[v] != 0) continue;
    const Spread spread = spread_of(net, base, v);
    if (spread.in_first < 2 || 2 * spread.uppers < net.degree(v)) continue;
    if (4 * spread.in_first >= 3 * spread.uppers) found.emplace_back(v, *spread.first);
  }
  for (const auto& [v, pod] : found) {
    base.leaf[v] = 1;
    base.pod[v] = pod;
  }
}

std::uint32_t typical_host_count(const Net& net) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> samples;
  for (Vertex v = 0; v < net.size(); ++v) samples.emplace_back(net.hosts(v), net.hosts(v));
  return static_cast<std::uint32_t>(weighted_median(std::move(samples)));
}

}  // namespace

std::vector<std::uint8_t> well_populated(const Net& net) {
  const std::uint32_t typical = typical_host_count(net);
  std::vector<std::uint8_t> populated(net.size(), 0);
  for (Vertex v = 0; v < net.size(); ++v) {
    populated[v] = net.hosts(v) != 0 && 4 * net.hosts(v) >= typical ? 1 : 0;
  }
  return populated;
}

bool hosts_everywhere(const Net& net, std::vector<std::uint8_t>& populated) {
  std::size_t between = 0;
  std::size_t all = 0;
  for (Vertex v = 0; v < net.size(); ++v) {
    if (populated[v] != 0) between += neighbours_in(net, v, populated);
    all += net.degree(v);
  }
  if (2 * between < all) return false;
  const auto side = two_sides(net);
  if (!side) return true;
  std::array<std::uint64_t, 2> hosts{};
  std::array<std::uint64_t, 2> switches{};
  for (Vertex v = 0; v < net.size(); ++v) {
    hosts[(*side)[v]] += net.hosts(v);
    ++switches[(*side)[v]];
  }
  for (const std::uint8_t poor : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::size_t rich = 1U - poor;
    // Hosts a switch, cross-multiplied. Of two switches neither is a spine.
    if (switches[rich] < 2 || 2 * hosts[poor] * switches[rich] > hosts[rich] * switches[poor])
      continue;
    for (Vertex v = 0; v < net.size(); ++v) {
      if ((*side)[v] == poor) populated[v] = 0;
    }
    return false;
  }
  return true;
}

Base find_base(const Net& net, std::vector<std::uint8_t> populated) {
  drop_contradicting(net, populated);
  Base base;
  base.leaf = std::move(populated);
  base.upper = find_uppers(net, base.leaf);
  find_pods(net, base);
  if (drop_roots(net, typical_host_count(net), base)) {
    base.upper = find_uppers(net, base.leaf);
    find_pods(net, base);
  }
  add_bare_leaves(net, base);
  return base;
}

std::uint64_t weighted_median(std::vector<std::pair<std::uint64_t, std::uint64_t>> samples) {
  std::ranges::sort(samples);
  std::uint64_t total = 0;
  for (const auto& [value, weight] : samples) total += weight;
  std::uint64_t below = 0;
  for (const auto& [value, weight] : samples) {
    below += weight;
    if (2 * below >= total && weight != 0) return value;
  }
  return 0;
}

}  // namespace heddle::routing::recognition
