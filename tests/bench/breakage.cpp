#include "bench/breakage.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <vector>

#include "bench/bench_program.hpp"
#include "model/fabric_builder.hpp"
#include "routing/random.hpp"
#include "support/damage.hpp"

namespace heddle::bench {

using model::Fabric;
using model::NodeIndex;
using routing::ArcIndex;
using routing::Graph;

namespace {

/// Marks a share of `count` things, at least one.
std::vector<std::uint8_t> drawn(std::size_t count, std::uint32_t permille, std::uint64_t seed) {
  routing::SplitMix64 random(seed);
  const auto order = routing::random_order(static_cast<std::uint32_t>(count), random);
  const std::size_t wanted = std::max<std::size_t>(1, (count * permille + 500) / 1000);
  std::vector<std::uint8_t> marks(count, 0);
  for (std::size_t i = 0; i < std::min(wanted, count); ++i) marks[order[i]] = 1;
  return marks;
}

Fabric without(const Fabric& whole, const std::function<bool(NodeIndex)>& gone,
               const std::function<bool(const model::Link&)>& cut) {
  model::FabricBuilder builder(whole.name());
  for (std::uint32_t n = 0; n < whole.nodes().size(); ++n) {
    const NodeIndex node{n};
    if (gone(node)) continue;
    builder.add_node(whole.node(node));
    for (const model::Port& port : whole.ports_of(node)) {
      builder.set_port(whole.node(node).guid, port);
    }
  }
  for (const model::Link& link : whole.links()) {
    if (gone(whole.port(link.a).node) || gone(whole.port(link.b).node) || cut(link)) continue;
    builder.connect(whole.key(link.a), whole.key(link.b));
  }
  return std::move(builder).build();
}

}  // namespace

Breakage parse_breakage(std::string_view text) {
  using Kind = Breakage::Kind;
  if (text == "none") return {};
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view number = colon == text.npos ? "" : text.substr(colon + 1);
  Breakage breakage;
  const auto [end, bad] =
      std::from_chars(number.data(), number.data() + number.size(), breakage.amount);
  if (bad != std::errc{} || end != number.data() + number.size()) stop("no such breakage");
  if (name == "cables") {
    breakage.kind = Kind::kCables;
  } else if (name == "switches") {
    breakage.kind = Kind::kSwitches;
  } else if (name == "hosts") {
    breakage.kind = Kind::kHosts;
  } else if (name == "swaps") {
    breakage.kind = Kind::kSwaps;
  } else if (name == "crossed") {
    breakage.kind = Kind::kCrossed;
  } else {
    stop("no such breakage");
  }
  return breakage;
}

Fabric broken(const Fabric& whole, const Graph& graph, const Breakage& breakage,
              std::uint64_t seed) {
  const auto no_node = [](NodeIndex) { return false; };
  const auto no_cable = [](const model::Link&) { return false; };
  switch (breakage.kind) {
    case Breakage::Kind::kNone:
      return whole;
    case Breakage::Kind::kSwaps:
      return support::damaged(whole, {.swapped_pairs = breakage.amount, .seed = seed});
    case Breakage::Kind::kCrossed:
      return support::damaged(whole, {.crossed_pairs = breakage.amount, .seed = seed});
    case Breakage::Kind::kSwitches: {
      const auto marks = drawn(whole.switches().size(), breakage.amount, seed);
      return without(
          whole,
          [&](NodeIndex node) {
            const auto sw = whole.switch_index(node);
            return sw && marks[sw->value()] != 0;
          },
          no_cable);
    }
    case Breakage::Kind::kHosts: {
      std::vector<NodeIndex> hosts;
      for (std::uint32_t n = 0; n < whole.nodes().size(); ++n) {
        if (!whole.switch_index(NodeIndex{n})) hosts.emplace_back(n);
      }
      const auto marks = drawn(hosts.size(), breakage.amount, seed);
      return without(
          whole,
          [&](NodeIndex node) {
            const auto at = std::ranges::lower_bound(hosts, node);
            return at != hosts.end() && *at == node &&
                   marks[static_cast<std::size_t>(at - hosts.begin())] != 0;
          },
          no_cable);
    }
    case Breakage::Kind::kCables:
      break;
  }
  std::vector<std::uint32_t> cables;  // the arc of a cable that starts at its lower end
  std::vector<std::uint32_t> cable_of(graph.arcs().size());
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const ArcIndex reverse = graph.arc(ArcIndex{a}).reverse;
    if (ArcIndex{a} < reverse) {
      cable_of[a] = cable_of[reverse.value()] = static_cast<std::uint32_t>(cables.size());
      cables.push_back(a);
    }
  }
  const auto marks = drawn(cables.size(), breakage.amount, seed);
  return without(whole, no_node, [&](const model::Link& link) {
    const auto sw = whole.switch_index(whole.port(link.a).node);
    if (!sw) return false;
    const routing::PortTarget target = graph.target(*sw, whole.port(link.a).number);
    return target.kind == routing::PortTarget::Kind::kSwitch && marks[cable_of[target.index]] != 0;
  });
}

}  // namespace heddle::bench
