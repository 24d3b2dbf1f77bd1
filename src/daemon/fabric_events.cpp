#include "daemon/fabric_events.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::daemon {
namespace {

using model::Event;
using model::EventKind;
using model::Fabric;
using model::make_event;
using model::NodeGuid;
using model::PortIndex;
using model::PortKey;
using model::PortNum;
using model::Severity;
using model::SubnetManager;

constexpr PortNum kNodeItself{std::uint8_t{0}};

std::string name_of(const Fabric& fabric, NodeGuid guid) {
  const auto node = fabric.find_node(guid);
  if (!node) return fmt::format("{}", guid);
  return fmt::format("\"{}\" {}", model::printable(fabric.node(*node).description), guid);
}

const SubnetManager* find_manager(const model::FabricTables& tables, const SubnetManager& like) {
  const auto it = std::ranges::find_if(tables.subnet_managers, [&](const SubnetManager& sm) {
    return sm.node == like.node && sm.port == like.port;
  });
  return it == tables.subnet_managers.end() ? nullptr : &*it;
}

std::string describe(const model::FabricTables& tables, const SubnetManager& sm) {
  return fmt::format("subnet manager on {} port {}", name_of(*tables.fabric, sm.node), sm.port);
}

std::size_t differing_entries(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t lid = 0; lid < common; ++lid) count += a[lid] != b[lid] ? 1U : 0U;
  // A row that is shorter has no port for the rest.
  const auto rest = a.size() > common ? a.subspan(common) : b.subspan(common);
  return count + static_cast<std::size_t>(std::ranges::count_if(rest, [](std::uint8_t port) {
           return port != model::ForwardingTables::kNoPort;
         }));
}

}  // namespace

SilentDevices silent_devices(const Fabric& fabric, std::span<const model::SweepReport::Mute> mute,
                             std::span<const NodeGuid> silent_counters) {
  SilentDevices result;
  for (const NodeGuid guid : silent_counters) {
    result[{guid, kNodeItself}] =
        fmt::format("{} does not answer performance queries", name_of(fabric, guid));
  }
  for (const auto& entry : mute) {
    const PortKey key = entry.node ? PortKey{*entry.node, kNodeItself} : entry.behind;
    const std::string what =
        entry.node ? name_of(fabric, *entry.node)
                   : fmt::format("the device behind {} port {}", name_of(fabric, entry.behind.node),
                                 entry.behind.port);
    result[key] =
        fmt::format("{} does not answer{}{}", what, entry.text.empty() ? "" : ": ", entry.text);
  }
  return result;
}

std::vector<Event> silence_events(const SilentDevices& before, const SilentDevices& after,
                                  const Fabric& fabric, EventTime now) {
  std::vector<Event> events;
  for (const auto& [key, text] : after) {
    if (before.contains(key)) continue;
    events.push_back(make_event(EventKind::kNodeMute, Severity::kWarning, text, now, key));
  }
  for (const auto& [key, text] : before) {
    if (after.contains(key) || !fabric.find_node(key.node)) continue;
    const std::string what =
        key.port == kNodeItself
            ? name_of(fabric, key.node)
            : fmt::format("the device behind {} port {}", name_of(fabric, key.node), key.port);
    events.push_back(
        make_event(EventKind::kNodeAnswers, Severity::kInfo, what + " answers again", now, key));
  }
  return events;
}

std::vector<Event> subnet_manager_events(const model::FabricTables& before,
                                         const model::FabricTables& after, EventTime now) {
  std::vector<Event> events;
  const auto add = [&](Severity severity, const SubnetManager& sm, std::string text) {
    events.push_back(make_event(EventKind::kSubnetManagerChanged, severity, std::move(text), now,
                                PortKey{sm.node, sm.port}));
  };
  for (const SubnetManager& sm : after.subnet_managers) {
    const SubnetManager* old = find_manager(before, sm);
    if (old == nullptr) {
      add(Severity::kInfo, sm,
          fmt::format("{} appeared: {}, priority {}", describe(after, sm), to_string(sm.state),
                      sm.priority));
    } else if (old->state != sm.state || old->priority != sm.priority) {
      add(Severity::kWarning, sm,
          fmt::format("{} went from {}, priority {}, to {}, priority {}", describe(after, sm),
                      to_string(old->state), old->priority, to_string(sm.state), sm.priority));
    }
  }
  for (const SubnetManager& sm : before.subnet_managers) {
    if (find_manager(after, sm) != nullptr) continue;
    add(Severity::kWarning, sm,
        fmt::format("{} is gone: was {}", describe(before, sm), to_string(sm.state)));
  }
  return events;
}

std::optional<Event> forwarding_event(const model::FabricTables& before,
                                      const model::FabricTables& after, EventTime now) {
  std::size_t entries = 0;
  std::vector<NodeGuid> switches;
  for (std::uint32_t i = 0; i < after.fabric->switches().size(); ++i) {
    const model::SwitchIndex here{i};
    const NodeGuid guid = after.fabric->node(after.fabric->node_of(here)).guid;
    const auto old_node = before.fabric->find_node(guid);
    const auto there = old_node ? before.fabric->switch_index(*old_node) : std::nullopt;
    if (!there || !after.forwarding.known(here) || !before.forwarding.known(*there)) continue;
    const std::size_t differ =
        differing_entries(before.forwarding.row(*there), after.forwarding.row(here));
    if (differ == 0) continue;
    entries += differ;
    switches.push_back(guid);
  }
  if (switches.empty()) return std::nullopt;
  std::optional<PortKey> where;
  std::string text;
  if (switches.size() == 1) {
    where = PortKey{switches.front(), kNodeItself};
    text = fmt::format("{} forwarding entries changed on {}", entries,
                       name_of(*after.fabric, switches.front()));
  } else {
    text = fmt::format("{} forwarding entries changed on {} switches", entries, switches.size());
  }
  return make_event(EventKind::kForwardingChanged, Severity::kInfo, std::move(text), now, where);
}

std::optional<Event> reset_event(const model::CounterTable& before,
                                 const model::CounterTable& after, EventTime now) {
  std::size_t ports = 0;
  std::optional<PortKey> first;
  const bool same_fabric = before.fabric == after.fabric;
  for (std::uint32_t i = 0; i < after.ports.size(); ++i) {
    if (after.ports[i].resets == 0) continue;
    const PortKey key = after.fabric->key(PortIndex{i});
    const auto old = same_fabric ? std::optional(PortIndex{i}) : before.fabric->find_port(key);
    if (!old || before.ports[old->value()].resets >= after.ports[i].resets) continue;
    ++ports;
    if (!first) first = key;
  }
  if (!first) return std::nullopt;
  const std::string where =
      fmt::format("{} port {}", name_of(*after.fabric, first->node), first->port);
  std::string text = ports == 1
                         ? fmt::format("counters of {} were cleared or its device restarted", where)
                         : fmt::format(
                               "counters of {} ports were cleared or their devices restarted, the "
                               "first {}",
                               ports, where);
  return make_event(EventKind::kCounterReset, Severity::kInfo, std::move(text), now, first);
}

}  // namespace heddle::daemon
