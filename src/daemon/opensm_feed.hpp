#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/link_ledger.hpp"
#include "exporter/routing_status.hpp"
#include "model/event.hpp"
#include "plugins/abi/messages.hpp"

namespace heddle::daemon {

/// What the plugins in OpenSMs say, as events and as a status. Pure but for the ledger; for one
/// thread.
class OpensmFeed {
 public:
  using Time = std::chrono::system_clock::time_point;
  /// Names a connection.
  using Session = std::uint64_t;
  struct Told {
    std::vector<model::Event> events;
    bool sweep = false;  ///< the fabric has changed: worth a look at once
  };

  /// `links` outlives the feed.
  explicit OpensmFeed(LinkLedger& links) : links_(links) {}

  /// `fabric` gives names. Messages before a Hello count and tell nothing.
  [[nodiscard]] Told take(Session session, const abi::Message& message, const model::Fabric& fabric,
                          Time now);
  /// A frame that could not be read: of a later version, or damaged.
  void passed_over() noexcept { ++status_.messages.other; }
  /// The connection has ended.
  [[nodiscard]] Told left(Session session, std::string_view why, Time now);

  [[nodiscard]] exporter::RoutingStatus status() const;

 private:
  struct Peer {
    exporter::ConnectedManager manager;
    std::uint64_t instance = 0;
    bool state_known = false;
  };
  /// Of all that has ever been heard of a start of OpenSM, what must not be counted twice.
  struct Instance {
    std::uint64_t last_run = 0;  ///< RoutingRun::time
    std::uint64_t dropped = 0;
  };
  /// So that a storm of traps is told as a number.
  struct Allowance {
    double left = 0;
    Time at;
    std::uint64_t untold = 0;
  };

  void hello(Session session, const abi::Hello& message, Time now, Told& told);
  void state(Peer& peer, const abi::ManagerState& message, Time now, Told& told);
  void trap(const abi::Trap& message, const model::Fabric& fabric, Time now, Told& told);
  void link(const abi::LinkChange& message, const model::Fabric& fabric, Time now, Told& told);
  void run(Peer& peer, const abi::RoutingRun& message, Time now, Told& told);
  static void note(const abi::Note& message, Time now, Told& told);
  void queue(Peer& peer, const abi::QueueState& message, Time now, Told& told);
  [[nodiscard]] bool may_tell_trap(Time now, Told& told);

  LinkLedger& links_;
  std::map<Session, Peer> peers_;
  std::map<std::uint64_t, Instance> instances_;
  exporter::RoutingStatus status_;  ///< without managers
  Allowance traps_;
};

}  // namespace heddle::daemon
