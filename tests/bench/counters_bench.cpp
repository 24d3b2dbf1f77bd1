// counters_bench sweep|libibmad: asks every port of the live subnet for its counters once, by
// heddle's asynchronous sweep or by libibmad's synchronous call; prints one JSON object.
// scripts/bench.py runs the two in turn.
#include <fmt/core.h>
#include <infiniband/mad.h>

#include <array>
#include <chrono>
#include <span>
#include <string_view>

#include "counters/counter_sweep.hpp"
#include "support/live_session.hpp"

namespace {

using heddle::model::Errc;
using heddle::model::fail;
using heddle::model::Result;
using heddle::support::LiveSession;
using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

struct Figures {
  std::uint64_t queries = 0;
  std::uint64_t failures = 0;
  Seconds taken{};
};

Result<Figures> sweep(LiveSession& session, std::shared_ptr<const heddle::model::Fabric> fabric) {
  heddle::counters::CapabilityCache capabilities;
  heddle::counters::CounterSweep round(session.engine(), {.data = true, .errors = true},
                                       std::move(fabric), capabilities);
  bool finished = false;
  Result<heddle::counters::CounterSweep::Outcome> outcome =
      fail(Errc::kCancelled, "the sweep did not end");
  const auto begun = Clock::now();
  round.start([](const heddle::model::CounterSample&) {},
              [](heddle::model::PortKey, std::uint8_t) {},
              [&](Result<heddle::counters::CounterSweep::Outcome> result) {
                outcome = std::move(result);
                finished = true;
              });
  if (const auto status = session.run_until(finished); !status) return fail(status.error());
  if (!outcome) return fail(outcome.error());
  return Figures{outcome->queries, outcome->failures, Clock::now() - begun};
}

struct Target {
  int lid;
  int port;
};

/// The ports that the sweep asks about too: those with a cable.
std::vector<Target> targets_of(const heddle::model::Fabric& fabric) {
  std::vector<Target> targets;
  for (const heddle::model::Link& link : fabric.links()) {
    for (const auto end : {link.a, link.b}) {
      if (const auto lid = fabric.management_lid(end)) {
        targets.push_back({lid->value(), fabric.port(end).number.value()});
      }
    }
  }
  return targets;
}

Result<Figures> ask_by_libibmad(std::string device, int number,
                                const std::vector<Target>& targets) {
  std::array<int, 2> classes{IB_SMI_CLASS, IB_PERFORMANCE_CLASS};
  ibmad_port* source =
      mad_rpc_open_port(device.data(), number, classes.data(), static_cast<int>(classes.size()));
  if (source == nullptr) return fail(Errc::kUnavailable, "libibmad cannot open the port");
  Figures figures;
  std::array<std::uint8_t, 1024> answer{};
  const auto begun = Clock::now();
  for (const Target& target : targets) {
    for (const unsigned attribute : {IB_GSI_PORT_COUNTERS_EXT, IB_GSI_PORT_COUNTERS}) {
      ib_portid_t where{};
      where.lid = target.lid;
      ++figures.queries;
      if (pma_query_via(answer.data(), &where, target.port, 0, attribute, source) == nullptr) {
        ++figures.failures;
      }
    }
  }
  figures.taken = Clock::now() - begun;
  mad_rpc_close_port(source);
  return figures;
}

Result<Figures> run(std::string_view way) {
  auto session = LiveSession::open();
  if (!session) return fail(session.error());
  const auto outcome = (*session)->discover();
  if (!outcome) return fail(outcome.error());
  if (way == "sweep") return sweep(**session, outcome->fabric);
  const heddle::mad::LocalPort port = (*session)->port();
  const std::vector<Target> targets = targets_of(*outcome->fabric);
  session->reset();
  return ask_by_libibmad(port.device, port.number.value(), targets);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const std::string_view way = arguments.size() == 2 ? arguments[1] : "";
  if (way != "sweep" && way != "libibmad") {
    fmt::print(stderr, "usage: counters_bench sweep|libibmad\n");
    return 2;
  }
  const auto figures = run(way);
  if (!figures) {
    fmt::print(stderr, "counters_bench: {}\n", figures.error().message());
    return 1;
  }
  fmt::print("{{\"queries\": {}, \"failures\": {}, \"seconds\": {:.6f}}}\n", figures->queries,
             figures->failures, figures->taken.count());
  return 0;
}
