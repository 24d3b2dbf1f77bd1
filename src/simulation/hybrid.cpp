#include <utility>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

model::Status check(const HybridShape& shape, const GeneratorOptions& options) {
  ShapeChecks checks;
  checks.options(options)
      .positive("groups", shape.groups)
      .positive("leaves", shape.leaves)
      .positive("spines", shape.spines)
      .positive("super-spines", shape.super_spines)
      .positive("hosts per leaf", shape.hosts_per_leaf);
  if (!checks.good()) return checks.result();
  checks
      .require(shape.super_spines % shape.spines == 0,
               fmt::format("{} super-spines are no multiple of the {} spines of a group",
                           shape.super_spines, shape.spines))
      .require(!shape.two_homed || shape.leaves % 2 == 0,
               fmt::format("two-homed hosts need leaves in pairs, {} are odd", shape.leaves))
      .switch_ports("a leaf", std::uint64_t{shape.hosts_per_leaf} + shape.spines)
      .switch_ports("a spine", std::uint64_t{shape.leaves} + shape.super_spines / shape.spines)
      .switch_ports("a super-spine", shape.groups);
  if (!checks.good()) return checks.result();
  return checks
      .node_count(std::uint64_t{shape.groups} *
                      (shape.leaves * (shape.hosts_per_leaf + std::uint64_t{1}) + shape.spines) +
                  shape.super_spines)
      .result();
}

/// The hosts of one group, with their cables to its leaves.
void add_hosts(FabricMaker& maker, const HybridShape& shape, std::uint32_t group) {
  const std::uint32_t homes = shape.two_homed ? 2 : 1;
  const std::uint32_t sets = shape.leaves / homes;
  for (std::uint32_t set = 0; set < sets; ++set) {
    for (std::uint32_t h = 0; h < shape.hosts_per_leaf; ++h) {
      const std::uint64_t rank = (std::uint64_t{group} * sets + set) * shape.hosts_per_leaf + h;
      maker.add_host(rank, homes);
      for (std::uint32_t home = 0; home < homes; ++home) {
        const std::uint64_t leaf = std::uint64_t{group} * shape.leaves + set * homes + home;
        maker.cable(maker.host_guid(rank), home + 1, maker.switch_guid(0, leaf), h + 1);
      }
    }
  }
}

}  // namespace

model::Result<model::Fabric> make_hybrid(const HybridShape& shape,
                                         const GeneratorOptions& options) {
  if (model::Status bad = check(shape, options); !bad) return model::fail(bad.error());
  FabricMaker maker(options);
  const std::uint32_t hosts = shape.hosts_per_leaf;
  for (std::uint32_t x = 0; x < shape.super_spines; ++x) {
    maker.add_switch(maker.switch_guid(2, x), shape.groups, fmt::format("super-spine-{:02}", x));
  }
  for (std::uint32_t group = 0; group < shape.groups; ++group) {
    const auto spine = [&](std::uint32_t s) {
      return maker.switch_guid(1, std::uint64_t{group} * shape.spines + s);
    };
    for (std::uint32_t s = 0; s < shape.spines; ++s) {
      maker.add_switch(spine(s), shape.leaves + shape.super_spines / shape.spines,
                       fmt::format("spine-{:02}-{:02}", group, s));
    }
    for (std::uint32_t l = 0; l < shape.leaves; ++l) {
      const model::NodeGuid leaf = maker.switch_guid(0, std::uint64_t{group} * shape.leaves + l);
      maker.add_switch(leaf, hosts + shape.spines, fmt::format("leaf-{:02}-{:02}", group, l));
      for (std::uint32_t s = 0; s < shape.spines; ++s) {
        maker.cable(leaf, hosts + s + 1, spine(s), l + 1);
      }
    }
    add_hosts(maker, shape, group);
    for (std::uint32_t x = 0; x < shape.super_spines; ++x) {
      maker.cable(spine(x % shape.spines), shape.leaves + 1 + x / shape.spines,
                  maker.switch_guid(2, x), group + 1);
    }
  }
  return std::move(maker).build();
}

}  // namespace heddle::simulation
