#pragma once

#include <cstdint>

#include "model/fabric.hpp"

namespace heddle::support {

/// What happens to a fabric by chance. Counts are rounded, a share above 0 takes at least one.
struct Damage {
  std::uint32_t cables_permille = 0;    ///< of all cables, those of hosts included
  std::uint32_t switches_permille = 0;  ///< with their cables; hosts stay, without
  /// Of cables between switches, each where the other should be: both join the same two levels, and
  /// trade an end.
  std::uint32_t swapped_pairs = 0;
  /// Of cables between switches, that trade any ends: half of them join switches of one level then,
  /// or leave a level out.
  std::uint32_t crossed_pairs = 0;
  std::uint64_t seed = 1;
};
/// What is left; ports that lost their cable are as they were otherwise.
[[nodiscard]] model::Fabric damaged(const model::Fabric& fabric, const Damage& damage);

/// The same fabric, told in another order.
[[nodiscard]] model::Fabric told_otherwise(const model::Fabric& fabric, std::uint64_t seed);

}  // namespace heddle::support
