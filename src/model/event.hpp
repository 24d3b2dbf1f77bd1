#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/fabric.hpp"

namespace heddle::model {

enum class EventKind : std::uint8_t {
  kNodeAppeared,
  kNodeVanished,
  kLinkUp,
  kLinkDown,
  kLinkRateChanged,
  kPortStateChanged,
  kLidChanged,
  kNameChanged,
  kForwardingChanged,
  kSubnetManagerChanged,
  kNodeMute,
  kNodeAnswers,
  kFabricSuspect,
  kFabricAccepted,
  kCounterReset,
  kTrap,            ///< a notice that OpenSM received or made
  kRouting,         ///< a run of heddle's engine in OpenSM
  kPlugin,          ///< OpenSM's plugin came, left, or lost events
  kWeightsChanged,  ///< a cable was drained, reduced or given back
  kService,         ///< about heddle itself: started, configuration reloaded, sweep failed
};
[[nodiscard]] std::string_view to_string(EventKind kind) noexcept;  ///< `node_appeared`, …
[[nodiscard]] std::optional<EventKind> parse_event_kind(std::string_view text) noexcept;

enum class Severity : std::uint8_t { kInfo, kWarning, kError };
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// Something that happened, once; the sequence number grows by one an event within a run of the
/// daemon.
struct Event {
  std::uint64_t sequence = 0;  ///< given by the log that holds it
  std::chrono::system_clock::time_point time;
  EventKind kind = EventKind::kService;
  Severity severity = Severity::kInfo;
  std::optional<PortKey> port;  ///< the node alone is port 0
  std::optional<PortKey> peer;
  std::string text;  ///< for people, with names and ports of both ends
};

/// An event that no log has numbered yet.
[[nodiscard]] Event make_event(EventKind kind, Severity severity, std::string text,
                               std::chrono::system_clock::time_point time,
                               std::optional<PortKey> port = std::nullopt);

}  // namespace heddle::model
