#pragma once

#include <cstdint>

#include "model/ids.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/rendezvous.hpp"

namespace heddle::routing {

/// Whether a cable of reduced capacity takes a destination that asks for it: it takes that share of
/// them, always the same ones. One rule for all engines that choose by destination; a cable of full
/// capacity takes all.
[[nodiscard]] inline bool takes_share(const Graph& graph, const Availability& availability,
                                      ArcIndex cable, model::Lid lid) noexcept {
  constexpr std::uint64_t kFullCapacity = 100;
  constexpr std::uint64_t kPurpose = std::uint64_t{4} << 16U;  // LIDs end below; others choose so
  const std::uint64_t capacity = availability.capacity(cable).value;
  if (capacity >= kFullCapacity) return true;
  const std::uint64_t exit = graph.arc(cable).exit.value();
  return rendezvous_weight(lid.value() | kPurpose, exit) % kFullCapacity < capacity;
}

}  // namespace heddle::routing
