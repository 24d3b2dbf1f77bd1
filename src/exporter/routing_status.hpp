#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fabric.hpp"
#include "model/fabric_tables.hpp"

/// What heddled knows from OpenSM itself, by way of its plugin.
namespace heddle::exporter {

/// One run of heddle's engine in OpenSM.
struct RoutingRun {
  std::chrono::system_clock::time_point at;  ///< its end
  std::chrono::nanoseconds took{};
  bool routed = false;   ///< else the next engine of OpenSM's list had its turn
  bool proved = false;   ///< free of loops and of cycles of waiting
  std::string engine;    ///< empty if nothing was routed
  std::string fallback;  ///< better suited engines that gave up, and why; empty if none did
  std::string reason;    ///< why nothing was routed
  std::uint8_t lanes = 0;
  std::uint32_t hosts = 0;
  std::uint32_t switches = 0;
  std::uint32_t away = 0;  ///< known parts that are not there
  std::uint64_t entries = 0;
  std::uint64_t entries_changed = 0;
  std::uint64_t blocks_changed = 0;
  std::uint64_t undelivered = 0;  ///< pairs that the cabling connects and the tables do not
  std::uint32_t weighted = 0;     ///< cables that were drained or reduced
};

/// What the plugin has sent, by kind of message.
struct PluginMessages {
  std::uint64_t trap = 0;
  std::uint64_t sweep = 0;
  std::uint64_t state = 0;
  std::uint64_t counters = 0;
  std::uint64_t tables = 0;
  std::uint64_t routing = 0;
  std::uint64_t link = 0;
  std::uint64_t other = 0;  ///< of a later version, or not to be understood
  [[nodiscard]] std::array<std::pair<std::string_view, std::uint64_t>, 8> by_kind() const noexcept {
    return {{{"trap", trap},
             {"sweep", sweep},
             {"state", state},
             {"counters", counters},
             {"tables", tables},
             {"routing", routing},
             {"link", link},
             {"other", other}}};
  }
};

/// An OpenSM whose plugin is connected.
struct ConnectedManager {
  std::string software;
  std::uint32_t process = 0;
  std::chrono::system_clock::time_point since;
  model::SubnetManager::State state = model::SubnetManager::State::kUnknown;
  std::optional<model::PortGuid> port_guid;
  std::uint8_t priority = 0;
  std::uint64_t events_taken = 0;    ///< since the plugin was loaded
  std::uint64_t events_dropped = 0;  ///< likewise
  std::chrono::nanoseconds slowest_callback{};
  std::uint64_t slow_callbacks = 0;  ///< of more than 50 microseconds
};

/// What of a cable's capacity routes are to use.
struct CableWeightStatus {
  model::PortKey end;
  std::uint8_t percent = 100;
  std::optional<std::chrono::system_clock::time_point> expires;
  std::string source;  ///< `operator` or `file`
};

struct RoutingStatus {
  bool listening = false;
  std::string not_listening_reason;
  std::vector<ConnectedManager> managers;  ///< by when they came
  std::vector<RoutingRun> runs;            ///< the last ones, oldest first
  PluginMessages messages;
  std::uint64_t runs_total = 0;
  std::uint64_t runs_failed_total = 0;
  std::uint64_t runs_fallback_total = 0;
  std::uint64_t entries_changed_total = 0;
  std::uint64_t blocks_changed_total = 0;
  std::uint64_t blocks_written_total = 0;  ///< that switches acknowledged to OpenSM
  std::uint64_t events_dropped_total = 0;  ///< by plugins
  std::optional<std::chrono::system_clock::time_point> last_sweep_at;  ///< OpenSM's, heavy
  std::vector<CableWeightStatus> weights;                              ///< by end
};

/// How often a cable went down and for how long, since heddled has watched it.
struct LinkHistory {
  model::PortKey a;  ///< the lower end
  model::PortKey b;
  std::uint64_t flaps = 0;           ///< times that it went down
  std::chrono::milliseconds down{};  ///< in all, if it is down now up to when this was asked
  std::optional<std::chrono::system_clock::time_point> down_since;
};

}  // namespace heddle::exporter
