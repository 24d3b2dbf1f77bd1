#include "simulation/fabric_maker.hpp"

#include <utility>

#include <fmt/format.h>

#include "model/assert.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

using model::LinkSpeed;
using model::LinkWidth;

constexpr std::uint32_t kVendorId = 0x0002c9;       // Mellanox
constexpr std::uint16_t kSwitchDeviceId = 0xd2f0;   // Quantum
constexpr std::uint16_t kAdapterDeviceId = 0x1017;  // ConnectX-5
constexpr std::uint16_t kMtuBytes = 4096;
constexpr std::uint8_t kDataLanes = 4;

/// What a device of that speed also speaks. FDR10 is a vendor's mode beside QDR and only there if
/// asked for.
model::SpeedSet speeds_up_to(LinkSpeed speed) {
  model::SpeedSet speeds;
  for (const LinkSpeed slower : {LinkSpeed::kSdr, LinkSpeed::kDdr, LinkSpeed::kQdr, LinkSpeed::kFdr,
                                 LinkSpeed::kEdr, LinkSpeed::kHdr, LinkSpeed::kNdr}) {
    if (slower <= speed) speeds.insert(slower);
  }
  speeds.insert(speed);
  return speeds;
}

model::PortNum port_num(std::uint64_t number) {
  HEDDLE_ASSERT(number <= kMaxSwitchPorts);
  return model::PortNum{static_cast<std::uint8_t>(number)};
}

}  // namespace

FabricMaker::FabricMaker(const GeneratorOptions& options)
    : options_(options), builder_(options.fabric_name), speeds_(speeds_up_to(options.rate.speed)) {
  widths_.insert(LinkWidth::k1x);
  widths_.insert(LinkWidth::k4x);
  widths_.insert(options.rate.width);
}

model::NodeGuid FabricMaker::host_guid(std::uint64_t rank) const noexcept {
  return model::NodeGuid{options_.guid_base + kGuidRange + rank * kGuidStride};
}

model::NodeGuid FabricMaker::switch_guid(std::uint32_t tier, std::uint64_t rank) const noexcept {
  HEDDLE_ASSERT(tier < kMaxTiers);
  return model::NodeGuid{options_.guid_base + (tier + 2) * kGuidRange + rank * kGuidStride};
}

void FabricMaker::add_host(std::uint64_t rank, std::uint32_t ports) {
  const model::NodeGuid guid = host_guid(rank);
  builder_.add_node({.guid = guid,
                     .system_guid = model::SystemGuid{guid.value()},
                     .kind = model::NodeKind::kHostAdapter,
                     .vendor_id = kVendorId,
                     .device_id = kAdapterDeviceId,
                     .port_count = port_num(ports).value(),
                     .description = fmt::format("host-{:05} HCA-1", rank)});
  add_ports(guid, ports, model::NodeKind::kHostAdapter);
}

void FabricMaker::add_switch(model::NodeGuid guid, std::uint32_t ports, std::string name) {
  builder_.add_node({.guid = guid,
                     .system_guid = model::SystemGuid{guid.value()},
                     .kind = model::NodeKind::kSwitch,
                     .vendor_id = kVendorId,
                     .device_id = kSwitchDeviceId,
                     .port_count = port_num(ports).value(),
                     .description = std::move(name)});
  model::Port management;
  management.number = port_num(0);
  management.state = model::PortState::kActive;
  management.physical_state = model::PhysicalState::kLinkUp;
  management.guid = model::PortGuid{guid.value()};
  builder_.set_port(guid, std::move(management));
  add_ports(guid, ports, model::NodeKind::kSwitch);
}

void FabricMaker::add_ports(model::NodeGuid guid, std::uint32_t ports, model::NodeKind kind) {
  for (std::uint32_t number = 1; number <= ports; ++number) {
    model::Port port;
    port.number = port_num(number);
    port.state = model::PortState::kDown;
    port.physical_state = model::PhysicalState::kPolling;
    port.speeds_supported = port.speeds_enabled = speeds_;
    port.widths_supported = port.widths_enabled = widths_;
    if (kind != model::NodeKind::kSwitch) port.guid = model::PortGuid{guid.value() + number};
    builder_.set_port(guid, std::move(port));
  }
}

void FabricMaker::bring_up(model::PortKey key) {
  const model::Port* const idle = builder_.port(key);
  HEDDLE_ASSERT(idle != nullptr && idle->state == model::PortState::kDown);
  model::Port port = *idle;
  port.state = model::PortState::kActive;
  port.physical_state = model::PhysicalState::kLinkUp;
  port.rate = options_.rate;
  port.mtu_bytes = kMtuBytes;
  port.operational_vls = kDataLanes;
  builder_.set_port(key.node, std::move(port));
}

void FabricMaker::cable(model::NodeGuid a, std::uint64_t a_port, model::NodeGuid b,
                        std::uint64_t b_port) {
  const model::PortKey from{a, port_num(a_port)};
  const model::PortKey to{b, port_num(b_port)};
  bring_up(from);
  bring_up(to);
  builder_.connect(from, to);
}

model::Fabric FabricMaker::build() && { return std::move(builder_).build(); }

}  // namespace heddle::simulation
