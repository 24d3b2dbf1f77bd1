#include "fabric_facts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace heddle::simulation {
namespace {

std::size_t count_of(const model::Fabric& fabric, model::NodeKind kind) {
  return static_cast<std::size_t>(std::ranges::count(fabric.nodes(), kind, &model::Node::kind));
}

}  // namespace

std::size_t host_count(const model::Fabric& fabric) {
  return count_of(fabric, model::NodeKind::kHostAdapter);
}

std::size_t switch_count(const model::Fabric& fabric) {
  return count_of(fabric, model::NodeKind::kSwitch);
}

std::size_t component_count(const model::Fabric& fabric) {
  std::vector<std::size_t> parent(fabric.nodes().size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&parent](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::size_t components = parent.size();
  for (const model::Link& link : fabric.links()) {
    const std::size_t a = root(fabric.port(link.a).node.value());
    const std::size_t b = root(fabric.port(link.b).node.value());
    if (a != b) --components;
    parent[a] = b;
  }
  return components;
}

std::size_t cabled_ports(const model::Fabric& fabric, model::NodeIndex node) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < fabric.ports_of(node).size(); ++i) {
    if (fabric.peer(model::PortIndex{fabric.first_port(node).value() + i})) ++count;
  }
  return count;
}

std::string group_name(const model::Node& node) {
  const std::string& name = node.description;
  const std::size_t last = name.rfind('-');
  const std::size_t before = name.rfind('-', last - 1);
  return name.substr(before + 1, last - before - 1);
}

std::map<std::pair<std::string, std::string>, std::size_t> cables_between_groups(
    const model::Fabric& fabric) {
  std::map<std::pair<std::string, std::string>, std::size_t> cables;
  for (const model::Link& link : fabric.links()) {
    const model::Node& a = fabric.node(fabric.port(link.a).node);
    const model::Node& b = fabric.node(fabric.port(link.b).node);
    if (a.kind != model::NodeKind::kSwitch || b.kind != model::NodeKind::kSwitch) continue;
    const auto pair = std::minmax({group_name(a), group_name(b)});
    if (pair.first != pair.second) ++cables[pair];
  }
  return cables;
}

bool same(const model::Fabric& a, const model::Fabric& b) {
  const auto same_link = [](const model::Link& x, const model::Link& y) {
    return x.a == y.a && x.b == y.b;
  };
  return a.name() == b.name() && std::ranges::equal(a.nodes(), b.nodes()) &&
         std::ranges::equal(a.ports(), b.ports()) &&
         std::ranges::equal(a.links(), b.links(), same_link) &&
         a.anomalies().size() == b.anomalies().size();
}

}  // namespace heddle::simulation
