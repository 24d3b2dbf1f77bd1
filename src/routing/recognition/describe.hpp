#pragma once

#include <vector>

#include "model/fabric.hpp"
#include "routing/graph.hpp"
#include "routing/recognition/hosts.hpp"
#include "routing/recognition/net.hpp"
#include "routing/recognition/part.hpp"
#include "routing/structure.hpp"

namespace heddle::routing::recognition {

/// What a description is made from; all of it outlives the call.
struct Described {
  const model::Fabric& fabric;
  const Graph& graph;
  const Net& net;
  const std::vector<Part>& parts;
  std::size_t main;  ///< the part that gives the fabric its shape
  const std::vector<std::vector<HostPort>>& hosts;
};

/// Irregularities that are spelt out of each kind; a last one says how many more there are.
inline constexpr std::size_t kMostOfAKind = 12;

/// What does not fit the shape, ordered by kind, then by GUID.
[[nodiscard]] std::vector<Irregularity> describe(const Described& what, const Structure& structure);

}  // namespace heddle::routing::recognition
