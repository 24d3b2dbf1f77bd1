#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/recognition/net.hpp"

namespace heddle::routing::recognition {

/// The groups of a dragonfly by vertex, numbered from 0: sets of switches of which nearly all are
/// each other's neighbours, joined with most of the other sets by few cables. Nothing if the net is
/// none: a torus, a random graph, a ring. Groups of two have nothing that tells local cables from
/// global ones, and are not found.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> find_dense_groups(const Net& net);

}  // namespace heddle::routing::recognition
