#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "discovery/line_scanner.hpp"
#include "model/ids.hpp"
#include "model/link_rate.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// What `# …` behind a port says. Views point into the line.
struct PortComment {
  std::optional<model::Lid> own_lid;  ///< of the port itself: adapters and routers print it
  std::uint8_t own_lmc = 0;
  std::string_view peer_name;
  std::optional<model::Lid> peer_lid;
  model::LinkRate rate;
};

/// What `# …` behind a node says.
struct NodeComment {
  std::string_view name;
  std::optional<model::Lid> lid;  ///< of port 0: switches print it
  std::uint8_t lmc = 0;
};

/// `# "name" lid 647 4xNDR …` and `# lid 647 lmc 0 "name" lid 73 4xNDR …`; the name reaches to the
/// last quote of the line. The codes of `-f` (`s=` LinkSpeedActive, `e=` LinkSpeedExtActive, `w=`
/// LinkWidthActive, `v=` VLCap: infiniband-diags, ibnetdiscover.c) say the active rate once more
/// and serve where its text is not known. Text of another form is free comment. The scanner stands
/// on `#`.
[[nodiscard]] model::Result<PortComment> parse_port_comment(LineScanner in);

/// `# "name" enhanced port 0 lid 73 lmc 0`, with or without the part behind the name; names without
/// quotes are those of old versions. The scanner stands on `#`, or at the end of the line.
[[nodiscard]] model::Result<NodeComment> parse_node_comment(LineScanner in);

/// A rate as printed, each half for itself: `4x???` still tells the width.
[[nodiscard]] model::LinkRate parse_printed_rate(std::string_view text) noexcept;

/// Whether a port can have it, or it stands for none: 0, or 0xFFFF, the permissive LID. What lies
/// between the last unicast LID and that is for multicast (InfiniBand Architecture Specification,
/// volume 1, section 4.1.3).
[[nodiscard]] bool may_be_lid(std::uint64_t value) noexcept;
/// A LID as printed: 0 and what is no unicast LID mean that the port has none yet.
[[nodiscard]] std::optional<model::Lid> printed_lid(std::uint64_t value) noexcept;

}  // namespace heddle::discovery
