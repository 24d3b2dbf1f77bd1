#pragma once

#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// Parses the text of `dump_fts` (infiniband-diags): tables of the switches of `fabric`, in its
/// SwitchIndex order. Switches that the text does not hold stay unknown; a switch that the fabric
/// does not have is an error with its place.
[[nodiscard]] model::Result<model::ForwardingTables> parse_forwarding(std::string_view text,
                                                                      const std::string& file,
                                                                      const model::Fabric& fabric);
[[nodiscard]] model::Result<model::ForwardingTables> read_forwarding(const std::string& path,
                                                                     const model::Fabric& fabric);

/// The tables in that form; OpenSM's `file` engine reads it. Unknown rows are left out.
[[nodiscard]] std::string format_forwarding(const model::Fabric& fabric,
                                            const model::ForwardingTables& tables);

}  // namespace heddle::discovery
