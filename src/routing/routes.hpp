#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/graph.hpp"
#include "routing/lanes.hpp"

namespace heddle::routing {

enum class Engine : std::uint8_t {
  kFatTree,
  kDragonfly,
  kDragonflyPlus,
  kHybrid,
  kUpDown,
  kLayered,
};
[[nodiscard]] std::string_view to_string(Engine engine) noexcept;  ///< `fat-tree`, `dragonfly`, …

/// The reverse; nothing for any other text.
[[nodiscard]] std::optional<Engine> parse_engine(std::string_view name) noexcept;

/// A pair that no lane can serve with the lanes allowed, though the fabric connects it.
struct Undelivered {
  model::SwitchIndex source;
  model::Lid destination;
  constexpr auto operator<=>(const Undelivered&) const noexcept = default;
};

/// An entry that a repair wrote.
struct ChangedEntry {
  model::SwitchIndex sw;
  model::Lid lid;
  std::uint8_t before;  ///< port, ForwardingTables::kNoPort for none
  std::uint8_t after;
  bool operator==(const ChangedEntry&) const = default;
};

/// What an engine computes: rows by SwitchIndex, all known; the lanes of every path.
struct Routes {
  Engine engine = Engine::kUpDown;
  model::ForwardingTables tables;
  Lanes lanes;
  std::vector<Undelivered> undelivered;  ///< in order of source, then destination
  /// An order of the switches proves that the first lane delivers all that is connected, without
  /// loops and deadlocks (ordered_proof.hpp).
  bool proved_by_order = false;
};

}  // namespace heddle::routing
