#include "plain_subnet.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle::plugin {

using model::NodeIndex;
using model::NodeKind;

namespace {

std::uint8_t type_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::kSwitch:
      return 2;
    case NodeKind::kRouter:
      return 3;
    default:
      return 1;
  }
}

std::uint8_t* hop_row(void* handle, std::uint16_t lid) {
  auto& tables = *static_cast<PlainSubnet::Tables*>(handle);
  if (!tables.has_memory) return nullptr;
  std::vector<std::uint8_t>& row = tables.hops.at(lid);
  if (row.empty()) row.assign(tables.ports, PlainSubnet::kNoPath);
  return row.data();
}

}  // namespace

PlainSubnet::PlainSubnet(const model::Fabric& fabric, std::uint8_t data_lanes,
                         std::uint16_t top_lid)
    : lanes(data_lanes) {
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const model::Node& node = fabric.node(NodeIndex{n});
    descriptions_.push_back(std::make_unique<std::string>(node.description));
    nodes.push_back({.guid = node.guid.value(),
                     .system_guid = node.system_guid ? node.system_guid->value() : 0,
                     .description = descriptions_.back()->c_str(),
                     .vendor_id = node.vendor_id.value_or(0),
                     .device_id = node.device_id,
                     .type = type_of(node.kind),
                     .port_count = node.port_count});
    for (const model::Port& port : fabric.ports_of(NodeIndex{n})) {
      if (!port.lid) continue;
      end_ports.push_back({.node_guid = node.guid.value(),
                           .port_guid = node.guid.value() + port.number.value(),
                           .lid = port.lid->value(),
                           .number = port.number.value(),
                           .lmc = port.lmc});
      const auto last = static_cast<std::uint16_t>(port.lid->value() + (1U << port.lmc) - 1U);
      top_lid = std::max(top_lid, last);
    }
    if (node.kind != NodeKind::kSwitch) continue;
    auto tables = std::make_unique<Tables>();
    tables->ports = static_cast<std::uint8_t>(node.port_count + 1U);
    switches.push_back({.guid = node.guid.value(),
                        .handle = tables.get(),
                        .present = nullptr,
                        .next = nullptr,
                        .present_size = 0,
                        .top_lid = 0,
                        .hop_size = tables->ports});
    tables_.push_back(std::move(tables));
  }
  for (std::size_t i = 0; i < switches.size(); ++i) {
    tables_[i]->next.assign(top_lid + 1U, kNoPath);
    tables_[i]->hops.resize(top_lid + 1U);
    switches[i].next = tables_[i]->next.data();
    switches[i].top_lid = top_lid;
  }
  for (const model::Link& link : fabric.links()) {
    const model::PortKey a = fabric.key(link.a);
    const model::PortKey b = fabric.key(link.b);
    // As OpenSM has them between switches; 0 says nothing.
    cables.push_back({.node_guid = {a.node.value(), b.node.value()},
                      .port = {a.port.value(), b.port.value()},
                      .width = 0,
                      .speed = 0,
                      .speed_ext = 0,
                      .is_fdr10 = 0});
  }
}

heddle_subnet PlainSubnet::subnet() {
  return {.nodes = nodes.data(),
          .end_ports = end_ports.data(),
          .cables = cables.data(),
          .switches = switches.data(),
          .node_count = nodes.size(),
          .end_port_count = end_ports.size(),
          .cable_count = cables.size(),
          .switch_count = switches.size(),
          .hop_row = hop_row,
          .lanes = lanes,
          .manager_port = manager_port,
          .manager_node = manager_node};
}

PlainSubnet::Tables& PlainSubnet::tables(std::uint64_t guid) {
  const auto found = std::ranges::find(switches, guid, &heddle_switch::guid);
  if (found == switches.end()) throw std::out_of_range("no such switch");
  return *static_cast<Tables*>(found->handle);
}

std::vector<std::vector<std::uint8_t>> PlainSubnet::next() const {
  std::vector<std::vector<std::uint8_t>> all;
  for (const auto& tables : tables_) all.push_back(tables->next);
  return all;
}

bool PlainSubnet::untouched() const {
  return std::ranges::all_of(tables_, [](const auto& tables) {
    return std::ranges::all_of(tables->next, [](std::uint8_t port) { return port == kNoPath; }) &&
           std::ranges::all_of(tables->hops, &std::vector<std::uint8_t>::empty);
  });
}

void PlainSubnet::adopt() {
  for (std::size_t i = 0; i < switches.size(); ++i) {
    Tables& tables = *tables_[i];
    tables.present = tables.next;
    std::ranges::fill(tables.next, kNoPath);
    for (std::vector<std::uint8_t>& row : tables.hops) std::ranges::fill(row, kNoPath);
    switches[i].present = tables.present.data();
    switches[i].present_size = static_cast<std::uint16_t>(tables.present.size());
  }
}

}  // namespace heddle::plugin
