#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "model/fabric.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/random.hpp"

/// Fabrics that are no tree and no dragonfly, for engines that take any graph. LIDs are those of
/// assign_lids(). Every switch has `hosts` hosts on its first ports; cables follow in the order in
/// which the shape names them.
namespace heddle::support {

/// The Graph of a fabric that is known to be sound.
[[nodiscard]] routing::Graph graph_of(const model::Fabric& fabric);

/// Switches 0 … n - 1 with the cables given as pairs of switches; a pair may stand several times.
[[nodiscard]] model::Fabric from_cables(
    std::uint32_t switches, std::uint32_t hosts,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cables);

/// A ring in each dimension, of two switches a single cable.
[[nodiscard]] model::Fabric torus(const std::vector<std::uint32_t>& sides, std::uint32_t hosts);
/// 2^dimensions switches, cabled where the numbers differ in one bit.
[[nodiscard]] model::Fabric hypercube(std::uint32_t dimensions, std::uint32_t hosts);
//   leaf    leaf        leaf    leaf
//      ╲    ╱              ╲    ╱
//   … ─ hub ──────────────── hub ─ …     hosts on the leaves alone
//      ╱    ╲              ╱    ╲
//   leaf    leaf        leaf    leaf
[[nodiscard]] model::Fabric two_stars(std::uint32_t leaves, std::uint32_t hosts);
//   core   core   core          every spine meets every core, so cores do not tell spines apart
//     │ ╲ ╱ │ ╲ ╱ │
//   spine spine … spine spine   `spines` of each pod, each cabled to the pod's `leaves`
//     │ ╳ │         │ ╳ │
//   leaf leaf  …  leaf leaf     hosts on the leaves alone
[[nodiscard]] model::Fabric meshed_tree(std::uint32_t pods, std::uint32_t leaves,
                                        std::uint32_t spines, std::uint32_t cores,
                                        std::uint32_t hosts);
/// Connected, every switch with `degree` cables to different others, by chance.
[[nodiscard]] model::Fabric random_regular(std::uint32_t switches, std::uint32_t degree,
                                           std::uint32_t hosts, std::uint64_t seed);

/// Everything but cables between switches that are cut by chance, `per_mille` of a thousand.
[[nodiscard]] routing::Availability damaged(const routing::Graph& graph, std::uint32_t per_mille,
                                            std::uint64_t seed);

/// Numbers for tests, small ones too.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) noexcept : random_(seed) {}
  [[nodiscard]] std::uint64_t next() noexcept { return random_(); }
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(next() % bound);
  }

 private:
  routing::SplitMix64 random_;
};

/// HEDDLE_SEED, or `fallback`; printed, so that a failure can be had again.
[[nodiscard]] inline std::uint64_t seed_or(std::uint64_t fallback) {
  const char* const text = std::getenv("HEDDLE_SEED");
  const std::uint64_t seed = text == nullptr ? fallback : std::stoull(text);
  std::cout << "HEDDLE_SEED=" << seed << '\n';
  return seed;
}

/// How many seeds each case of a property is tried with: HEDDLE_SEEDS, or `fallback`, which is what
/// every commit pays for.
[[nodiscard]] inline std::uint64_t seeds_or(std::uint64_t fallback) {
  const char* const text = std::getenv("HEDDLE_SEEDS");
  return text == nullptr ? fallback : std::stoull(text);
}

}  // namespace heddle::support
