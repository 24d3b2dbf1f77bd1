#pragma once

#include <string>

#include "daemon/event_log.hpp"
#include "exporter/rest.hpp"

namespace heddle::daemon {

/// What is written to a client of the event stream next (server-sent events, WHATWG HTML 9.2): each
/// event that passes the filter with its sequence number as id. `cursor` moves past all events of
/// the tail, those that do not pass included. A comment tells of events that are no longer held.
[[nodiscard]] std::string stream_text(const EventLog::Tail& tail,
                                      const exporter::EventFilter& filter, std::uint64_t& cursor);

/// A comment line that keeps the connection alive.
inline constexpr const char* kStreamHeartbeat = ": heartbeat\n\n";

}  // namespace heddle::daemon
