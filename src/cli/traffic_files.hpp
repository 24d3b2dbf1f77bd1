#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"
#include "routing/traffic.hpp"

namespace heddle::cli {

// An end in these files is the GUID of a port or of a node, `GUID/PORT`, the name of a node, or
// the name of a host: the first word of its nodes' names. A name with blanks stands between quotes.
// Whoever has several end ports means all of them, in order of GUID and port. Empty lines and what
// follows `#` mean nothing. Errors carry `file` and line.

/// A file of flows: lines `SOURCE DESTINATION [JOB]`, JOB any word; flows without one are of the
/// job "". Between two ends of as many ports each port sends to its like. An end that does not
/// exist, has no LID, stands for as many ports as the other not, or sends to itself, is an error;
/// so is a file without any flow.
[[nodiscard]] model::Result<routing::Traffic> parse_traffic(std::string_view text,
                                                            const std::string& file,
                                                            const model::Fabric& fabric,
                                                            const routing::Graph& graph);

/// A file of ranks: an end a line. A port twice is an error, as are fewer than two.
[[nodiscard]] model::Result<std::vector<routing::TerminalIndex>> parse_ranks(
    std::string_view text, const std::string& file, const model::Fabric& fabric,
    const routing::Graph& graph);

}  // namespace heddle::cli
