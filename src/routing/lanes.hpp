#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/fabric_tables.hpp"
#include "model/ids.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// The service level of every path: 0 unless set. By source switch and destination LID, as all
/// terminals of a switch enter the fabric at the same place. Rows appear when they are first set.
class PathLevels {
 public:
  PathLevels() = default;
  PathLevels(std::size_t switches, model::Lid top) : top_(top), rows_(switches) {}

  void set(model::SwitchIndex source, model::Lid destination, model::Sl sl);
  [[nodiscard]] model::Sl sl(model::SwitchIndex source, model::Lid destination) const noexcept {
    if (source.value() >= rows_.size()) return model::Sl{};
    const std::vector<std::uint8_t>& row = rows_[source.value()];
    return destination.value() < row.size() ? model::Sl{row[destination.value()]} : model::Sl{};
  }
  /// By LID value; empty where every level is 0.
  [[nodiscard]] std::span<const std::uint8_t> row(model::SwitchIndex source) const noexcept {
    return source.value() < rows_.size() ? std::span<const std::uint8_t>(rows_[source.value()])
                                         : std::span<const std::uint8_t>();
  }
  /// Switches that may have a row.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  /// Whether every path has level 0.
  [[nodiscard]] bool all_zero() const noexcept;

 private:
  model::Lid top_;
  std::vector<std::vector<std::uint8_t>> rows_;
};

/// The mapping where none is set.
inline constexpr model::SlToVl kVlIsSl{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// SL2VL of every switch: VL = SL unless set. Dense, for proofs that look up each hop.
class LaneMaps {
 public:
  LaneMaps() = default;
  explicit LaneMaps(const Graph& graph);

  void set(model::SwitchIndex sw, model::PortNum in, model::PortNum out,
           const model::SlToVl& mapping);
  [[nodiscard]] model::Vl vl(model::SwitchIndex sw, model::PortNum in, model::PortNum out,
                             model::Sl sl) const noexcept {
    const model::SlToVl* const found = find(sw, in, out);
    return found == nullptr ? model::Vl{sl.value()} : model::Vl{(*found)[sl.value()]};
  }
  [[nodiscard]] model::SlToVl mapping(model::SwitchIndex sw, model::PortNum in,
                                      model::PortNum out) const noexcept {
    const model::SlToVl* const found = find(sw, in, out);
    return found == nullptr ? kVlIsSl : *found;
  }
  /// Null where VL = SL.
  [[nodiscard]] const model::SlToVl* find(model::SwitchIndex sw, model::PortNum in,
                                          model::PortNum out) const noexcept {
    if (sw.value() >= switches_.size()) return nullptr;
    const PerSwitch& s = switches_[sw.value()];
    const std::size_t cell = std::size_t{in.value()} * s.side + out.value();
    if (in.value() >= s.side || out.value() >= s.side || s.index.empty()) return nullptr;
    return s.index[cell] == 0 ? nullptr : &mappings_[s.index[cell] - 1U];
  }
  /// Whether some mapping is set for packets that come in by the port.
  [[nodiscard]] bool maps_from(model::SwitchIndex sw, model::PortNum in) const noexcept;
  /// The distinct mappings that were set.
  [[nodiscard]] std::span<const model::SlToVl> mappings() const noexcept { return mappings_; }
  /// Whether VL = SL everywhere.
  [[nodiscard]] bool identity() const noexcept { return mappings_.empty(); }

 private:
  struct PerSwitch {
    std::size_t side = 0;              ///< ports, port 0 included
    std::vector<std::uint16_t> index;  ///< into mappings_ plus 1, by in * side + out; may be empty
  };
  std::vector<PerSwitch> switches_;
  std::vector<model::SlToVl> mappings_;  ///< distinct
};

struct Lanes {
  PathLevels levels;
  LaneMaps maps;
};

}  // namespace heddle::routing
