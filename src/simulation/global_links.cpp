#include "simulation/global_links.hpp"

#include <numeric>

#include "model/assert.hpp"

namespace heddle::simulation {
namespace {

/// Distances of the last, incomplete round, ascending and closed under d -> groups - d.
std::vector<std::uint32_t> leftover_distances(std::uint32_t groups, std::uint32_t count) {
  std::vector<std::uint32_t> distances;
  const std::uint32_t half = count / 2;
  for (std::uint32_t d = 1; d <= half; ++d) distances.push_back(d);
  if (count % 2 == 1 && groups % 2 == 0) distances.push_back(groups / 2);
  for (std::uint32_t d = groups - half; d < groups; ++d) distances.push_back(d);
  return distances;
}

/// One round: entry i of `distances` takes slot `first + i`. As the distances are closed under
/// d -> groups - d, the cable of entry i ends at entry size - 1 - i of the other group.
void deal(std::uint32_t groups, const std::vector<std::uint32_t>& distances, std::uint32_t first,
          std::vector<GlobalLink>& links) {
  const auto count = static_cast<std::uint32_t>(distances.size());
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t other = (group + distances[i]) % groups;
      if (group < other) links.push_back({{group, first + i}, {other, first + count - 1 - i}});
    }
  }
}

}  // namespace

std::vector<GlobalLink> spread_global_links(std::uint32_t groups, std::uint32_t slots) {
  std::vector<GlobalLink> links;
  if (groups < 2) return links;
  const std::uint32_t others = groups - 1;
  HEDDLE_ASSERT(slots >= others);
  std::vector<std::uint32_t> all(others);
  std::iota(all.begin(), all.end(), 1U);
  const std::uint32_t rounds = slots / others;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    deal(groups, all, round * others, links);
  }
  deal(groups, leftover_distances(groups, slots % others), rounds * others, links);
  return links;
}

}  // namespace heddle::simulation
