#include "daemon/snapshot_compare.hpp"

#include <algorithm>
#include <cstdint>

namespace heddle::daemon {

bool same_content(const model::Fabric& a, const model::Fabric& b) {
  const auto same_link = [](const model::Link& x, const model::Link& y) {
    return x.a == y.a && x.b == y.b;
  };
  const auto same_loose = [](const model::UnresolvedPeer& x, const model::UnresolvedPeer& y) {
    return x.port == y.port && x.peer == y.peer && x.peer_port == y.peer_port &&
           x.description == y.description;
  };
  const auto same_anomaly = [](const model::Anomaly& x, const model::Anomaly& y) {
    return x.kind == y.kind && x.where == y.where && x.text == y.text;
  };
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.ports(), b.ports()) &&
         std::ranges::equal(a.links(), b.links(), same_link) &&
         std::ranges::equal(a.unresolved(), b.unresolved(), same_loose) &&
         std::ranges::equal(a.anomalies(), b.anomalies(), same_anomaly);
}

std::vector<model::NodeGuid> nodes_to_ask_anew(const model::Fabric& before,
                                               const model::Fabric& after) {
  std::vector<model::NodeGuid> nodes;
  for (std::uint32_t i = 0; i < before.nodes().size(); ++i) {
    const model::NodeIndex old{i};
    const model::NodeGuid guid = before.node(old).guid;
    const auto now = after.find_node(guid);
    const bool same =
        now && std::ranges::all_of(before.ports_of(old), [&](const model::Port& port) {
          const auto there = after.find_port(*now, port.number);
          return there && after.management_lid(*there) ==
                              before.management_lid(*before.find_port(old, port.number));
        });
    if (!same) nodes.push_back(guid);
  }
  return nodes;
}

bool has_lids(const model::Fabric& fabric) {
  return std::ranges::any_of(fabric.ports(),
                             [](const model::Port& port) { return port.lid.has_value(); });
}

}  // namespace heddle::daemon
