#include "unit/exporter/sample_view.hpp"

#include "model/fabric_builder.hpp"

namespace heddle::exporter::test {
namespace {

using namespace std::chrono_literals;
using model::Counter;
using model::FabricBuilder;
using model::LinkRate;
using model::LinkSpeed;
using model::LinkWidth;
using model::Node;
using model::NodeGuid;
using model::NodeKind;
using model::PhysicalState;
using model::Port;
using model::PortKey;
using model::PortNum;
using model::PortState;

const std::chrono::system_clock::time_point kNoon{1'790'000'000s};  // 2026-09-21T14:13:20Z
const std::chrono::steady_clock::time_point kSteadyNoon{50'000s};
constexpr LinkRate kEdr4{LinkWidth::k4x, LinkSpeed::kEdr};
constexpr LinkRate kEdr2{LinkWidth::k2x, LinkSpeed::kEdr};

NodeGuid guid(std::uint64_t value) { return NodeGuid{value}; }
PortNum number(unsigned value) { return PortNum{static_cast<std::uint8_t>(value)}; }
PortKey key(std::uint64_t node, unsigned port) { return {guid(node), number(port)}; }

void add(FabricBuilder& builder, std::uint64_t id, NodeKind kind, std::uint8_t ports,
         std::string name) {
  builder.add_node(Node{.guid = guid(id),
                        .system_guid = model::SystemGuid{id},
                        .kind = kind,
                        .vendor_id = 0x2C9,
                        .device_id = 4123,
                        .port_count = ports,
                        .description = std::move(name)});
}

Port active(unsigned port, LinkRate rate) {
  Port out;
  out.number = number(port);
  out.state = PortState::kActive;
  out.physical_state = PhysicalState::kLinkUp;
  out.mtu_bytes = 4096;
  out.operational_vls = 4;
  out.rate = rate;
  out.speeds_supported.insert(LinkSpeed::kSdr);
  out.speeds_supported.insert(LinkSpeed::kEdr);
  out.speeds_enabled = out.speeds_supported;
  out.widths_supported.insert(LinkWidth::k1x);
  out.widths_supported.insert(LinkWidth::k2x);
  out.widths_supported.insert(LinkWidth::k4x);
  out.widths_enabled = out.widths_supported;
  return out;
}

void cable(FabricBuilder& builder, PortKey a, PortKey b, LinkRate rate = kEdr4) {
  builder.set_port(a.node, active(a.port.value(), rate));
  builder.set_port(b.node, active(b.port.value(), rate));
  builder.connect(a, b);
}

void set_lid(FabricBuilder& builder, PortKey where, std::uint16_t lid) {
  Port port = *builder.port(where);
  port.lid = model::Lid{lid};
  port.guid = model::PortGuid{where.node.value() + where.port.value()};
  builder.set_port(where.node, port);
}

model::Fabric sample_fabric() {
  FabricBuilder builder("rail \"one\"");
  add(builder, 0x10, NodeKind::kSwitch, 4, "spine");
  add(builder, 0x20, NodeKind::kSwitch, 6, "leaf \"A\"");
  add(builder, 0x21, NodeKind::kSwitch, 8, "leaf\nB\xff\\");
  add(builder, 0x100, NodeKind::kHostAdapter, 2, "host-1 HCA-1");
  add(builder, 0x101, NodeKind::kHostAdapter, 1, "host-2 HCA-1");
  add(builder, 0x102, NodeKind::kHostAdapter, 1, "host-2 HCA-1");
  add(builder, 0x103, NodeKind::kHostAdapter, 1, "");
  add(builder, 0x200, NodeKind::kAggregationNode, 1, "Mellanox Technologies Aggregation Node");
  add(builder, 0x201, NodeKind::kAggregationNode, 1, "Mellanox Technologies Aggregation Node");
  add(builder, 0x300, NodeKind::kRouter, 1, "r\xC3\xBCter");
  cable(builder, key(0x10, 1), key(0x20, 1));
  cable(builder, key(0x10, 2), key(0x20, 2), kEdr2);
  cable(builder, key(0x10, 3), key(0x21, 1));
  cable(builder, key(0x20, 3), key(0x100, 1));
  cable(builder, key(0x20, 4), key(0x100, 2));
  cable(builder, key(0x20, 5), key(0x200, 1));
  cable(builder, key(0x21, 2), key(0x101, 1));
  cable(builder, key(0x21, 3), key(0x102, 1));
  cable(builder, key(0x21, 4), key(0x201, 1));
  cable(builder, key(0x21, 5), key(0x300, 1));
  cable(builder, key(0x21, 7), key(0x103, 1));
  builder.set_port(guid(0x21), active(6, kEdr4));
  builder.connect_unresolved(key(0x21, 6), guid(0x999), number(1), "gone \"host\"");
  Port down;
  down.number = number(6);
  down.state = PortState::kDown;
  down.physical_state = PhysicalState::kPolling;
  down.rate = {LinkWidth::k4x, LinkSpeed::kSdr};  // what PortInfo says of a port that is down
  builder.set_port(guid(0x20), down);
  std::uint16_t lid = 1;
  for (const PortKey end :
       {key(0x10, 0), key(0x20, 0), key(0x21, 0), key(0x100, 1), key(0x100, 2), key(0x101, 1),
        key(0x102, 1), key(0x103, 1), key(0x200, 1), key(0x201, 1), key(0x300, 1)}) {
    set_lid(builder, end, lid++);
  }
  return std::move(builder).build();
}

void set(model::PortTotals& totals, Counter counter, std::uint64_t value) {
  totals.value[static_cast<std::size_t>(counter)] = value;
  totals.known |= 1U << static_cast<unsigned>(counter);
}

void read_all(model::PortTotals& totals, std::uint64_t base,
              std::chrono::steady_clock::time_point when) {
  for (std::size_t i = 0; i < model::kCounterCount; ++i) set(totals, static_cast<Counter>(i), 0);
  set(totals, Counter::kXmitData, base * 1'000'000'000);
  set(totals, Counter::kRcvData, base * 999'999'999);
  set(totals, Counter::kXmitPkts, base * 1'000'000);
  set(totals, Counter::kRcvPkts, base * 999'999);
  totals.read_at.fill(when);
}

std::shared_ptr<const model::CounterTable> sample_counters(
    const std::shared_ptr<const model::Fabric>& fabric) {
  auto table = std::make_shared<model::CounterTable>();
  table->fabric = fabric;
  table->ports.resize(fabric->ports().size());
  table->published_at = kSteadyNoon;
  table->published_at_wall = kNoon;
  for (std::uint32_t i = 0; i < fabric->ports().size(); ++i) {
    const PortKey port = fabric->key(model::PortIndex{i});
    if (port.port == PortNum{} || port == key(0x103, 1)) continue;
    const bool connected = fabric->peer(model::PortIndex{i}).has_value();
    if (!connected && port != key(0x20, 6)) continue;
    const bool late = port == key(0x21, 2);
    read_all(table->ports[i], port.node.value() + port.port.value(),
             kSteadyNoon - (late ? std::chrono::seconds(600) : 2s));
  }
  model::PortTotals& noisy = table->ports[fabric->find_port(key(0x20, 3))->value()];
  set(noisy, Counter::kSymbolErrors, 65535);
  set(noisy, Counter::kXmitWait, 18'446'744'073'709'551'615U);
  set(noisy, Counter::kXmitDiscards, 12);
  set(noisy, Counter::kDlidMappingErrors, 3);
  set(noisy, Counter::kSwLifetimeDiscards, 4);
  noisy.at_least = 1U << static_cast<unsigned>(Counter::kSymbolErrors);
  noisy.resets = 2;
  noisy.wait_tick = 7;
  return table;
}

std::shared_ptr<const model::RateFrame> frame(const std::shared_ptr<const model::Fabric>& fabric,
                                              std::chrono::seconds before, float rate) {
  auto out = std::make_shared<model::RateFrame>();
  out->fabric = fabric;
  out->time = kNoon - before;
  out->ports.resize(fabric->ports().size());
  model::PortRates& sender = out->ports[fabric->find_port(key(0x20, 3))->value()];
  sender = {.xmit_bytes_per_second = model::OptionalRate{rate},
            .rcv_bytes_per_second = model::OptionalRate{rate / 2},
            .xmit_wait_ticks_per_second = model::OptionalRate{1000}};
  // Only the receiver's side is known of this cable.
  out->ports[fabric->find_port(key(0x21, 1))->value()].rcv_bytes_per_second =
      model::OptionalRate{rate / 4};
  return out;
}

std::shared_ptr<const model::FabricTables> sample_tables(
    const std::shared_ptr<const model::Fabric>& fabric) {
  auto tables = std::make_shared<model::FabricTables>();
  tables->fabric = fabric;
  tables->completed_at = kNoon - 5s;
  // The spine knows the way to three LIDs and itself; the leaf was not read; 0x21 has no entry.
  tables->forwarding =
      model::ForwardingTables(fabric->switches().size(), model::Lid{std::uint16_t{11}});
  const auto spine = tables->forwarding.row(model::SwitchIndex{std::uint32_t{0}});
  spine[1] = 0;
  spine[2] = 1;
  spine[4] = 2;
  spine[6] = 3;
  tables->forwarding.mark_known(model::SwitchIndex{std::uint32_t{0}});
  tables->forwarding.mark_known(model::SwitchIndex{std::uint32_t{2}});
  model::SlToVl flat{};
  model::SlToVl two{};
  for (std::size_t sl = 1; sl < two.size(); sl += 2) two[sl] = 1;
  for (unsigned in = 1; in <= 3; ++in) {
    for (unsigned out = 1; out <= 3; ++out) {
      tables->sl_to_vl.set(guid(0x10), number(in), number(out), in == 2 ? two : flat);
    }
  }
  tables->sl_to_vl.set(guid(0x100), number(1), number(1), two);
  tables->partitions[key(0x100, 1)] = {model::PKey{std::uint16_t{0xFFFF}},
                                       model::PKey{std::uint16_t{0x12}}};
  tables->partitions[key(0x100, 2)] = {};
  tables->subnet_managers = {{.node = guid(0x100),
                              .port = number(1),
                              .port_guid = model::PortGuid{std::uint64_t{0x101}},
                              .priority = 14,
                              .state = model::SubnetManager::State::kMaster,
                              .activity_count = 77},
                             {.node = guid(0x101),
                              .port = number(1),
                              .port_guid = model::PortGuid{std::uint64_t{0x102}},
                              .priority = 1,
                              .state = model::SubnetManager::State::kStandby,
                              .activity_count = 3}};
  tables->unread.partitions = {guid(0x101)};
  tables->led_astray = 2;
  return tables;
}

std::shared_ptr<const RoutingStatus> sample_routing() {
  auto status = std::make_shared<RoutingStatus>();
  status->listening = true;
  ConnectedManager manager;
  manager.software = "libheddle.so 0.1.0 in OpenSM 3.3.23";
  manager.process = 4711;
  manager.since = kNoon - 1h;
  manager.state = model::SubnetManager::State::kMaster;
  manager.port_guid = model::PortGuid{std::uint64_t{0x101}};
  manager.priority = 14;
  manager.events_taken = 1000;
  manager.events_dropped = 2;
  manager.slowest_callback = 41us;
  manager.slow_callbacks = 0;
  status->managers.push_back(manager);
  RoutingRun failed;
  failed.at = kNoon - 50s;
  failed.took = 1ms;
  failed.reason = "no \"memory\"";
  RoutingRun run;
  run.at = kNoon - 20s;
  run.took = 12ms;
  run.routed = true;
  run.proved = true;
  run.engine = "up-down";
  run.fallback = "fat-tree gave up: no tree";
  run.lanes = 1;
  run.hosts = 7;
  run.switches = 3;
  run.away = 1;
  run.entries = 33;
  run.entries_changed = 4;
  run.blocks_changed = 2;
  run.undelivered = 0;
  run.weighted = 1;
  status->runs = {failed, run};
  status->messages = {.trap = 9, .sweep = 8, .state = 2, .tables = 3, .routing = 2, .link = 4};
  status->runs_total = 2;
  status->runs_failed_total = 1;
  status->runs_fallback_total = 1;
  status->entries_changed_total = 4;
  status->blocks_changed_total = 2;
  status->blocks_written_total = 5;
  status->events_dropped_total = 2;
  status->last_sweep_at = kNoon - 20s;
  status->weights = {{key(0x10, 1), 0, kNoon + 60s, "operator"}, {key(0x10, 3), 50, {}, "file"}};
  return status;
}

}  // namespace

View empty_view() { return view_of(model::Fabric{}); }

View view_of(model::Fabric fabric) {
  View view;
  view.generation = 1;
  view.version = "0.1.0";
  view.fabric_name = fabric.name();
  view.started_at = kNoon - 1h;
  view.published_at = kNoon;
  view.fabric = std::make_shared<const model::Fabric>(std::move(fabric));
  view.summary = std::make_shared<const model::FabricSummary>(model::summarise(*view.fabric));
  view.degraded =
      std::make_shared<const std::vector<model::DegradedLink>>(model::degraded_links(*view.fabric));
  view.duplicates = std::make_shared<const std::vector<model::DuplicateName>>(
      model::duplicate_names(*view.fabric));
  view.not_ready_reason = "no sweep has been completed";
  return view;
}

View sample_view() {
  View view = view_of(sample_fabric());
  view.generation = 42;
  view.tables = sample_tables(view.fabric);
  view.counters = sample_counters(view.fabric);
  view.history = {frame(view.fabric, 20s, 1.5e9F), frame(view.fabric, 10s, 2e9F)};
  view.sweep.started_at = kNoon - 9s;
  view.sweep.duration = 1234ms;
  view.sweep.queries = 321;
  view.sweep.timeouts = 3;
  view.sweep.mute = {{.node = std::nullopt, .behind = key(0x21, 6), .text = "behind port 6"}};
  view.stale = true;
  view.stale_reason = "the last sweep lost half of the fabric";
  view.jobs = {{.name = "topology",
                .completed = 12,
                .failed = 1,
                .last_completed_at = kNoon - 7s,
                .last_duration = 1234ms,
                .last_error = "port 1 of mlx5_0 is gone"},
               {.name = "tables",
                .completed = 0,
                .failed = 0,
                .last_completed_at = {},
                .last_duration = {},
                .last_error = {}},
               {.name = "counters_data",
                .completed = 360,
                .failed = 0,
                .last_completed_at = kNoon - 1s,
                .last_duration = 500ms,
                .last_error = {}}};
  view.ports_asked = 23;
  view.ports_fresh = 22;
  view.intake = {.samples = 16560, .resets = 2, .implausible = 1, .late = 4, .unknown_ports = 3};
  view.events_dropped = 5;
  view.routing = sample_routing();
  view.link_histories = {{key(0x10, 2), key(0x20, 2), 1, 1500ms, std::nullopt},
                         {key(0x20, 6), key(0x21, 6), 3, 30s, kNoon - 30s}};
  view.metric_series = 777;
  view.ready = true;
  view.not_ready_reason.clear();
  return view;
}

std::vector<model::Event> sample_events() {
  using model::EventKind;
  using model::Severity;
  return {{5, kNoon - 40s, EventKind::kService, Severity::kInfo, {}, {}, "started"},
          {6, kNoon - 30s, EventKind::kLinkDown, Severity::kWarning, key(0x20, 6), key(0x21, 6),
           "\"leaf \"A\"\" port 6\nwent down \xfe"},
          {7, kNoon - 20s, EventKind::kLinkUp, Severity::kInfo, key(0x20, 5), key(0x200, 1), "up"},
          {8, kNoon - 10s, EventKind::kNodeMute, Severity::kError, key(0x21, 0), {}, "mute"}};
}

model::Fabric row_of_switches(std::uint32_t switches, std::uint8_t hosts_per_switch) {
  FabricBuilder builder("row");
  const auto ports = static_cast<std::uint8_t>(hosts_per_switch + 2);
  for (std::uint32_t s = 0; s < switches; ++s) {
    const std::uint64_t id = 0x1000 + s;
    add(builder, id, NodeKind::kSwitch, ports, "switch");
    if (s > 0) cable(builder, key(id - 1, 1), key(id, 2));
    for (std::uint8_t h = 0; h < hosts_per_switch; ++h) {
      const std::uint64_t host = 0x100000 + std::uint64_t{s} * 256 + h;
      add(builder, host, NodeKind::kHostAdapter, 1, "host");
      cable(builder, key(id, h + 3U), key(host, 1));
    }
  }
  return std::move(builder).build();
}

}  // namespace heddle::exporter::test
