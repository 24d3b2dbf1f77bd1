#pragma once

#include <cstdint>
#include <vector>

#include "routing/recognition/net.hpp"
#include "routing/structure.hpp"

namespace heddle::routing::recognition {

/// Two switches, the lower one first.
struct Pairing {
  Vertex below;
  Vertex above;
  constexpr auto operator<=>(const Pairing&) const noexcept = default;
};

/// Fewer cables than siblings have to the same switch.
struct ThinBundle {
  Pairing pair;
  std::uint32_t cables;
  std::uint32_t usual;
};

/// What switches of one level lack or have beside their siblings: those that share most of their
/// switches above, as the leaves of a pod or the spines of one column do.
struct SiblingCables {
  std::vector<Pairing> missing;     ///< more than half of the siblings have a cable there
  std::vector<Pairing> unexpected;  ///< less than a third of at least three siblings has one
  std::vector<ThinBundle> thin;
  /// By set of siblings of the level below the roots: its first switch and the number of switches
  /// above that most of the set have.
  struct Column {
    Vertex first;
    std::uint32_t above;
  };
  std::vector<Column> columns;
};

/// Cables between neighbouring levels only. Each list ascending.
[[nodiscard]] SiblingCables compare_siblings(const Net& net, const Structure& structure);

}  // namespace heddle::routing::recognition
