#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "plugins/abi/messages.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/events.h"

namespace heddle::plugin {

/// A cable as both ends' GUID and port, the lower end first.
struct CableEnds {
  std::uint64_t guid_a = 0;
  std::uint64_t guid_b = 0;
  std::uint8_t port_a = 0;
  std::uint8_t port_b = 0;
  auto operator<=>(const CableEnds&) const noexcept = default;
};

/// Turns decoded events into messages for heddled. Pure.
class EventMessages {
 public:
  /// Nothing for writes to tables: they gather until writes() takes them.
  [[nodiscard]] std::optional<abi::Message> take(const heddle_event& event);

  /// Writes since the last call; nothing if there were none.
  [[nodiscard]] std::optional<abi::Message> writes();
  [[nodiscard]] bool has_writes() const noexcept { return writes_.blocks + writes_.tops != 0; }

  /// What came and went since the last call, with the times of traps that told of it. Nothing at
  /// the first call: there is nothing to compare with. `seen` is now.
  [[nodiscard]] std::vector<abi::Message> compare_cables(std::span<const heddle_cable> cables,
                                                         std::uint64_t seen);

 private:
  [[nodiscard]] abi::LinkChange change(const CableEnds& cable, bool up, std::uint64_t seen) const;

  abi::TableWrites writes_;
  std::set<std::uint64_t> written_switches_;
  std::optional<std::vector<CableEnds>> cables_;  ///< ascending
  std::uint64_t sweep_began_ = 0;
  std::map<std::uint64_t, std::uint64_t> told_by_;  ///< switch to time of its last trap 128
};

}  // namespace heddle::plugin
