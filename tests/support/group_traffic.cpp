#include "support/group_traffic.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/fabric_builder.hpp"
#include "routing/max_min.hpp"
#include "routing/random.hpp"
#include "routing/rendezvous.hpp"

namespace heddle::support {

using routing::ArcIndex;
using routing::Graph;
using routing::PortTarget;
using routing::TerminalIndex;

namespace {

constexpr std::size_t kMostHops = 64;
constexpr model::BitsPerSecond kUnknownRate{100'000'000'000ULL};

/// The fabric with other GUIDs, by NodeIndex, and only the cables that `keeps`.
template <class Keeps>
model::Fabric rebuilt(const model::Fabric& fabric, const std::vector<model::NodeGuid>& guids,
                      Keeps keeps) {
  model::FabricBuilder builder(fabric.name());
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const model::NodeIndex index{n};
    model::Node node = fabric.node(index);
    const bool moved = node.guid != guids[n];
    node.guid = guids[n];
    builder.add_node(node);
    for (model::Port port : fabric.ports_of(index)) {
      if (moved && port.guid) port.guid = model::PortGuid{guids[n].value()};
      builder.set_port(guids[n], port);
    }
  }
  const auto end = [&](model::PortIndex port) {
    return model::PortKey{guids[fabric.port(port).node.value()], fabric.port(port).number};
  };
  for (const model::Link& link : fabric.links()) {
    if (keeps(link)) builder.connect(end(link.a), end(link.b));
  }
  return std::move(builder).build();
}

std::vector<model::NodeGuid> guids_of(const model::Fabric& fabric) {
  std::vector<model::NodeGuid> guids;
  for (const model::Node& node : fabric.nodes()) guids.push_back(node.guid);
  return guids;
}

/// The channels of one path, none if it does not arrive.
std::vector<std::uint32_t> channels_of(const Graph& graph, const model::ForwardingTables& tables,
                                       const routing::Flow& flow, model::Lid lid) {
  const routing::ChannelNumbers numbers(graph);
  std::vector<std::uint32_t> channels{
      numbers.number({routing::Channel::Kind::kFromTerminal, flow.source.value()})};
  model::SwitchIndex at = graph.terminal(flow.source).leaf;
  while (channels.size() < kMostHops) {
    const std::optional<model::PortNum> exit = tables.port(at, lid);
    const PortTarget target = exit ? graph.target(at, *exit) : PortTarget{};
    if (target.kind == PortTarget::Kind::kNothing) return {};
    if (target.kind == PortTarget::Kind::kTerminal) {
      if (target.index != flow.destination.value()) return {};
      channels.push_back(numbers.number({routing::Channel::Kind::kToTerminal, target.index}));
      return channels;
    }
    channels.push_back(target.index);
    at = graph.arc(ArcIndex{target.index}).to;
  }
  return {};
}

}  // namespace

routing::Availability cut_share(const Graph& graph, std::uint32_t permille, std::uint64_t seed) {
  std::vector<ArcIndex> cables;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    if (ArcIndex{a} < graph.arc(ArcIndex{a}).reverse) cables.emplace_back(a);
  }
  const std::size_t count = std::max<std::size_t>(1, (cables.size() * permille + 500) / 1000);
  routing::SplitMix64 random(seed);
  const std::vector<std::uint32_t> order =
      routing::random_order(static_cast<std::uint32_t>(cables.size()), random);
  routing::Availability availability(graph);
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
    availability.take_down(graph, cables[order[i]]);
  }
  return availability;
}

model::Fabric forgetting(const model::Fabric& fabric, const Graph& graph,
                         const routing::Availability& availability) {
  return rebuilt(fabric, guids_of(fabric), [&](const model::Link& link) {
    const auto sw = fabric.switch_index(fabric.port(link.a).node);
    const PortTarget target = sw ? graph.target(*sw, fabric.port(link.a).number) : PortTarget{};
    return target.kind != PortTarget::Kind::kSwitch ||
           availability.usable(graph, ArcIndex{target.index});
  });
}

model::Fabric with_dealt_guids(const model::Fabric& fabric, std::uint64_t seed) {
  std::vector<model::NodeGuid> guids = guids_of(fabric);
  const auto switches = static_cast<std::uint32_t>(fabric.switches().size());
  routing::SplitMix64 random(seed);
  const std::vector<std::uint32_t> order = routing::random_order(switches, random);
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t s = 0; s < switches; ++s) {
    nodes.push_back(fabric.node_of(model::SwitchIndex{s}).value());
  }
  for (std::uint32_t s = 0; s < switches; ++s) {
    guids[nodes[s]] = fabric.node(model::NodeIndex{nodes[order[s]]}).guid;
  }
  return rebuilt(fabric, guids, [](const model::Link&) { return true; });
}

std::vector<routing::Flow> group_shift(const Graph& graph, const routing::Structure& structure) {
  std::vector<std::vector<TerminalIndex>> groups(structure.pods);
  for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
    const auto group = structure.pod[graph.terminal(TerminalIndex{t}).leaf.value()];
    if (group) groups[*group].emplace_back(t);
  }
  std::vector<routing::Flow> flows;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<TerminalIndex>& next = groups[(g + 1) % groups.size()];
    for (std::size_t i = 0; i < std::min(groups[g].size(), next.size()); ++i) {
      flows.push_back({groups[g][i], next[i]});
    }
  }
  return flows;
}

ShareOfRate fair_share(const model::Fabric& fabric, const Graph& graph,
                       const routing::Availability& availability,
                       const model::ForwardingTables& tables,
                       const std::vector<routing::Flow>& flows, LidChoice choice) {
  routing::FlowPaths paths;
  std::vector<std::size_t> flow_of;  // by path
  const auto guid = [&](TerminalIndex terminal) {
    return fabric.node(graph.terminal(terminal).node).guid.value();
  };
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const routing::Terminal& to = graph.terminal(flows[f].destination);
    if (!to.lid) continue;
    const std::uint64_t lids = std::uint64_t{1} << to.lmc;
    for (std::uint64_t path = 0; path < lids; ++path) {
      const std::uint64_t hashed =
          routing::rendezvous_weight(guid(flows[f].source), guid(flows[f].destination)) % lids;
      if (choice == LidChoice::kFirst && path != 0) continue;
      if (choice == LidChoice::kHashed && path != hashed) continue;
      const auto channels = channels_of(
          graph, tables, flows[f], model::Lid{static_cast<std::uint16_t>(to.lid->value() + path)});
      paths.channels.insert(paths.channels.end(), channels.begin(), channels.end());
      paths.first.push_back(static_cast<std::uint32_t>(paths.channels.size()));
      flow_of.push_back(f);
    }
  }
  const routing::ChannelNumbers numbers(graph);
  const auto capacity = routing::channel_capacities(fabric, graph, availability, kUnknownRate);
  const auto rates = routing::max_min_rates(numbers, paths, capacity);
  std::vector<double> share(flows.size(), 0);
  for (std::size_t p = 0; p < rates.size(); ++p) {
    const auto full = capacity[numbers.number(
        {routing::Channel::Kind::kFromTerminal, flows[flow_of[p]].source.value()})];
    share[flow_of[p]] +=
        static_cast<double>(rates[p].rate.value()) / static_cast<double>(full.value());
  }
  ShareOfRate result;
  if (share.empty()) return result;
  result.least = *std::ranges::min_element(share);
  for (const double value : share) result.mean += value;
  result.mean /= static_cast<double>(share.size());
  return result;
}

}  // namespace heddle::support
