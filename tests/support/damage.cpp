#include "support/damage.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/fabric_builder.hpp"
#include "support/plain_graphs.hpp"

namespace heddle::support {
namespace {

struct Ends {
  model::PortKey a;
  model::PortKey b;
};

template <class T>
void shuffle(std::vector<T>& all, SplitMix64& random) {
  for (std::size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1], all[random.below(static_cast<std::uint32_t>(i))]);
  }
}

/// Marks a share of `count` things.
std::vector<std::uint8_t> chosen(std::size_t count, std::uint32_t permille, SplitMix64& random) {
  std::size_t number = (count * permille + 500) / 1000;
  if (permille != 0) number = std::max<std::size_t>(number, 1);
  std::vector<std::uint8_t> marks(count, 0);
  std::fill_n(marks.begin(), std::min(number, count), std::uint8_t{1});
  shuffle(marks, random);
  return marks;
}

bool is_switch(const model::Fabric& fabric, model::PortKey end) {
  const auto node = fabric.find_node(end.node);
  return node && fabric.node(*node).kind == model::NodeKind::kSwitch;
}

model::Fabric assembled(const model::Fabric& fabric, const std::vector<std::uint32_t>& nodes,
                        const std::vector<Ends>& cables) {
  model::FabricBuilder builder(fabric.name());
  for (const std::uint32_t n : nodes) {
    const model::NodeIndex node{n};
    builder.add_node(fabric.node(node));
    for (const model::Port& port : fabric.ports_of(node)) {
      builder.set_port(fabric.node(node).guid, port);
    }
  }
  for (const Ends& cable : cables) builder.connect(cable.a, cable.b);
  return std::move(builder).build();
}

/// Cables between a switch and the nearest host, by node index.
std::vector<std::uint32_t> levels_of(const model::Fabric& fabric) {
  constexpr std::uint32_t kFar = ~0U;
  std::vector<std::uint32_t> level(fabric.nodes().size(), kFar);
  std::vector<std::vector<std::uint32_t>> beside(level.size());
  std::vector<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t node, std::uint32_t distance) {
    if (level[node] != kFar) return;
    level[node] = distance;
    queue.push_back(node);
  };
  for (const model::Link& link : fabric.links()) {
    const model::NodeIndex a = fabric.port(link.a).node;
    const model::NodeIndex b = fabric.port(link.b).node;
    if (fabric.switch_index(a) && fabric.switch_index(b)) {
      beside[a.value()].push_back(b.value());
      beside[b.value()].push_back(a.value());
    } else {
      if (fabric.switch_index(a)) reach(a.value(), 1);
      if (fabric.switch_index(b)) reach(b.value(), 1);
    }
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : beside[queue[i]]) reach(next, level[queue[i]] + 1);
  }
  return level;
}

/// Two cables trade an end where both join the same two levels.
bool trade_alike(Ends& x, Ends& y, const model::Fabric& fabric,
                 const std::vector<std::uint32_t>& level) {
  const auto level_at = [&](model::PortKey end) {
    return level[fabric.find_node(end.node)->value()];
  };
  if (level_at(x.a) == level_at(y.a) && level_at(x.b) == level_at(y.b)) {
    std::swap(x.b, y.b);
    return true;
  }
  if (level_at(x.a) == level_at(y.b) && level_at(x.b) == level_at(y.a)) {
    std::swap(x.b, y.a);
    return true;
  }
  return false;
}

}  // namespace

model::Fabric damaged(const model::Fabric& fabric, const Damage& damage) {
  SplitMix64 random(damage.seed);
  const auto gone_switch = chosen(fabric.switches().size(), damage.switches_permille, random);
  const auto gone_cable = chosen(fabric.links().size(), damage.cables_permille, random);
  const auto lost = [&](std::uint32_t node) {
    const auto sw = fabric.switch_index(model::NodeIndex{node});
    return sw && gone_switch[sw->value()] != 0;
  };
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    if (!lost(n)) nodes.push_back(n);
  }
  std::vector<Ends> cables;
  std::vector<std::size_t> between_switches;
  for (std::size_t i = 0; i < fabric.links().size(); ++i) {
    const model::Link& link = fabric.links()[i];
    if (gone_cable[i] != 0 || lost(fabric.port(link.a).node.value()) ||
        lost(fabric.port(link.b).node.value())) {
      continue;
    }
    cables.push_back({fabric.key(link.a), fabric.key(link.b)});
    if (is_switch(fabric, cables.back().a) && is_switch(fabric, cables.back().b)) {
      between_switches.push_back(cables.size() - 1);
    }
  }
  shuffle(between_switches, random);
  std::size_t next = 0;
  for (; next < 2 * damage.crossed_pairs && next + 1 < between_switches.size(); next += 2) {
    Ends& x = cables[between_switches[next]];
    Ends& y = cables[between_switches[next + 1]];
    std::swap(x.b, random.below(2) == 0 ? y.a : y.b);
  }
  if (damage.swapped_pairs == 0) return assembled(fabric, nodes, cables);
  const std::vector<std::uint32_t> level = levels_of(fabric);
  std::uint32_t swapped = 0;
  for (; swapped < damage.swapped_pairs && next + 1 < between_switches.size(); next += 2) {
    swapped += trade_alike(cables[between_switches[next]], cables[between_switches[next + 1]],
                           fabric, level);
  }
  return assembled(fabric, nodes, cables);
}

model::Fabric told_otherwise(const model::Fabric& fabric, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) nodes.push_back(n);
  shuffle(nodes, random);
  std::vector<Ends> cables;
  for (const model::Link& link : fabric.links()) {
    cables.push_back({fabric.key(link.a), fabric.key(link.b)});
    if (random.below(2) == 0) std::swap(cables.back().a, cables.back().b);
  }
  shuffle(cables, random);
  return assembled(fabric, nodes, cables);
}

}  // namespace heddle::support
