#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/link_ledger.hpp"
#include "exporter/routing_status.hpp"
#include "model/event.hpp"
#include "model/fabric.hpp"

namespace heddle::daemon {

/// The Unix sockets of heddled, on a thread of their own: OpenSM's plugins, to which it sends
/// weights, and `heddle drain` and `undrain`. A socket that cannot be had is told and tried again:
/// what else heddled does needs none.
class LocalService {
 public:
  struct Options {
    SocketConfig opensm;
    SocketConfig control;
    Config::Weights weights;
    std::string software;  ///< told to plugins
  };
  /// All but `fabric` are called on the service's thread.
  struct Hooks {
    std::function<std::shared_ptr<const model::Fabric>()> fabric;  ///< never null
    std::function<void(std::vector<model::Event>)> tell;
    std::function<void(std::shared_ptr<const exporter::RoutingStatus>)> publish;
    std::function<void()> sweep;  ///< the fabric has changed
    std::function<void(std::string_view)> failed;
  };

  /// Starts the thread. `links` outlives the service.
  LocalService(Options options, Hooks hooks, LinkLedger& links);
  /// Ends connections and the thread.
  ~LocalService();
  LocalService(const LocalService&) = delete;
  LocalService& operator=(const LocalService&) = delete;

  [[nodiscard]] std::chrono::steady_clock::time_point last_beat() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::daemon
