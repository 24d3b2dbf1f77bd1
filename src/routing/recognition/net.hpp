#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/graph.hpp"

namespace heddle::routing::recognition {

/// A switch inside one Net. Ascending vertices are ascending GUIDs.
using Vertex = std::uint32_t;

/// All cables from one switch to another.
struct Bundle {
  Vertex to;
  std::uint32_t cables;
};

/// What recognition looks at: which switches are neighbours, over how many cables, and how many
/// host ports hang where. No name, no port number.
class Net {
 public:
  [[nodiscard]] static Net from(const Graph& graph);
  /// The part that `members` span: ascending, no bundle leads out of them. Their positions are the
  /// vertices of the result.
  [[nodiscard]] Net part(std::span<const Vertex> members) const;

  [[nodiscard]] std::size_t size() const noexcept { return hosts_.size(); }
  /// In order of vertex.
  [[nodiscard]] std::span<const Bundle> bundles(Vertex v) const noexcept {
    return std::span(bundles_).subspan(first_[v], first_[v + 1] - first_[v]);
  }
  [[nodiscard]] std::uint32_t degree(Vertex v) const noexcept { return first_[v + 1] - first_[v]; }
  /// Ports of host adapters; routers and aggregation nodes are none.
  [[nodiscard]] std::uint32_t hosts(Vertex v) const noexcept { return hosts_[v]; }
  /// Cables between two switches, 0 if they are no neighbours.
  [[nodiscard]] std::uint32_t cables(Vertex a, Vertex b) const noexcept;

 private:
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> first_{0};
  std::vector<Bundle> bundles_;
};

/// The connected parts, each ascending, in order of their first vertex.
[[nodiscard]] std::vector<std::vector<Vertex>> components(const Net& net);

}  // namespace heddle::routing::recognition
