#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"

namespace heddle::model {

/// The rate at which a link runs: that of its slower end, or of the end that is known.
[[nodiscard]] LinkRate rate_of(const Fabric& fabric, const Link& link) noexcept;

/// What can be said of a fabric without computing routes.
struct FabricSummary {
  std::map<NodeKind, std::size_t> nodes_by_kind;
  std::size_t links = 0;
  std::map<std::string, std::size_t> links_by_rate;  ///< by to_string(LinkRate) of the slower end
  std::size_t unresolved = 0;
  std::size_t ports_down = 0;  ///< ports known to be physically or logically down
  std::vector<std::size_t>
      switches_by_level;                   ///< index 0: switches with hosts; 1: next to those; …
  std::size_t switches_without_level = 0;  ///< no host can be reached from them
  std::vector<std::size_t> component_sizes;  ///< nodes in each connected component, largest first
};
[[nodiscard]] FabricSummary summarise(const Fabric& fabric);

/// Hops from the nearest host adapter less one for each switch (SwitchIndex order): 0 is a leaf.
/// Nothing where no host can be reached. SHARP aggregation nodes and routers are not hosts.
[[nodiscard]] std::vector<std::optional<std::uint8_t>> switch_levels(const Fabric& fabric);

/// Connected component of each node (NodeIndex order), numbered by the lowest NodeIndex in it.
[[nodiscard]] std::vector<std::uint32_t> components(const Fabric& fabric);

/// A name that several nodes of one kind share.
struct DuplicateName {
  NodeKind kind;
  std::string description;
  std::vector<NodeGuid> nodes;
};
/// Only nodes that should have a name of their own: switches, host adapters, routers. Ordered by
/// kind, then name.
[[nodiscard]] std::vector<DuplicateName> duplicate_names(const Fabric& fabric);

/// A link that runs below what it could: below what both ends support and are allowed to train at
/// (what the operator has not enabled does not count), or below its siblings
/// (cables between the same two nodes; else cables of the same switch to the same level, when at
/// least three quarters of them are faster).
struct DegradedLink {
  enum class Against : std::uint8_t { kSupported, kParallel, kSiblings };
  LinkIndex link;
  LinkRate active;
  LinkRate expected;
  Against against;
};
[[nodiscard]] std::string_view to_string(
    DegradedLink::Against against) noexcept;  ///< `supported`, `parallel`, `siblings`
/// In order of LinkIndex, each link once, judged by the strongest evidence in the order of
/// `Against`.
[[nodiscard]] std::vector<DegradedLink> degraded_links(const Fabric& fabric);

/// `"name" 0x… port 7`, for texts that must say which end is meant.
[[nodiscard]] std::string describe_end(const Fabric& fabric, PortIndex port);

}  // namespace heddle::model
