#pragma once

#include <cstdint>
#include <string>

#include "model/fabric_builder.hpp"
#include "simulation/generators.hpp"

namespace heddle::simulation {

/// Room between GUIDs of one kind: a node's GUID and those of its ports (node GUID + port number).
inline constexpr std::uint64_t kGuidStride = 16;
inline constexpr std::uint32_t kMaxAdapterPorts = 8;
/// Room between kinds of node; hosts first, then switches by tier.
inline constexpr std::uint64_t kGuidRange = std::uint64_t{1} << 32U;
inline constexpr std::uint32_t kMaxTiers = 4;
/// What all GUIDs of a generated fabric lie in, from the base on.
inline constexpr std::uint64_t kGuidSpan = (kMaxTiers + 2) * kGuidRange;

/// What all generators share: identities by rank, devices with all ports idle, cables that bring
/// two ports up.
class FabricMaker {
 public:
  explicit FabricMaker(const GeneratorOptions& options);

  [[nodiscard]] model::NodeGuid host_guid(std::uint64_t rank) const noexcept;
  /// `tier` counts from 0, the switches that hosts hang at.
  [[nodiscard]] model::NodeGuid switch_guid(std::uint32_t tier, std::uint64_t rank) const noexcept;

  /// Named `host-<rank> HCA-1`.
  void add_host(std::uint64_t rank, std::uint32_t ports);
  void add_switch(model::NodeGuid guid, std::uint32_t ports, std::string name);
  /// A cable between ports that exist and are free.
  void cable(model::NodeGuid a, std::uint64_t a_port, model::NodeGuid b, std::uint64_t b_port);

  [[nodiscard]] model::Fabric build() &&;

 private:
  void add_ports(model::NodeGuid guid, std::uint32_t ports, model::NodeKind kind);
  void bring_up(model::PortKey key);

  GeneratorOptions options_;
  model::FabricBuilder builder_;
  model::SpeedSet speeds_;
  model::WidthSet widths_;
};

}  // namespace heddle::simulation
