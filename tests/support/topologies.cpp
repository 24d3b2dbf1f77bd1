#include "support/topologies.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "model/fabric_builder.hpp"
#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"

namespace heddle::support {
namespace {

using simulation::GeneratorOptions;

model::Fabric made(model::Result<model::Fabric> fabric) {
  if (!fabric) throw std::logic_error(fabric.error().message());
  return *std::move(fabric);
}

GeneratorOptions named(std::string name) { return {.fabric_name = std::move(name)}; }

model::Fabric fat_tree(std::string name, const simulation::FatTreeShape& shape) {
  const model::Result<simulation::PgftShape> tree = simulation::pgft_of(shape);
  if (!tree) throw std::logic_error(tree.error().message());
  return made(simulation::make_pgft(*tree, named(std::move(name))));
}

void take_down(model::Port& end) {
  end.state = model::PortState::kDown;
  end.physical_state = model::PhysicalState::kPolling;
  end.rate = {};
  end.mtu_bytes.reset();
  end.operational_vls.reset();
}

/// A copy of `fabric` with ports and links as the arguments leave them.
model::Fabric rebuilt(const model::Fabric& fabric,
                      const std::function<void(model::PortIndex, model::Port&)>& change,
                      const std::function<bool(const model::Link&)>& keep) {
  model::FabricBuilder builder(fabric.name());
  for (const model::Node& node : fabric.nodes()) builder.add_node(node);
  for (std::size_t i = 0; i < fabric.ports().size(); ++i) {
    const model::PortIndex index{static_cast<std::uint32_t>(i)};
    model::Port port = fabric.port(index);
    change(index, port);
    builder.set_port(fabric.key(index).node, std::move(port));
  }
  for (const model::Link& link : fabric.links()) {
    if (keep(link)) builder.connect(fabric.key(link.a), fabric.key(link.b));
  }
  return std::move(builder).build();
}

/// The same fabric without these nodes; ports that their cables led to are down.
model::Fabric without_nodes(const model::Fabric& fabric, const std::set<model::NodeGuid>& absent) {
  model::FabricBuilder builder(fabric.name());
  const auto gone = [&](model::PortIndex port) {
    return absent.contains(fabric.node(fabric.port(port).node).guid);
  };
  for (const model::Node& node : fabric.nodes()) {
    if (!absent.contains(node.guid)) builder.add_node(node);
  }
  for (std::size_t i = 0; i < fabric.ports().size(); ++i) {
    const model::PortIndex index{static_cast<std::uint32_t>(i)};
    if (gone(index)) continue;
    model::Port port = fabric.port(index);
    const std::optional<model::LinkIndex> cable = fabric.link_of(index);
    if (cable && (gone(fabric.link(*cable).a) || gone(fabric.link(*cable).b))) take_down(port);
    builder.set_port(fabric.key(index).node, std::move(port));
  }
  for (const model::Link& link : fabric.links()) {
    if (!gone(link.a) && !gone(link.b)) builder.connect(fabric.key(link.a), fabric.key(link.b));
  }
  return std::move(builder).build();
}

}  // namespace

model::Fabric two_switches() {
  simulation::FabricMaker maker(named("two_switches"));
  const model::NodeGuid left = maker.switch_guid(0, 0);
  const model::NodeGuid right = maker.switch_guid(0, 1);
  maker.add_switch(left, 4, "leaf-0000");
  maker.add_switch(right, 4, "leaf-0001");
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    maker.add_host(rank, 1);
    maker.cable(maker.host_guid(rank), 1, rank < 2 ? left : right, 1 + rank % 2);
  }
  maker.cable(left, 3, right, 3);
  return std::move(maker).build();
}

model::Fabric ft2_k4() { return fat_tree("ft2_k4", {.levels = 2, .radix = 4}); }
model::Fabric ft3_k4() { return fat_tree("ft3_k4", {.levels = 3, .radix = 4}); }
model::Fabric ft3_k8() { return fat_tree("ft3_k8", {.levels = 3, .radix = 8}); }

model::Fabric ft3_k8_partly() {
  const model::Fabric whole =
      fat_tree("ft3_k8_partly", {.levels = 3, .radix = 8, .pods = std::uint32_t{3}});
  std::set<model::NodeGuid> absent;
  const auto leave_out = [&](std::string_view name) {
    absent.insert(node_named(whole, name).guid);
  };
  for (const std::uint32_t leaf : {10U, 11U}) leave_out(fmt::format("leaf-{:04}", leaf));
  for (std::uint32_t host = 0; host < 48; ++host) {
    const std::uint32_t leaf = host / 4;
    const bool is_there = leaf == 0 ? host == 0 : leaf != 7 && leaf < 10;
    if (!is_there) leave_out(fmt::format("host-{:05} HCA-1", host));
  }
  return without_nodes(whole, absent);
}

