#include "plugins/opensm/flap_damper.hpp"

#include <iterator>

namespace heddle::plugin {

bool FlapDamper::admit(model::PortKey cable, Instant now) {
  // Cables that are quiet are forgotten, so that those of years do not add up.
  for (auto at = deaths_.begin(); at != deaths_.end();) {
    std::deque<Instant>& deaths = at->second;
    while (!deaths.empty() && now - deaths.front() >= limits_.window) deaths.pop_front();
    at = deaths.empty() ? deaths_.erase(at) : std::next(at);
  }
  std::deque<Instant>& deaths = deaths_[cable];
  deaths.push_back(now);
  // One beyond the limit says as much as any number.
  if (deaths.size() > limits_.deaths + 1) deaths.pop_front();
  return deaths.size() <= limits_.deaths;
}

}  // namespace heddle::plugin
