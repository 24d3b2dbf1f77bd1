#include "daemon/opensm_feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/fabric_summary.hpp"

namespace heddle::daemon {
namespace {

using model::Event;
using model::EventKind;
using model::Fabric;
using model::make_event;
using model::NodeGuid;
using model::PortKey;
using model::PortNum;
using model::Severity;
using State = model::SubnetManager::State;
using Time = OpensmFeed::Time;

constexpr std::size_t kKeptRuns = 32;
/// OpenSMs that have been heard of; the oldest is forgotten.
constexpr std::size_t kKeptInstances = 64;
/// Traps told one by one: so many at once, and then so many a second.
constexpr double kTrapBurst = 200;
constexpr double kTrapsPerSecond = 10;

/// Not later than now: clocks are set back, and frames may hold anything.
Time time_of(std::uint64_t nanoseconds, Time now) {
  const auto most = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
  const std::chrono::nanoseconds since(
      static_cast<std::int64_t>(std::min(nanoseconds, static_cast<std::uint64_t>(most.count()))));
  return Time(std::chrono::duration_cast<Time::duration>(since));
}

State state_of(std::uint8_t code) noexcept {
  switch (code) {
    case 0:
      return State::kNotActive;
    case 1:
      return State::kDiscovering;
    case 2:
      return State::kStandby;
    case 3:
      return State::kMaster;
    default:
      return State::kUnknown;
  }
}

std::string node_text(const Fabric& fabric, std::uint64_t guid) {
  const auto node = fabric.find_node(NodeGuid{guid});
  if (!node) return fmt::format("{}", NodeGuid{guid});
  return fmt::format("\"{}\" {}", model::printable(fabric.node(*node).description), NodeGuid{guid});
}

std::string end_text(const Fabric& fabric, PortKey end) {
  const auto port = fabric.find_port(end);
  return port ? model::describe_end(fabric, *port) : to_string(end);
}

/// Names of the notices that a subnet has (InfiniBand Architecture Specification, volume 1, 13.4.8
/// and 14.2.5.1).
std::optional<std::string_view> name_of_trap(std::uint16_t number) noexcept {
  switch (number) {
    case 64:
      return "port in service";
    case 65:
      return "port out of service";
    case 66:
      return "multicast group created";
    case 67:
      return "multicast group deleted";
    case 128:
      return "link state changed";
    case 129:
      return "local link integrity threshold reached";
    case 130:
      return "excessive buffer overrun threshold reached";
    case 131:
      return "flow control watchdog expired";
    case 144:
      return "capabilities or name changed";
    case 145:
      return "system image GUID changed";
    case 256:
      return "bad M_Key";
    case 257:
      return "bad P_Key";
    case 258:
      return "bad Q_Key";
    case 259:
      return "bad P_Key at a switch port";
    default:
      return std::nullopt;
  }
}

bool is_about_a_fault(std::uint16_t number) noexcept {
  return (number >= 129 && number <= 131) || (number >= 256 && number <= 259);
}

std::string trap_text(const abi::Trap& trap, const Fabric& fabric) {
  std::string text;
  if (trap.generic == 0) {
    text = fmt::format("notice {} of vendor 0x{:06x}", trap.number, trap.producer);
  } else if (const auto name = name_of_trap(trap.number)) {
    text = fmt::format("{} (trap {})", *name, trap.number);
  } else {
    text = fmt::format("trap {}", trap.number);
  }
  if (trap.port_guid != 0) return fmt::format("{}: port {}", text, model::PortGuid{trap.port_guid});
  if (trap.node_guid != 0) text += fmt::format(" at {}", node_text(fabric, trap.node_guid));
  if (trap.port != 0) text += fmt::format(" port {}", trap.port);
  return text;
}

exporter::RoutingRun run_of(const abi::RoutingRun& from, Time now) {
  exporter::RoutingRun run;
  run.at = time_of(from.time, now);
  run.took = std::chrono::nanoseconds(static_cast<std::int64_t>(from.nanoseconds));
  run.routed = from.routed != 0;
  run.proved = from.proved != 0;
  run.engine = model::printable(from.engine);
  run.fallback = model::printable(from.fallback);
  run.reason = model::printable(from.reason);
  run.lanes = from.lanes;
  run.hosts = from.hosts;
  run.switches = from.switches;
  run.away = from.away;
  run.entries = from.entries;
  run.entries_changed = from.changed;
  run.blocks_changed = from.blocks_changed;
  run.undelivered = from.undelivered;
  run.weighted = from.weighted;
  return run;
}

/// Nothing for a run that changed nothing and says nothing new.
std::optional<Event> event_of(const exporter::RoutingRun& run, const exporter::RoutingRun* before) {
  const double milliseconds = std::chrono::duration<double, std::milli>(run.took).count();
  if (!run.routed) {
    if (before != nullptr && !before->routed && before->reason == run.reason) return std::nullopt;
    return make_event(
        EventKind::kRouting, Severity::kError,
        fmt::format("heddle gave OpenSM no tables, the next engine has its turn: {}", run.reason),
        run.at);
  }
  const bool same = before != nullptr && before->routed && before->engine == run.engine &&
                    before->fallback == run.fallback && before->undelivered == run.undelivered &&
                    before->weighted == run.weighted;
  if (same && run.entries_changed == 0) return std::nullopt;
  std::string text =
      fmt::format("routed with {}: {} of {} entries changed in {} blocks, {} {}, {:.1f} ms",
                  run.engine, run.entries_changed, run.entries, run.blocks_changed, run.lanes,
                  run.lanes == 1 ? "lane" : "lanes", milliseconds);
  if (run.weighted != 0) text += fmt::format("; {} cables drained or reduced", run.weighted);
  if (run.undelivered != 0) text += fmt::format("; {} pairs not delivered", run.undelivered);
  if (!run.fallback.empty()) text += "; " + run.fallback;
  const bool good = run.undelivered == 0 && run.fallback.empty();
  return make_event(EventKind::kRouting, good ? Severity::kInfo : Severity::kWarning,
                    std::move(text), run.at);
}

}  // namespace

OpensmFeed::Told OpensmFeed::take(Session session, const abi::Message& message,
                                  const Fabric& fabric, Time now) {
  Told told;
  exporter::PluginMessages& count = status_.messages;
  const auto found = peers_.find(session);
  Peer* const peer = found == peers_.end() ? nullptr : &found->second;
  std::visit(
      [&]<class T>(const T& m) {
        if constexpr (std::is_same_v<T, abi::Hello>) {
          hello(session, m, now, told);
        } else if constexpr (std::is_same_v<T, abi::Trap>) {
          ++count.trap;
          if (peer != nullptr) trap(m, fabric, now, told);
        } else if constexpr (std::is_same_v<T, abi::SweepStep>) {
          ++count.sweep;
          if (m.what == abi::SweepStep::What::kSubnetUp) {
            status_.last_sweep_at = time_of(m.time, now);
          }
        } else if constexpr (std::is_same_v<T, abi::ManagerState>) {
          ++count.state;
          if (peer != nullptr) state(*peer, m, now, told);
        } else if constexpr (std::is_same_v<T, abi::PortCounters>) {
          ++count.counters;
        } else if constexpr (std::is_same_v<T, abi::TableWrites>) {
          ++count.tables;
          status_.blocks_written_total += m.blocks;
        } else if constexpr (std::is_same_v<T, abi::RoutingRun>) {
          ++count.routing;
          if (peer != nullptr) run(*peer, m, now, told);
        } else if constexpr (std::is_same_v<T, abi::LinkChange>) {
          ++count.link;
          if (peer != nullptr) link(m, fabric, now, told);
        } else if constexpr (std::is_same_v<T, abi::QueueState>) {
          if (peer != nullptr) queue(*peer, m, now, told);
        } else if constexpr (std::is_same_v<T, abi::Note>) {
          ++count.routing;
          if (peer != nullptr) note(m, now, told);
        } else {
          ++count.other;  // weights go the other way
        }
      },
      message);
  return told;
}

void OpensmFeed::hello(Session session, const abi::Hello& message, Time now, Told& told) {
  if (message.magic != abi::kMagic || peers_.contains(session)) {
    ++status_.messages.other;
    return;
  }
  Peer peer;
  peer.instance = message.instance;
  peer.manager.software = model::printable(message.software);
  peer.manager.process = message.process;
  peer.manager.since = now;
  if (!instances_.contains(message.instance) && instances_.size() >= kKeptInstances) {
    instances_.erase(instances_.begin());  // instances grow with time
  }
  instances_.try_emplace(message.instance);
  told.events.push_back(make_event(
      EventKind::kPlugin, Severity::kInfo,
      fmt::format("OpenSM is connected: {}, process {}", peer.manager.software, message.process),
      now));
  peers_.emplace(session, std::move(peer));
}

void OpensmFeed::state(Peer& peer, const abi::ManagerState& message, Time now, Told& told) {
  const State state = state_of(message.state);
  const bool news = !peer.state_known || state != peer.manager.state;
  peer.state_known = true;
  peer.manager.state = state;
  peer.manager.priority = message.priority;
  if (message.port_guid != 0) peer.manager.port_guid = model::PortGuid{message.port_guid};
  if (!news) return;
  told.events.push_back(
      make_event(EventKind::kSubnetManagerChanged, Severity::kInfo,
                 fmt::format("OpenSM, process {}, is {}, priority {}", peer.manager.process,
                             to_string(state), peer.manager.priority),
                 time_of(message.time, now)));
}

bool OpensmFeed::may_tell_trap(Time now, Told& told) {
  const double passed = std::chrono::duration<double>(now - traps_.at).count();
  traps_.left = std::min(kTrapBurst, traps_.left + std::max(0.0, passed) * kTrapsPerSecond);
  traps_.at = now;
  if (traps_.left < 1) {
    ++traps_.untold;
    return false;
  }
  traps_.left -= 1;
  if (traps_.untold != 0) {
    told.events.push_back(
        make_event(EventKind::kTrap, Severity::kWarning,
                   fmt::format("{} traps were not told one by one", traps_.untold), now));
    traps_.untold = 0;
  }
  return true;
}

void OpensmFeed::trap(const abi::Trap& message, const Fabric& fabric, Time now, Told& told) {
  told.sweep = message.generic != 0 && message.number == 128;
  if (!may_tell_trap(now, told)) return;
  std::optional<PortKey> where;
  if (message.node_guid != 0) where = PortKey{NodeGuid{message.node_guid}, PortNum{message.port}};
  const bool fault = message.generic != 0 && is_about_a_fault(message.number);
  told.events.push_back(make_event(EventKind::kTrap, fault ? Severity::kWarning : Severity::kInfo,
                                   trap_text(message, fabric), time_of(message.time, now), where));
}

void OpensmFeed::link(const abi::LinkChange& message, const Fabric& fabric, Time now, Told& told) {
  const PortKey a{NodeGuid{message.guid_a}, PortNum{message.port_a}};
  const PortKey b{NodeGuid{message.guid_b}, PortNum{message.port_b}};
  const Time at = time_of(message.time, now);
  const bool up = message.up != 0;
  told.sweep = true;
  if (!links_.observe({a, b, up, at, time_of(message.seen, now)})) return;
  Event event = make_event(
      up ? EventKind::kLinkUp : EventKind::kLinkDown, up ? Severity::kInfo : Severity::kWarning,
      fmt::format("link {}: {} - {}", up ? "up" : "down", end_text(fabric, a), end_text(fabric, b)),
      at, a);
  event.peer = b;
  told.events.push_back(std::move(event));
}

void OpensmFeed::run(Peer& peer, const abi::RoutingRun& message, Time now, Told& told) {
  Instance& instance = instances_[peer.instance];
  // The last one is told again with every connection.
  if (message.time <= instance.last_run) return;
  instance.last_run = message.time;
  exporter::RoutingRun run = run_of(message, now);
  const exporter::RoutingRun* const before = status_.runs.empty() ? nullptr : &status_.runs.back();
  if (auto event = event_of(run, before)) told.events.push_back(std::move(*event));
  ++status_.runs_total;
  status_.runs_failed_total += run.routed ? 0U : 1U;
  status_.runs_fallback_total += run.fallback.empty() ? 0U : 1U;
  status_.entries_changed_total += run.entries_changed;
  status_.blocks_changed_total += run.blocks_changed;
  if (status_.runs.size() == kKeptRuns) status_.runs.erase(status_.runs.begin());
  status_.runs.push_back(std::move(run));
}

void OpensmFeed::note(const abi::Note& message, Time now, Told& told) {
  told.events.push_back(make_event(EventKind::kRouting,
                                   message.error != 0 ? Severity::kError : Severity::kInfo,
                                   model::printable(message.text), time_of(message.time, now)));
}

void OpensmFeed::queue(Peer& peer, const abi::QueueState& message, Time now, Told& told) {
  peer.manager.events_taken = message.taken;
  peer.manager.events_dropped = message.dropped;
  peer.manager.slowest_callback =
      std::chrono::nanoseconds(static_cast<std::int64_t>(message.slowest_nanoseconds));
  peer.manager.slow_callbacks = message.slow;
  std::uint64_t& known = instances_[peer.instance].dropped;
  if (message.dropped <= known) return;
  status_.events_dropped_total += message.dropped - known;
  told.events.push_back(make_event(EventKind::kPlugin, Severity::kWarning,
                                   fmt::format("OpenSM, process {}, lost {} events for heddled",
                                               peer.manager.process, message.dropped - known),
                                   now));
  known = message.dropped;
}

OpensmFeed::Told OpensmFeed::left(Session session, std::string_view why, Time now) {
  Told told;
  const auto found = peers_.find(session);
  if (found == peers_.end()) return told;
  told.events.push_back(make_event(
      EventKind::kPlugin, Severity::kWarning,
      fmt::format("OpenSM, process {}, has left: {}", found->second.manager.process, why), now));
  peers_.erase(found);
  return told;
}

exporter::RoutingStatus OpensmFeed::status() const {
  exporter::RoutingStatus status = status_;
  for (const auto& [session, peer] : peers_) status.managers.push_back(peer.manager);
  return status;
}

}  // namespace heddle::daemon
