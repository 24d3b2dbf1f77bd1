#pragma once

#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// What becomes of tables of switches, and of LIDs, that the fabric does not have: an error with
/// its place, or passed over as left from a fabric that had more.
enum class Strangers : bool { kRefuse, kSkip };

/// Parses the text of `dump_fts` (infiniband-diags): tables of the switches of `fabric`, in its
/// SwitchIndex order. Switches that the text does not hold stay unknown.
[[nodiscard]] model::Result<model::ForwardingTables> parse_forwarding(
    std::string_view text, const std::string& file, const model::Fabric& fabric,
    Strangers strangers = Strangers::kRefuse);
[[nodiscard]] model::Result<model::ForwardingTables> read_forwarding(const std::string& path,
                                                                     const model::Fabric& fabric);

/// The tables in that form; OpenSM's `file` engine reads it. Unknown rows are left out.
[[nodiscard]] std::string format_forwarding(const model::Fabric& fabric,
                                            const model::ForwardingTables& tables);

}  // namespace heddle::discovery
