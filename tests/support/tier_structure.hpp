#pragma once

#include "routing/graph.hpp"
#include "routing/structure.hpp"

namespace heddle::support {

/// The structure of a generated tree as its generator knows it, from the GUID ranges of its tiers:
/// levels, and leaves in order of GUID. Nothing is recognised, so routing can be tested without
/// recognition.
[[nodiscard]] routing::Structure tier_structure(const routing::Graph& graph);

}  // namespace heddle::support
