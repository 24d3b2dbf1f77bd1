#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/availability.hpp"
#include "routing/check.hpp"
#include "routing/graph.hpp"
#include "routing/routes.hpp"
#include "routing/structure.hpp"
#include "routing/workers.hpp"

namespace heddle::routing {

/// Whether every path is walked as well where a proof by order says all that there is to say. What
/// that is worth: the order's proof is of few words, and looks at every entry; the walk costs more
/// than the tables.
enum class Walk : std::uint8_t { kAlways, kWithoutOrder };

struct ComputeOptions {
  std::optional<Engine> engine;  ///< the one that suits the structure if empty
  std::uint8_t max_lanes = 8;    ///< data VLs that may be used
  Walk walk = Walk::kAlways;
};

/// An engine that was tried and gave up, and why.
struct Refusal {
  Engine engine;
  std::string reason;
};

struct Computed {
  Routes routes;
  /// Of routes, by check_routes(): no cycle, no loop. Of what was not walked `lanes_used` alone is
  /// said, and that all is good.
  Verdict verdict;
  std::vector<Refusal> refusals;  ///< in order; empty if the first engine served
};

/// Routes that are proved: the engine asked for, or by structure, then capacity-aware up*/down*,
/// then layered shortest paths. An engine whose tables do not pass check_routes() counts as having
/// refused; nothing that could loop or deadlock is ever returned. With an engine asked for there is
/// no fallback. The first refusal's reason if none serves.
[[nodiscard]] model::Result<Computed> compute_routes(const model::Fabric& fabric,
                                                     const Graph& graph, const Structure& structure,
                                                     const Availability& availability,
                                                     const ComputeOptions& options,
                                                     Workers& workers);

[[nodiscard]] Engine engine_for(Shape shape) noexcept;

}  // namespace heddle::routing
