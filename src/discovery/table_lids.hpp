#pragma once

#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// The fabric with the LIDs that the text of some forwarding tables names (`0x0004 001 : (Channel
/// Adapter portguid 0x…`), given to ports that have none; a port with several gets the base LID and
/// the LMC of their range. Each LID counts where it is first named. What the fabric says of a LID
/// must agree. An error with its place else, and where nothing at all says whose the LIDs are.
[[nodiscard]] model::Result<model::Fabric> add_table_lids(const model::Fabric& fabric,
                                                          std::string_view text,
                                                          const std::string& file);

}  // namespace heddle::discovery
