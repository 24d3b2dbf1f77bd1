#include <utility>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"
#include "simulation/global_links.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

model::Status check(const DragonflyPlusShape& shape, const GeneratorOptions& options) {
  ShapeChecks checks;
  checks.options(options)
      .positive("groups", shape.groups)
      .positive("leaves", shape.leaves)
      .positive("spines", shape.spines)
      .positive("hosts per leaf", shape.hosts_per_leaf);
  if (!checks.good()) return checks.result();
  const std::uint64_t global = std::uint64_t{shape.spines} * shape.global_links;
  checks.switch_ports("a leaf", std::uint64_t{shape.hosts_per_leaf} + shape.spines)
      .switch_ports("a spine", std::uint64_t{shape.leaves} + shape.global_links)
      .require(global + 1 >= shape.groups,
               fmt::format("{} global links of a group cannot reach {} other groups", global,
                           shape.groups - 1));
  if (!checks.good()) return checks.result();
  return checks
      .node_count(std::uint64_t{shape.groups} *
                  (shape.leaves * (shape.hosts_per_leaf + std::uint64_t{1}) + shape.spines))
      .result();
}

}  // namespace

model::Result<model::Fabric> make_dragonfly_plus(const DragonflyPlusShape& shape,
                                                 const GeneratorOptions& options) {
  if (model::Status bad = check(shape, options); !bad) return model::fail(bad.error());
  FabricMaker maker(options);
  const std::uint32_t hosts = shape.hosts_per_leaf;
  const auto leaf = [&](std::uint32_t group, std::uint32_t index) {
    return maker.switch_guid(0, std::uint64_t{group} * shape.leaves + index);
  };
  const auto spine = [&](std::uint32_t group, std::uint32_t index) {
    return maker.switch_guid(1, std::uint64_t{group} * shape.spines + index);
  };

  for (std::uint32_t group = 0; group < shape.groups; ++group) {
    for (std::uint32_t s = 0; s < shape.spines; ++s) {
      maker.add_switch(spine(group, s), shape.leaves + shape.global_links,
                       fmt::format("spine-{:02}-{:02}", group, s));
    }
    for (std::uint32_t l = 0; l < shape.leaves; ++l) {
      maker.add_switch(leaf(group, l), hosts + shape.spines,
                       fmt::format("leaf-{:02}-{:02}", group, l));
      for (std::uint32_t h = 0; h < hosts; ++h) {
        const std::uint64_t rank = (std::uint64_t{group} * shape.leaves + l) * hosts + h;
        maker.add_host(rank, 1);
        maker.cable(maker.host_guid(rank), 1, leaf(group, l), h + 1);
      }
      for (std::uint32_t s = 0; s < shape.spines; ++s) {
        maker.cable(leaf(group, l), hosts + s + 1, spine(group, s), l + 1);
      }
    }
  }
  const auto global = [&](const GlobalEnd& end) {
    return std::pair(spine(end.group, end.slot / shape.global_links),
                     shape.leaves + 1 + end.slot % shape.global_links);
  };
  for (const GlobalLink& link :
       spread_global_links(shape.groups, shape.spines * shape.global_links)) {
    const auto [a, a_port] = global(link.a);
    const auto [b, b_port] = global(link.b);
    maker.cable(a, a_port, b, b_port);
  }
  return std::move(maker).build();
}

}  // namespace heddle::simulation
