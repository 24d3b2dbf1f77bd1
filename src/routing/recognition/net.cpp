#include "routing/recognition/net.hpp"

#include <algorithm>

namespace heddle::routing::recognition {

Net Net::from(const Graph& graph) {
  Net net;
  const auto count = static_cast<std::uint32_t>(graph.switch_count());
  std::vector<Vertex> ends;
  for (Vertex v = 0; v < count; ++v) {
    const model::SwitchIndex sw{v};
    ends.clear();
    for (const Arc& arc : graph.arcs_of(sw)) ends.push_back(arc.to.value());
    std::ranges::sort(ends);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (i == 0 || ends[i] != ends[i - 1]) net.bundles_.push_back({ends[i], 0});
      ++net.bundles_.back().cables;
    }
    net.first_.push_back(static_cast<std::uint32_t>(net.bundles_.size()));
    net.hosts_.push_back(static_cast<std::uint32_t>(std::ranges::count(
        graph.terminals_of(sw), model::NodeKind::kHostAdapter, &Terminal::kind)));
  }
  return net;
}

Net Net::part(std::span<const Vertex> members) const {
  if (members.size() == size()) return *this;
  std::vector<Vertex> place(size(), 0);
  for (std::uint32_t i = 0; i < members.size(); ++i) place[members[i]] = i;
  Net net;
  for (const Vertex v : members) {
    for (const Bundle& bundle : bundles(v)) {
      net.bundles_.push_back({place[bundle.to], bundle.cables});
    }
    net.first_.push_back(static_cast<std::uint32_t>(net.bundles_.size()));
    net.hosts_.push_back(hosts_[v]);
  }
  return net;
}

std::uint32_t Net::cables(Vertex a, Vertex b) const noexcept {
  const auto all = bundles(a);
  const auto found = std::ranges::lower_bound(all, b, {}, &Bundle::to);
  return found != all.end() && found->to == b ? found->cables : 0;
}

std::vector<std::vector<Vertex>> components(const Net& net) {
  std::vector<std::vector<Vertex>> all;
  std::vector<std::uint8_t> seen(net.size(), 0);
  for (Vertex start = 0; start < net.size(); ++start) {
    if (seen[start] != 0) continue;
    std::vector<Vertex> members{start};
    seen[start] = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Bundle& bundle : net.bundles(members[i])) {
        if (seen[bundle.to] != 0) continue;
        seen[bundle.to] = 1;
        members.push_back(bundle.to);
      }
    }
    std::ranges::sort(members);
    all.push_back(std::move(members));
  }
  return all;
}

}  // namespace heddle::routing::recognition
