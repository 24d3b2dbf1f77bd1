#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discovery/forwarding_text.hpp"
#include "model/fabric.hpp"
#include "model/fabric_tables.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// The service level of the paths from one LID to another.
struct PathLevel {
  model::Lid source;
  model::Lid destination;
  model::Sl level;
  constexpr auto operator<=>(const PathLevel&) const noexcept = default;
};

/// Lines `slid dlid sl`, decimal or with `0x`; empty lines and what stands behind `#` are passed
/// over. Pairs that are not named have level 0. In order of source, then destination, each pair
/// once. What cannot be, or two levels of one pair, is an error with its place.
[[nodiscard]] model::Result<std::vector<PathLevel>> parse_path_levels(std::string_view text,
                                                                      const std::string& file,
                                                                      const model::Fabric& fabric,
                                                                      Strangers strangers);
/// Adds one such line.
void append_path_level(std::string& out, const PathLevel& path);

/// Lines `switch_guid in_port out_port vl0 … vl15`, with comments as above; pairs of ports that are
/// not named have VL = SL.
[[nodiscard]] model::Result<model::SlToVlTables> parse_sl_to_vl(std::string_view text,
                                                                const std::string& file,
                                                                const model::Fabric& fabric,
                                                                Strangers strangers);

/// Which mapping a line is about.
struct SlToVlPlace {
  model::NodeGuid sw;
  model::PortNum in;
  model::PortNum out;
};
/// Adds one such line.
void append_sl_to_vl(std::string& out, const SlToVlPlace& place, const model::SlToVl& mapping);

}  // namespace heddle::discovery
