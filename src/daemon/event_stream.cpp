#include "daemon/event_stream.hpp"

#include <fmt/format.h>

namespace heddle::daemon {

std::string stream_text(const EventLog::Tail& tail, const exporter::EventFilter& filter,
                        std::uint64_t& cursor) {
  std::string text;
  if (tail.lost != 0) text += fmt::format(": {} older events are no longer held\n\n", tail.lost);
  for (const model::Event& event : tail.events) {
    cursor = event.sequence;
    if (!filter.matches(event)) continue;
    // JSON text has no line ends, so one `data:` line holds it.
    text += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", event.sequence,
                        model::to_string(event.kind), exporter::event_json(event));
  }
  return text;
}

}  // namespace heddle::daemon
