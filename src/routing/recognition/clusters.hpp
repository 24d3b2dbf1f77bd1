#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle::routing::recognition {

/// Who of two sides knows whom: units (leaves, or pods taken as one) and the switches above them.
struct Incidence {
  std::vector<std::vector<std::uint32_t>> uppers_of;  ///< by unit, ascending, each once
  std::vector<std::uint32_t> weight;                  ///< by unit: how much its word counts
  std::uint32_t uppers = 0;
};

/// What hangs together. Clusters are numbered in order of their lowest unit.
struct Clusters {
  std::vector<std::uint32_t> of_unit;
  std::vector<std::optional<std::uint32_t>> of_upper;  ///< none without a unit below
  std::uint32_t count = 0;
};

/// Groups units that have most of their uppers in common, by majority and not by mere connection,
/// so that cables that were swapped between two pods do not make one of them. The same for the same
/// incidence in any order.
[[nodiscard]] Clusters find_clusters(const Incidence& incidence);

/// Sets of positions that are joined one pair at a time.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count);
  /// The lowest member of the set.
  [[nodiscard]] std::uint32_t find(std::uint32_t v) noexcept;
  void join(std::uint32_t a, std::uint32_t b) noexcept;

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace heddle::routing::recognition
