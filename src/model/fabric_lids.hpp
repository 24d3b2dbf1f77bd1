#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::model {

/// First and last LID of an end port, as a subnet manager remembers them (OpenSM's `guid2lid`).
struct LidRange {
  Lid first;
  Lid last;
  bool operator==(const LidRange&) const = default;
};
using LidsByPort = std::map<PortGuid, LidRange>;

struct LidOptions {
  /// LMC of ports that are no switches: 2^lmc LIDs each, aligned. If it is given and the fabric's
  /// own LIDs have another, none of those is kept.
  std::optional<std::uint8_t> lmc;
  LidsByPort remembered;
};

/// The same fabric with a LID for every end port that is cabled (of a switch: port 0): its own,
/// else the remembered one, else the lowest free ones in order of node GUID and port. kInvalidInput
/// if LIDs collide, a remembered range is not 2^LMC LIDs aligned, or there are more end ports than
/// unicast LIDs. O(n log n).
[[nodiscard]] Result<Fabric> with_lids(const Fabric& fabric, const LidOptions& options);

}  // namespace heddle::model
