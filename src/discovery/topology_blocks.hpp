#pragma once

#include <string_view>

#include "discovery/topology_draft.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// Reads node blocks (`vendid=` … `Switch 36 "S-…"` and port lines) into `draft`. Blank lines mean
/// nothing; lines that only structure the output for people (`#`, `Chassis 1`, `DR path …`) are
/// passed over.
[[nodiscard]] model::Status parse_blocks(std::string_view text, TopologyDraft& draft);

}  // namespace heddle::discovery
