#include "discovery/table_reading.hpp"

#include <algorithm>

#include "discovery/table_plan.hpp"
#include "model/assert.hpp"

namespace heddle::discovery {
namespace {

using model::NodeIndex;
using model::PortNum;

/// P_Keys in one block of the table (volume 1, 14.2.5.7).
constexpr std::size_t kBlockKeys = 32;

constexpr PortNum kPort0{std::uint8_t{0}};

std::optional<TableReading> reading(TableReading::Kind kind, const SweepOutcome& outcome,
                                    NodeIndex node, PortNum port) {
  const std::optional<mad::DirectedRoute> route = route_to(outcome, node, port);
  if (!route) return std::nullopt;
  TableReading reading;
  reading.kind = kind;
  reading.port = {outcome.fabric->node(node).guid, port};
  reading.route = *route;
  return reading;
}

model::SubnetManager::State state_of(std::uint8_t code) {
  using State = model::SubnetManager::State;
  return code <= static_cast<std::uint8_t>(State::kMaster) ? static_cast<State>(code)
                                                           : State::kUnknown;
}
static_assert(static_cast<int>(model::SubnetManager::State::kMaster) == 3);

}  // namespace

std::uint16_t TableReading::attribute() const noexcept {
  switch (kind) {
    case Kind::kSubnetManager:
      return mad::smp::kSmInfo;
    case Kind::kForwarding:
      return mad::smp::kLinearForwardingTable;
    case Kind::kPartitions:
      return mad::smp::kPKeyTable;
    case Kind::kSlToVl:
      return mad::smp::kSlToVlTable;
  }
  return 0;
}

bool TableReading::is_from(const mad::NodeInfo& info) const noexcept {
  const bool of_end_port = port.port != kPort0;
  return info.node_guid == port.node && (!of_end_port || info.local_port == port.port);
}

void TableReading::take(std::size_t index, const mad::MadBytes& answer) {
  HEDDLE_ASSERT(index < modifiers.size());
  const mad::SmpData data = mad::smp_data(answer);
  switch (kind) {
    case Kind::kSubnetManager: {
      const mad::SmInfo info = mad::sm_info_from_wire(data);
      manager = {.node = port.node,
                 .port = port.port,
                 .port_guid = info.guid,
                 .priority = info.priority,
                 .state = state_of(info.state),
                 .activity_count = info.activity_count};
      return;
    }
    case Kind::kForwarding: {
      const auto at = static_cast<std::ptrdiff_t>(index * model::ForwardingTables::kBlockLids);
      std::ranges::copy(data, row.begin() + at);
      return;
    }
    case Kind::kPartitions: {
      const std::size_t before = keys.size();
      std::ranges::copy_if(mad::p_key_block_from_wire(data), std::back_inserter(keys),
                           [](model::PKey key) { return (key.value() & 0x7FFFU) != 0; });
      if (keys.size() == before) modifiers.resize(next);
      return;
    }
    case Kind::kSlToVl:
      mappings[index] = mad::sl_to_vl_from_wire(data);
      return;
  }
}

std::optional<TableReading> read_subnet_manager(const SweepOutcome& outcome,
                                                model::PortIndex port) {
  const model::Port& known = outcome.fabric->port(port);
  auto result = reading(TableReading::Kind::kSubnetManager, outcome, known.node, known.number);
  if (result) result->modifiers = {0};
  return result;
}

std::optional<TableReading> read_forwarding_of(const SweepOutcome& outcome, NodeIndex node) {
  const auto info = outcome.switches.find(outcome.fabric->node(node).guid);
  if (info == outcome.switches.end()) return std::nullopt;
  auto result = reading(TableReading::Kind::kForwarding, outcome, node, kPort0);
  if (!result) return std::nullopt;
  // A top above the unicast LIDs cannot be meant.
  const std::size_t top =
      std::min<std::size_t>(info->second.linear_fdb_top, model::kMaxUnicastLid.value());
  const std::size_t blocks = top / model::ForwardingTables::kBlockLids + 1;
  for (std::uint32_t block = 0; block < blocks; ++block) result->modifiers.push_back(block);
  result->row.assign(blocks * model::ForwardingTables::kBlockLids,
                     model::ForwardingTables::kNoPort);
  return result;
}

std::optional<TableReading> read_partitions(const SweepOutcome& outcome, NodeIndex node,
                                            PortNum port) {
  const auto capacity = outcome.partition_capacity.find(outcome.fabric->node(node).guid);
  if (capacity == outcome.partition_capacity.end()) return std::nullopt;
  auto result = reading(TableReading::Kind::kPartitions, outcome, node, port);
  if (!result) return std::nullopt;
  result->one_by_one = true;
  // Each port has at least the default P_Key, whatever it says of its capacity.
  const std::size_t blocks =
      std::max<std::size_t>((capacity->second + kBlockKeys - 1) / kBlockKeys, 1);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    result->modifiers.push_back(std::uint32_t{port.value()} << 16U | block);
  }
  return result;
}

std::optional<TableReading> read_switch_sl_to_vl(const SweepOutcome& outcome, NodeIndex node) {
  auto result = reading(TableReading::Kind::kSlToVl, outcome, node, kPort0);
  if (!result) return std::nullopt;
  for (const PortPair& pair : sl_to_vl_pairs(*outcome.fabric, node)) {
    result->modifiers.push_back(std::uint32_t{pair.in.value()} << 8U | pair.out.value());
  }
  if (result->modifiers.empty()) return std::nullopt;
  result->mappings.resize(result->modifiers.size());
  return result;
}

std::optional<TableReading> read_end_port_sl_to_vl(const SweepOutcome& outcome, NodeIndex node,
                                                   PortNum port) {
  auto result = reading(TableReading::Kind::kSlToVl, outcome, node, port);
  if (!result) return std::nullopt;
  result->modifiers = {0};
  result->mappings.resize(1);
  return result;
}

}  // namespace heddle::discovery
