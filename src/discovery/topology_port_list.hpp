#pragma once

#include <string_view>

#include "discovery/topology_draft.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// Whether `line` is one of `ibnetdiscover -p`: `SW     3  2 0x… 4x EDR - CA     4  1 0x… ( 'a' -
/// 'b' )`.
[[nodiscard]] bool is_port_list_line(std::string_view line) noexcept;

/// Reads the lines of `ibnetdiscover -p` into `draft`. Such a list names no node GUIDs, models or
/// unlisted ports: a switch is known by its port GUID (that of its port 0), an adapter or router by
/// the GUID of its lowest listed port. Lines of an adapter follow each other from its highest port
/// to its lowest, with GUIDs that count along; where they do not, they are taken for adapters of
/// one port.
[[nodiscard]] model::Status parse_port_list(std::string_view text, TopologyDraft& draft);

}  // namespace heddle::discovery
