#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "routing/graph.hpp"
#include "routing/structure.hpp"

namespace heddle::routing::testing {

/// Where a generator put a switch: known from its GUID, whose range is the tier and whose offset
/// the rank within it. Only tests may know that.
struct Place {
  std::uint8_t level = 0;
  std::optional<std::uint32_t> pod;
  bool root = false;  ///< of the highest tier of a tree; a dragonfly has none
};

/// A fabric that a generator made, and the place of each switch by tier and rank.
struct Known {
  std::string name;
  model::Fabric fabric;
  Shape shape;
  std::function<Place(std::uint32_t tier, std::uint64_t rank)> place;
};

[[nodiscard]] Known known_pgft(const std::string& shape);
[[nodiscard]] Known known_dragonfly(std::uint32_t routers, std::uint32_t hosts,
                                    std::uint32_t global, std::uint32_t groups);
[[nodiscard]] Known known_dragonfly_plus(std::uint32_t groups, std::uint32_t leaves,
                                         std::uint32_t spines, std::uint32_t hosts,
                                         std::uint32_t global);
[[nodiscard]] Known known_hybrid(std::uint32_t groups, std::uint32_t leaves, std::uint32_t spines,
                                 std::uint32_t super_spines, std::uint32_t hosts, bool two_homed);

/// What recognition got wrong about what is left of a known fabric. Judged are the switches that
/// are still connected with most others, except where nothing tells:
/// - the place of a switch that has lost all hosts and all neighbours but one: a leaf and a root
///   look alike then;
/// - the pod of a switch that does not hang together with most of its pod any more, or has no more
///   neighbours in its pod than in some other: by faults or swapped cables it belongs to both
///   alike.
struct Mistakes {
  bool shape = false;
  std::vector<std::string> levels;  ///< of which switches, with what was said
  std::vector<std::string> pods;
  std::vector<std::string> roots;  ///< not named as one, or named and none
  std::uint32_t levels_judged = 0;
  std::uint32_t pods_judged = 0;
  std::uint32_t roots_judged = 0;  ///< of those that are roots
};
[[nodiscard]] Mistakes mistakes_in(const Known& known, const model::Fabric& left,
                                   const Graph& graph, const Structure& structure);

}  // namespace heddle::routing::testing
