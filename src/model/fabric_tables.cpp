#include "model/fabric_tables.hpp"

#include <algorithm>

namespace heddle::model {

void SlToVlTables::set(NodeGuid node, PortNum in, PortNum out, const SlToVl& table) {
  auto mapping = std::ranges::find(mappings_, table);
  if (mapping == mappings_.end()) mapping = mappings_.insert(mappings_.end(), table);
  index_[{node, in, out}] = static_cast<std::uint32_t>(mapping - mappings_.begin());
}

void SlToVlTables::erase(NodeGuid node) {
  const auto first = index_.lower_bound({node, PortNum{std::uint8_t{0}}, PortNum{std::uint8_t{0}}});
  auto last = first;
  while (last != index_.end() && last->first.node == node) ++last;
  index_.erase(first, last);
}

const SlToVl* SlToVlTables::find(NodeGuid node, PortNum in, PortNum out) const noexcept {
  const auto found = index_.find({node, in, out});
  return found == index_.end() ? nullptr : &mappings_[found->second];
}

std::string_view to_string(SubnetManager::State state) noexcept {
  switch (state) {
    case SubnetManager::State::kNotActive:
      return "not_active";
    case SubnetManager::State::kDiscovering:
      return "discovering";
    case SubnetManager::State::kStandby:
      return "standby";
    case SubnetManager::State::kMaster:
      return "master";
    case SubnetManager::State::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace heddle::model
