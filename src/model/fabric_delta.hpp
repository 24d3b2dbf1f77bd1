#pragma once

#include <chrono>
#include <vector>

#include "model/event.hpp"
#include "model/fabric.hpp"

namespace heddle::model {

/// What changed between two snapshots of one subnet, in identities that hold in both. Ordered by
/// key.
struct FabricDelta {
  struct PortChange {
    PortKey port;
    Port before;
    Port after;
  };
  struct Cable {
    PortKey a;
    PortKey b;
    auto operator<=>(const Cable&) const noexcept = default;
  };
  struct Rename {
    NodeGuid node;
    std::string before;
    std::string after;
  };
  std::vector<NodeGuid> nodes_added;
  std::vector<NodeGuid> nodes_removed;
  std::vector<Cable> links_added;
  std::vector<Cable> links_removed;
  std::vector<PortChange>
      ports_changed;  ///< state, rate, LID, LMC or SM flag, on ports that both hold
  std::vector<Rename> renamed;

  [[nodiscard]] bool empty() const noexcept;
};

/// Linear in the size of both.
[[nodiscard]] FabricDelta compare(const Fabric& before, const Fabric& after);

/// The delta as events for people and programs: one an added or removed node, link, rate, LID or
/// name. Links of a node that vanished as a whole are not told one by one.
[[nodiscard]] std::vector<Event> events_of(const FabricDelta& delta, const Fabric& before,
                                           const Fabric& after,
                                           std::chrono::system_clock::time_point now);

}  // namespace heddle::model
