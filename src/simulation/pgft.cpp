#include <utility>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

/// The arithmetic of the paper with levels from 0 (hosts) to h. A node of level l is the tuple
/// (a_h … a_1), a_i < m_i above its level and a_i < w_i up to it; its rank reads the tuple as a
/// number of mixed radix, a_h first.
class Tree {
 public:
  explicit Tree(const PgftShape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t height() const noexcept { return shape_.m.size(); }
  [[nodiscard]] std::uint32_t m(std::size_t level) const noexcept { return shape_.m[level - 1]; }
  [[nodiscard]] std::uint32_t w(std::size_t level) const noexcept { return shape_.w[level - 1]; }
  [[nodiscard]] std::uint32_t p(std::size_t level) const noexcept { return shape_.p[level - 1]; }

  /// Nodes of one level that have all digits above it in common.
  [[nodiscard]] std::uint64_t nodes_per_subtree(std::size_t level) const noexcept {
    std::uint64_t count = 1;
    for (std::size_t i = 1; i <= level; ++i) count *= w(i);
    return count;
  }
  /// Stops counting above the greatest number that a generator makes.
  [[nodiscard]] std::uint64_t nodes(std::size_t level) const noexcept {
    std::uint64_t count = 1;
    for (std::size_t i = 1; i <= height() && count <= kMaxGeneratedNodes; ++i) {
      count *= i <= level ? w(i) : m(i);
    }
    return count;
  }
  [[nodiscard]] std::uint64_t down_ports(std::size_t level) const noexcept {
    return level == 0 ? 0 : std::uint64_t{m(level)} * p(level);
  }
  [[nodiscard]] std::uint64_t up_ports(std::size_t level) const noexcept {
    return level == height() ? 0 : std::uint64_t{w(level + 1)} * p(level + 1);
  }
  [[nodiscard]] std::uint64_t cabled_ports(std::size_t level) const noexcept {
    return down_ports(level) + up_ports(level);
  }

 private:
  const PgftShape& shape_;
};

std::string switch_name(const Tree& tree, std::size_t level, std::uint64_t rank) {
  if (level == 1) return fmt::format("leaf-{:04}", rank);
  if (level == tree.height()) return fmt::format("{}-{:04}", level == 2 ? "spine" : "core", rank);
  const std::uint64_t siblings = tree.nodes_per_subtree(level);
  return fmt::format("{}-{:02}-{:02}", level == 2 ? "spine" : "upper-spine", rank / siblings,
                     rank % siblings);
}

model::Status check(const PgftShape& shape, const GeneratorOptions& options) {
  ShapeChecks checks;
  const std::size_t height = shape.m.size();
  checks.options(options)
      .require(height == shape.w.size() && height == shape.p.size(),
               fmt::format("m, w and p have {}, {} and {} numbers", height, shape.w.size(),
                           shape.p.size()))
      .require(height >= 1 && height <= kMaxTiers,
               fmt::format("{} levels; 1 to {} can be made", height, kMaxTiers));
  if (!checks.good()) return checks.result();
  for (std::size_t i = 0; i < height; ++i) {
    checks.positive(fmt::format("m{}", i + 1), shape.m[i])
        .positive(fmt::format("w{}", i + 1), shape.w[i])
        .positive(fmt::format("p{}", i + 1), shape.p[i]);
  }
  const Tree tree(shape);
  checks.require(tree.up_ports(0) <= kMaxAdapterPorts,
                 fmt::format("a host adapter would have {} ports, at most {} can be made",
                             tree.up_ports(0), kMaxAdapterPorts));
  for (std::size_t level = 1; level <= height; ++level) {
    const std::uint64_t ports = tree.cabled_ports(level);
    const std::string what = fmt::format("a switch of level {}", level);
    checks.switch_ports(what, ports);
    if (shape.radix) {
      checks.require(ports <= *shape.radix, fmt::format("{} would have {} ports, its radix is {}",
                                                        what, ports, *shape.radix));
    }
  }
  checks.switch_ports("a switch", shape.radix.value_or(1))
      .positive("radix", shape.radix.value_or(1));
  if (!checks.good()) return checks.result();
  std::uint64_t nodes = 0;
  for (std::size_t level = 0; level <= height; ++level) nodes += tree.nodes(level);
  return checks.node_count(nodes).result();
}

}  // namespace

model::Result<model::Fabric> make_pgft(const PgftShape& shape, const GeneratorOptions& options) {
  if (model::Status bad = check(shape, options); !bad) return model::fail(bad.error());
  const Tree tree(shape);
  FabricMaker maker(options);
  const auto guid = [&maker](std::size_t level, std::uint64_t rank) {
    return level == 0 ? maker.host_guid(rank)
                      : maker.switch_guid(static_cast<std::uint32_t>(level - 1), rank);
  };

  for (std::uint64_t rank = 0; rank < tree.nodes(0); ++rank) {
    maker.add_host(rank, static_cast<std::uint32_t>(tree.up_ports(0)));
  }
  for (std::size_t level = 1; level <= tree.height(); ++level) {
    const std::uint32_t ports =
        shape.radix.value_or(static_cast<std::uint32_t>(tree.cabled_ports(level)));
    for (std::uint64_t rank = 0; rank < tree.nodes(level); ++rank) {
      maker.add_switch(guid(level, rank), ports, switch_name(tree, level, rank));
    }
  }

  // A node and its parent agree in all digits but that of the parent's level. Ports as in the
  // paper: cable k to child c is down port c + k m, to parent a up port a + k w.
  for (std::size_t level = 1; level <= tree.height(); ++level) {
    const std::uint64_t low_size = tree.nodes_per_subtree(level - 1);
    for (std::uint64_t rank = 0; rank < tree.nodes(level); ++rank) {
      const std::uint64_t low = rank % low_size;
      const std::uint64_t digit = rank / low_size % tree.w(level);
      const std::uint64_t high = rank / low_size / tree.w(level);
      for (std::uint32_t k = 0; k < tree.p(level); ++k) {
        for (std::uint32_t c = 0; c < tree.m(level); ++c) {
          const std::uint64_t child = (high * tree.m(level) + c) * low_size + low;
          maker.cable(guid(level, rank), 1 + c + std::uint64_t{k} * tree.m(level),
                      guid(level - 1, child),
                      tree.down_ports(level - 1) + 1 + digit + std::uint64_t{k} * tree.w(level));
        }
      }
    }
  }
  return std::move(maker).build();
}

}  // namespace heddle::simulation
