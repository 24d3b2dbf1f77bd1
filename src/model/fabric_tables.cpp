#include "model/fabric_tables.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::model {

void SlToVlTables::Block::reach(std::size_t wanted_side) {
  if (wanted_side <= side) return;
  std::vector<std::uint16_t> wider(wanted_side * wanted_side, kNone);
  for (std::size_t in = 0; in < side; ++in) {
    std::copy_n(index.data() + in * side, side, wider.data() + in * wanted_side);
  }
  index = std::move(wider);
  side = wanted_side;
}

std::uint16_t SlToVlTables::Block::place_of(const SlToVl& table) {
  // One too many only after most have been overwritten: there are fewer pairs than numbers.
  if (mappings.size() == kNone) tidy();
  const auto [place, is_new] =
      places.try_emplace(table, static_cast<std::uint16_t>(mappings.size()));
  if (is_new) mappings.push_back(table);
  return place->second;
}

void SlToVlTables::Block::tidy() {
  const std::vector<SlToVl> old = std::exchange(mappings, {});
  places.clear();
  for (std::uint16_t& entry : index) {
    if (entry != kNone) entry = place_of(old[entry]);
  }
}

void SlToVlTables::set(NodeGuid node, PortNum in, PortNum out, const SlToVl& table) {
  std::shared_ptr<Block>& block = blocks_[node];
  if (block == nullptr) {
    block = std::make_shared<Block>();
  } else if (block.use_count() != 1) {
    block = std::make_shared<Block>(*block);
  }
  block->reach(std::size_t{std::max(in, out).value()} + 1);
  const std::size_t at = in.value() * block->side + out.value();
  if (block->index[at] == Block::kNone) {
    ++block->size;
    ++size_;
  }
  block->index[at] = Block::kNone;
  block->index[at] = block->place_of(table);
}

void SlToVlTables::erase(NodeGuid node) {
  const auto found = blocks_.find(node);
  if (found == blocks_.end()) return;
  size_ -= found->second->size;
  blocks_.erase(found);
}

const SlToVl* SlToVlTables::find(NodeGuid node, PortNum in, PortNum out) const noexcept {
  const auto found = blocks_.find(node);
  if (found == blocks_.end()) return nullptr;
  const Block& block = *found->second;
  if (std::max(in, out).value() >= block.side) return nullptr;
  const std::uint16_t entry = block.index[in.value() * block.side + out.value()];
  return entry == Block::kNone ? nullptr : &block.mappings[entry];
}

std::size_t SlToVlTables::distinct() const {
  std::set<SlToVl> seen;
  for (const auto& [node, block] : blocks_) {
    std::vector<bool> noted(block->mappings.size());
    for (const std::uint16_t entry : block->index) {
      if (entry == Block::kNone || noted[entry]) continue;
      noted[entry] = true;
      seen.insert(block->mappings[entry]);
    }
  }
  return seen.size();
}

std::size_t SlToVlTables::bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& [node, block] : blocks_) {
    sum += sizeof(Block) + block->index.capacity() * sizeof(std::uint16_t) +
           block->mappings.capacity() * sizeof(SlToVl) +
           block->places.size() * (sizeof(SlToVl) + 48);  // a node of a map: colour, three links
  }
  return sum;
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
