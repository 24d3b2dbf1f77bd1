#pragma once

#include <cstdint>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Where each port of each switch leads now, flat, for walks over millions of entries.
class HopTable {
 public:
  struct Hop {
    static constexpr std::uint32_t kNothing = ~std::uint32_t{0};  ///< no cable, or one that is down
    static constexpr std::uint32_t kTerminal = kNothing - 1;
    std::uint32_t to = kNothing;  ///< SwitchIndex, or one of the above
    std::uint32_t index = 0;      ///< ArcIndex or TerminalIndex
  };

  HopTable(const Graph& graph, const Availability& availability);

  /// kNothing for a port that the switch does not have, and for its own port 0.
  [[nodiscard]] Hop at(std::uint32_t sw, std::uint8_t port) const noexcept {
    const std::uint32_t place = first_[sw] + port;
    return place < first_[sw + 1] ? hops_[place] : Hop{};
  }

 private:
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> first_{0};  ///< by SwitchIndex
};

/// One column of some tables: the entries for one LID. Short tables hold no entry there.
class TableColumn {
 public:
  TableColumn(const model::ForwardingTables& tables, model::Lid lid) noexcept
      : entries_(tables.switch_count() != 0 && lid.value() < tables.row_length()
                     ? tables.row(model::SwitchIndex{}).data() + lid.value()
                     : nullptr),
        row_length_(tables.row_length()) {}
  [[nodiscard]] std::uint8_t operator[](std::uint32_t sw) const noexcept {
    return entries_ == nullptr ? model::ForwardingTables::kNoPort
                               : entries_[std::size_t{sw} * row_length_];
  }

 private:
  const std::uint8_t* entries_;
  std::size_t row_length_;
};

}  // namespace heddle::routing
