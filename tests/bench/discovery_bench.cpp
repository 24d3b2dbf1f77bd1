// discovery_bench: one sweep of the live subnet from opening the device to the finished snapshot;
// prints one JSON object. scripts/bench.py runs it in turn with ibnetdiscover.
#include <fmt/core.h>

#include <chrono>

#include "support/live_session.hpp"

int main() {
  const auto begun = std::chrono::steady_clock::now();
  auto session = heddle::support::LiveSession::open();
  if (!session) {
    fmt::print(stderr, "discovery_bench: {}\n", session.error().message());
    return 1;
  }
  const auto outcome = (*session)->discover();
  if (!outcome) {
    fmt::print(stderr, "discovery_bench: {}\n", outcome.error().message());
    return 1;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  fmt::print("{{\"seconds\": {:.6f}, \"nodes\": {}, \"links\": {}, \"queries\": {}}}\n",
             taken.count(), outcome->fabric->nodes().size(), outcome->fabric->links().size(),
             outcome->report.queries);
  return 0;
}
