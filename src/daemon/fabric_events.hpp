#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/counters.hpp"
#include "model/event.hpp"
#include "model/fabric_tables.hpp"
#include "model/sweep_report.hpp"

/// Events that come from comparing two states of what is read besides the cabling (for that:
/// model/fabric_delta.hpp). Pure.
namespace heddle::daemon {

using EventTime = std::chrono::system_clock::time_point;

/// Who does not answer, by the node (as its port 0) or, where it was never known, the port before
/// it; with why, for people.
using SilentDevices = std::map<model::PortKey, std::string>;
[[nodiscard]] SilentDevices silent_devices(const model::Fabric& fabric,
                                           std::span<const model::SweepReport::Mute> mute,
                                           std::span<const model::NodeGuid> silent_counters);
/// One event a device that fell silent or answers again. A device that has left the fabric does
/// not "answer again".
[[nodiscard]] std::vector<model::Event> silence_events(const SilentDevices& before,
                                                       const SilentDevices& after,
                                                       const model::Fabric& fabric, EventTime now);

/// Subnet managers that came, left, or changed state or priority.
[[nodiscard]] std::vector<model::Event> subnet_manager_events(const model::FabricTables& before,
                                                              const model::FabricTables& after,
                                                              EventTime now);

/// One event for all forwarding entries that differ on switches whose tables are known in both;
/// nothing if none does. Linear in the tables.
[[nodiscard]] std::optional<model::Event> forwarding_event(const model::FabricTables& before,
                                                           const model::FabricTables& after,
                                                           EventTime now);

/// One event for all ports whose counters were cleared by others, or whose device restarted.
[[nodiscard]] std::optional<model::Event> reset_event(const model::CounterTable& before,
                                                      const model::CounterTable& after,
                                                      EventTime now);

}  // namespace heddle::daemon
