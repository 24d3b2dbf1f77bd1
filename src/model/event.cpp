#include "model/event.hpp"

#include <array>
#include <utility>

namespace heddle::model {
namespace {

constexpr std::array<std::pair<EventKind, std::string_view>, 20> kKinds{{
    {EventKind::kNodeAppeared, "node_appeared"},
    {EventKind::kNodeVanished, "node_vanished"},
    {EventKind::kLinkUp, "link_up"},
    {EventKind::kLinkDown, "link_down"},
    {EventKind::kLinkRateChanged, "link_rate_changed"},
    {EventKind::kPortStateChanged, "port_state_changed"},
    {EventKind::kLidChanged, "lid_changed"},
    {EventKind::kNameChanged, "name_changed"},
    {EventKind::kForwardingChanged, "forwarding_changed"},
    {EventKind::kSubnetManagerChanged, "subnet_manager_changed"},
    {EventKind::kNodeMute, "node_mute"},
    {EventKind::kNodeAnswers, "node_answers"},
    {EventKind::kFabricSuspect, "fabric_suspect"},
    {EventKind::kFabricAccepted, "fabric_accepted"},
    {EventKind::kCounterReset, "counter_reset"},
    {EventKind::kTrap, "trap"},
    {EventKind::kRouting, "routing"},
    {EventKind::kPlugin, "plugin"},
    {EventKind::kWeightsChanged, "weights_changed"},
    {EventKind::kService, "service"},
}};

}  // namespace

std::string_view to_string(EventKind kind) noexcept {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "unknown";
}

std::optional<EventKind> parse_event_kind(std::string_view text) noexcept {
  for (const auto& [value, name] : kKinds) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "unknown";
}

Event make_event(EventKind kind, Severity severity, std::string text,
                 std::chrono::system_clock::time_point time, std::optional<PortKey> port) {
  Event event;
  event.time = time;
  event.kind = kind;
  event.severity = severity;
  event.port = port;
  event.text = std::move(text);
  return event;
}

}  // namespace heddle::model
