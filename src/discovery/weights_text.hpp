#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// What of a cable's capacity routes may use, in percent, by either end.
using WeightsByPort = std::map<model::PortKey, std::uint8_t>;

/// Lines `GUID/PORT PERCENT`, PERCENT from 0 (drained) to 100; blank lines, and lines that begin
/// with `#`, say nothing. A port twice, or a line of another form, is an error with its place.
[[nodiscard]] model::Result<WeightsByPort> parse_weights(std::string_view text,
                                                         const std::string& file);

}  // namespace heddle::discovery