model::Fabric ft3_oversubscribed() {
  return made(
      simulation::make_pgft({{4, 3, 3}, {1, 2, 3}, {1, 1, 1}}, named("ft3_oversubscribed")));
}

model::Fabric ft2_k4_missing_uplink() {
  const model::Fabric whole = ft2_k4();
  return without_cable(whole, port_at(whole, "leaf-0000", 3));
}

model::Fabric ft2_k8_parallel2() {
  return fat_tree("ft2_k8_parallel2", {.levels = 2, .radix = 8, .parallel_links = 2});
}

model::Fabric df_a4h2p2() {
  return made(simulation::make_dragonfly(
      {.routers_per_group = 4, .hosts_per_router = 2, .global_links = 2, .groups = 9},
      named("df_a4h2p2")));
}

model::Fabric df_one_global_down() {
  const model::Fabric whole = df_a4h2p2();
  // Slot 0 of a group leads to the next one, and is the first global port of its first router.
  return without_cable(whole, port_at(whole, "router-00-00", 6));
}

model::Fabric dfp_g3() {
  return made(simulation::make_dragonfly_plus(
      {.groups = 3, .leaves = 2, .spines = 2, .hosts_per_leaf = 2, .global_links = 2},
      named("dfp_g3")));
}

model::Fabric hybrid_two_homed() {
  return made(simulation::make_hybrid({.groups = 2,
                                       .leaves = 2,
                                       .spines = 2,
                                       .super_spines = 2,
                                       .hosts_per_leaf = 2,
                                       .two_homed = true},
                                      named("hybrid_two_homed")));
}

model::Fabric assign_lids(const model::Fabric& fabric, std::uint8_t lmc) {
  std::uint32_t next = 1;
  const auto give = [&](model::PortIndex, model::Port& port) {
    const bool is_switch = fabric.node(port.node).kind == model::NodeKind::kSwitch;
    if (is_switch && port.number.value() != 0) return;
    const std::uint32_t range = is_switch ? 1U : 1U << lmc;
    next = (next + range - 1) / range * range;
    port.lid = model::Lid{static_cast<std::uint16_t>(next)};
    port.lmc = is_switch ? std::uint8_t{0} : lmc;
    next += range;
  };
  model::Fabric with_lids = rebuilt(fabric, give, [](const model::Link&) { return true; });
  if (next > model::kMaxUnicastLid.value()) throw std::logic_error("more end ports than LIDs");
  return with_lids;
}

model::Fabric without_node(const model::Fabric& fabric, std::string_view name) {
  return without_nodes(fabric, {node_named(fabric, name).guid});
}

model::Fabric without_cable(const model::Fabric& fabric, model::PortKey port) {
  const std::optional<model::PortIndex> near = fabric.find_port(port);
  const std::optional<model::LinkIndex> cable =
      near ? fabric.link_of(*near) : std::optional<model::LinkIndex>{};
  if (!cable) throw std::logic_error(fmt::format("no cable at {}", to_string(port)));
  const model::Link gone = fabric.link(*cable);
  const auto change = [&](model::PortIndex index, model::Port& end) {
    if (index == gone.a || index == gone.b) take_down(end);
  };
  return rebuilt(fabric, change, [&](const model::Link& link) { return link.a != gone.a; });
}

model::Fabric with_rate(const model::Fabric& fabric, model::PortKey port, std::string_view rate) {
  const model::Link cable = fabric.link(fabric.link_of(fabric.find_port(port).value()).value());
  const auto change = [&](model::PortIndex index, model::Port& end) {
    if (index == cable.a || index == cable.b) end.rate = model::parse_link_rate(rate);
  };
  return rebuilt(fabric, change, [](const model::Link&) { return true; });
}

const model::Node& node_named(const model::Fabric& fabric, std::string_view name) {
  const auto found = std::ranges::find(fabric.nodes(), name, &model::Node::description);
  if (found == fabric.nodes().end()) throw std::logic_error(fmt::format("no node '{}'", name));
  return *found;
}

model::PortKey port_at(const model::Fabric& fabric, std::string_view name, std::uint8_t port) {
  return {node_named(fabric, name).guid, model::PortNum{port}};
}

}  // namespace heddle::support
