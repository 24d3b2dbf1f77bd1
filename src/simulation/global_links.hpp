#pragma once

#include <cstdint>
#include <vector>

namespace heddle::simulation {

/// One end of a cable between groups: slot s of a group is global port s mod H of its router s / H
/// (H global ports a router).
struct GlobalEnd {
  std::uint32_t group;
  std::uint32_t slot;
};
struct GlobalLink {
  GlobalEnd a;  ///< the group with the lower number
  GlobalEnd b;
};

/// Spreads `slots` global ports of each group over the other groups: every pair of groups gets
/// floor or ceil of slots / (groups - 1) cables, and all groups look alike. Needs slots >=
/// groups - 1.
///
/// Slots are dealt in rounds. In a whole round slot k (groups - 1) + d - 1 leads to the group d
/// further on, cyclically (the "relative" arrangement of Hastings et al., "Comparing global link
/// arrangements for dragonfly networks", CLUSTER 2015). The r slots that are left over, r <
/// groups - 1, lead to the distances nearest to 0 on either side, r / 2 each, and for odd r to the
/// opposite group; where there is none (r and the number of groups odd) one slot of each group
/// stays free.
[[nodiscard]] std::vector<GlobalLink> spread_global_links(std::uint32_t groups,
                                                          std::uint32_t slots);

}  // namespace heddle::simulation
