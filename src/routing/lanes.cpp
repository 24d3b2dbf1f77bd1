#include "routing/lanes.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::routing {

void PathLevels::set(model::SwitchIndex source, model::Lid destination, model::Sl sl) {
  HEDDLE_ASSERT(source.value() < rows_.size() && destination <= top_ && sl.value() < 16);
  std::vector<std::uint8_t>& row = rows_[source.value()];
  if (row.empty()) {
    if (sl == model::Sl{}) return;
    row.resize(top_.value() + std::size_t{1});
  }
  row[destination.value()] = sl.value();
}

bool PathLevels::all_zero() const noexcept {
  return std::ranges::all_of(rows_, [](const std::vector<std::uint8_t>& row) {
    return std::ranges::all_of(row, [](std::uint8_t sl) { return sl == 0; });
  });
}

LaneMaps::LaneMaps(const Graph& graph) : switches_(graph.switch_count()) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    switches_[s].side = std::size_t{graph.port_count(model::SwitchIndex{s})} + 1;
  }
}

bool LaneMaps::maps_from(model::SwitchIndex sw, model::PortNum in) const noexcept {
  if (sw.value() >= switches_.size()) return false;
  const PerSwitch& s = switches_[sw.value()];
  if (in.value() >= s.side || s.index.empty()) return false;
  return std::ranges::any_of(std::span(s.index).subspan(std::size_t{in.value()} * s.side, s.side),
                             [](std::uint16_t index) { return index != 0; });
}

void LaneMaps::set(model::SwitchIndex sw, model::PortNum in, model::PortNum out,
                   const model::SlToVl& mapping) {
  HEDDLE_ASSERT(sw.value() < switches_.size());
  PerSwitch& s = switches_[sw.value()];
  HEDDLE_ASSERT(in.value() < s.side && out.value() < s.side);
  auto found = std::ranges::find(mappings_, mapping);
  if (found == mappings_.end()) found = mappings_.insert(found, mapping);
  if (s.index.empty()) s.index.resize(s.side * s.side);
  s.index[std::size_t{in.value()} * s.side + out.value()] =
      static_cast<std::uint16_t>(found - mappings_.begin() + 1);
}

}  // namespace heddle::routing
