#pragma once

#include <optional>
#include <vector>

#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Terminals of `from` in `to`, which has the same leaves: what hangs on the same port of the same
/// switch. Nothing where there is none.
[[nodiscard]] std::vector<std::optional<TerminalIndex>> counterparts(const Graph& from,
                                                                     const Graph& to);

/// What is down or has less capacity in `from`, of that which `to` has as well: switches by GUID,
/// cables by either end, terminals by the port that they hang on.
[[nodiscard]] Availability carry_over(const Graph& from, const Availability& availability,
                                      const Graph& to);

}  // namespace heddle::routing
