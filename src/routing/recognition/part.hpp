#pragma once

#include <vector>

#include "routing/recognition/net.hpp"
#include "routing/recognition/tree_levels.hpp"
#include "routing/structure.hpp"

namespace heddle::routing::recognition {

/// What one connected part of a fabric is, by the vertices of its own Net.
struct Part {
  std::vector<Vertex> members;  ///< as vertices of the whole Net
  Shape shape = Shape::kIrregular;
  Levels levels;
  /// Of a tree as nested_pods() gives them; of a dragonfly one entry, its groups.
  NestedPods pods;
};

/// `net` is the part that `members` span.
[[nodiscard]] Part recognise_part(const Net& net, std::vector<Vertex> members);

/// As an operator says: a tree below `roots`.
[[nodiscard]] Part tree_below(const Net& net, std::vector<Vertex> members,
                              std::span<const Vertex> roots);

/// As an operator says: groups by vertex, to which switches that are in none are added by most
/// cables. A dragonfly where hosts are everywhere, else a dragonfly+; with a tree (super-spines)
/// above groups that share no cable, the groups become the pods of what the part is by itself.
[[nodiscard]] Part grouped_as(const Net& net, std::vector<Vertex> members,
                              std::vector<std::optional<std::uint32_t>> group);

}  // namespace heddle::routing::recognition
