#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/ids.hpp"
#include "model/table_view.hpp"

namespace heddle::model {

/// Linear forwarding tables of all switches of one Fabric, a row per SwitchIndex, an entry per LID
/// from 0 to the top. Built by one writer, then shared as const.
class ForwardingTables {
 public:
  /// What an entry without a port holds on the wire and here (LinearForwardingTable: 255 discards).
  static constexpr std::uint8_t kNoPort = 255;
  /// LIDs in one LinearForwardingTable block.
  static constexpr std::size_t kBlockLids = 64;

  ForwardingTables() = default;
  /// All entries without a port, no row known. `top` is the highest LID that a row holds.
  ForwardingTables(std::size_t switches, Lid top)
      : row_length_(top.value() + std::size_t{1}),
        entries_(switches * row_length_, kNoPort),
        known_(switches, 0) {}

  [[nodiscard]] std::size_t switch_count() const noexcept { return known_.size(); }
  [[nodiscard]] std::size_t row_length() const noexcept { return row_length_; }
  /// Entries by LID value; kNoPort where there is none.
  [[nodiscard]] std::span<const std::uint8_t> row(SwitchIndex sw) const noexcept {
    return TableView<const std::uint8_t>(entries_, row_length_).row(sw.value());
  }
  [[nodiscard]] std::span<std::uint8_t> row(SwitchIndex sw) noexcept {
    return TableView<std::uint8_t>(entries_, row_length_).row(sw.value());
  }
  /// The exit port toward `lid`; port 0 is the switch itself.
  [[nodiscard]] std::optional<PortNum> port(SwitchIndex sw, Lid lid) const noexcept {
    if (lid.value() >= row_length_) return std::nullopt;
    const std::uint8_t entry = row(sw)[lid.value()];
    if (entry == kNoPort) return std::nullopt;
    return PortNum{entry};
  }
  /// Whether the row was read (or computed) as a whole; an unknown row says nothing about the
  /// switch.
  [[nodiscard]] bool known(SwitchIndex sw) const noexcept { return known_[sw.value()] != 0; }
  /// The row now holds all that there is.
  void mark_known(SwitchIndex sw) noexcept { known_[sw.value()] = 1; }
  bool operator==(const ForwardingTables&) const = default;

 private:
  std::size_t row_length_ = 0;
  std::vector<std::uint8_t> entries_;
  std::vector<std::uint8_t> known_;
};

}  // namespace heddle::model
