#pragma once

#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// Parses what `ibnetdiscover` prints, and ibsim's netlists: node blocks with or without blank
/// lines between them, full-output suffixes (`s=4 w=2 …`), and the port lists of `ibnetdiscover
/// -p`. `file` names the text in errors. A line that cannot be understood is an error with its
/// place; what contradicts itself is an anomaly of the fabric; a peer that has no block of its own
/// stays unresolved.
[[nodiscard]] model::Result<model::Fabric> parse_topology(std::string_view text,
                                                          const std::string& file,
                                                          const std::string& fabric_name);
/// The same from a file.
[[nodiscard]] model::Result<model::Fabric> read_topology(const std::string& path,
                                                         const std::string& fabric_name);

/// The fabric in ibnetdiscover's form, as ibsim reads it. Deterministic.
[[nodiscard]] std::string format_topology(const model::Fabric& fabric);

}  // namespace heddle::discovery
