#pragma once

#include <string>
#include <string_view>

#include "model/fabric_lids.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// OpenSM's `guid2lid`: lines `PORT_GUID FIRST_LID LAST_LID`, all hexadecimal; blank lines, and
/// lines that begin with `#`, say nothing. A port twice, or a line of another form, is an error
/// with its place.
[[nodiscard]] model::Result<model::LidsByPort> parse_guid2lid(std::string_view text,
                                                              const std::string& file);

}  // namespace heddle::discovery
