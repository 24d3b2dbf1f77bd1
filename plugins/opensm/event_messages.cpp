#include "plugins/opensm/event_messages.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace heddle::plugin {
namespace {

/// Generic notice "link state of a port of this switch has changed".
constexpr std::uint16_t kLinkStateTrap = 128;

abi::Trap trap_of(const heddle_event& event) {
  return {.time = event.time,
          .generic = event.generic,
          .type = event.detail,
          .producer = event.producer,
          .number = event.number,
          .issuer_lid = event.issuer_lid,
          .lid = event.lid,
          .node_guid = event.guid,
          .port_guid = event.port_guid,
          .port = event.port};
}

abi::PortCounters counters_of(const heddle_event& event, abi::PortCounters::What what) {
  const std::size_t count = std::min<std::size_t>(event.value_count, HEDDLE_EVENT_VALUES);
  return {.time = event.time,
          .node_guid = event.guid,
          .port = event.port,
          .what = what,
          .seconds = event.count,
          .values = {std::begin(event.values), std::begin(event.values) + count}};
}

CableEnds ends_of(const heddle_cable& cable) {
  const std::array<std::pair<std::uint64_t, std::uint8_t>, 2> ends{
      {{cable.node_guid[0], cable.port[0]}, {cable.node_guid[1], cable.port[1]}}};
  const auto& [a, b] = std::minmax(ends[0], ends[1]);
  return {a.first, b.first, a.second, b.second};
}

}  // namespace

std::optional<abi::Message> EventMessages::take(const heddle_event& event) {
  using What = abi::SweepStep::What;
  switch (event.kind) {
    case HEDDLE_EVENT_PORT_ERRORS:
      return counters_of(event, abi::PortCounters::What::kErrors);
    case HEDDLE_EVENT_PORT_DATA:
      return counters_of(event, abi::PortCounters::What::kData);
    case HEDDLE_EVENT_PORT_SELECT:
      return counters_of(event, abi::PortCounters::What::kSelect);
    case HEDDLE_EVENT_TRAP:
      if (event.generic != 0 && event.number == kLinkStateTrap) told_by_[event.guid] = event.time;
      return trap_of(event);
    case HEDDLE_EVENT_SUBNET_UP:
      return abi::SweepStep{event.time, What::kSubnetUp};
    case HEDDLE_EVENT_HEAVY_SWEEP_START:
      sweep_began_ = event.time;
      return abi::SweepStep{event.time, What::kHeavySweepStarted};
    case HEDDLE_EVENT_HEAVY_SWEEP_DONE:
      return abi::SweepStep{event.time, What::kHeavySweepDone};
    case HEDDLE_EVENT_ROUTING_DONE:
      return abi::SweepStep{event.time,
                            event.detail == 1 ? What::kRoutingDone : What::kReroutingDone};
    case HEDDLE_EVENT_STATE_CHANGE:
      return abi::ManagerState{event.time, event.detail, static_cast<std::uint8_t>(event.count),
                               event.guid};
    default:
      break;
  }
  if (!has_writes()) writes_.first = event.time;
  writes_.last = event.time;
  (event.kind == HEDDLE_EVENT_TABLE_BLOCK ? writes_.blocks : writes_.tops) += 1;
  written_switches_.insert(event.guid);
  return std::nullopt;
}

std::optional<abi::Message> EventMessages::writes() {
  if (!has_writes()) return std::nullopt;
  writes_.switches = static_cast<std::uint32_t>(written_switches_.size());
  if (writes_.switches == 1) writes_.node_guid = *written_switches_.begin();
  written_switches_.clear();
  return std::exchange(writes_, {});
}

std::vector<abi::Message> EventMessages::compare_cables(std::span<const heddle_cable> cables,
                                                        std::uint64_t seen) {
  std::vector<CableEnds> now;
  now.reserve(cables.size());
  std::ranges::transform(cables, std::back_inserter(now), ends_of);
  std::ranges::sort(now);
  std::vector<abi::Message> changes;
  if (cables_) {
    std::vector<CableEnds> differ;
    std::ranges::set_difference(*cables_, now, std::back_inserter(differ));
    for (const CableEnds& cable : differ) changes.emplace_back(change(cable, false, seen));
    differ.clear();
    std::ranges::set_difference(now, *cables_, std::back_inserter(differ));
    for (const CableEnds& cable : differ) changes.emplace_back(change(cable, true, seen));
  }
  cables_ = std::move(now);
  // What came during the sweep may be about something that the next one finds.
  std::erase_if(told_by_, [this](const auto& told) { return told.second < sweep_began_; });
  return changes;
}

abi::LinkChange EventMessages::change(const CableEnds& cable, bool up, std::uint64_t seen) const {
  abi::LinkChange change{.time = seen,
                         .seen = seen,
                         .up = static_cast<std::uint8_t>(up ? 1 : 0),
                         .by_trap = 0,
                         .guid_a = cable.guid_a,
                         .port_a = cable.port_a,
                         .guid_b = cable.guid_b,
                         .port_b = cable.port_b};
  for (const std::uint64_t guid : {cable.guid_a, cable.guid_b}) {
    const auto told = told_by_.find(guid);
    if (told == told_by_.end() || told->second > seen) continue;
    // Both ends may have told: whoever was first.
    change.time = change.by_trap != 0 ? std::min(change.time, told->second) : told->second;
    change.by_trap = 1;
  }
  return change;
}

}  // namespace heddle::plugin
