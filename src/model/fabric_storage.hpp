#pragma once

#include <cstdint>
#include <limits>

#include "model/fabric.hpp"

/// How Fabric lays out its arrays; shared by Fabric and FabricBuilder, of no concern to anyone
/// else.
namespace heddle::model::storage {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Switches have a port 0 (management), other nodes start at 1.
[[nodiscard]] constexpr std::uint32_t lowest_port(NodeKind kind) noexcept {
  return kind == NodeKind::kSwitch ? 0 : 1;
}

}  // namespace heddle::model::storage
