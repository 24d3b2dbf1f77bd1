#include <utility>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"
#include "simulation/generators.hpp"
#include "simulation/global_links.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

std::uint64_t router_ports(const DragonflyShape& shape) {
  return std::uint64_t{shape.hosts_per_router} + shape.routers_per_group - 1 + shape.global_links;
}

model::Status check(const DragonflyShape& shape, const GeneratorOptions& options) {
  ShapeChecks checks;
  checks.options(options)
      .positive("routers per group", shape.routers_per_group)
      .positive("hosts per router", shape.hosts_per_router)
      .positive("groups", shape.groups);
  if (!checks.good()) return checks.result();
  const std::uint64_t global = std::uint64_t{shape.routers_per_group} * shape.global_links;
  checks.switch_ports("a router", router_ports(shape))
      .require(global + 1 >= shape.groups,
               fmt::format("{} global links of a group cannot reach {} other groups", global,
                           shape.groups - 1));
  if (!checks.good()) return checks.result();
  return checks
      .node_count(std::uint64_t{shape.groups} * shape.routers_per_group *
                  (shape.hosts_per_router + 1))
      .result();
}

}  // namespace

model::Result<model::Fabric> make_dragonfly(const DragonflyShape& shape,
                                            const GeneratorOptions& options) {
  if (model::Status bad = check(shape, options); !bad) return model::fail(bad.error());
  FabricMaker maker(options);
  const std::uint32_t routers = shape.routers_per_group;
  const std::uint32_t hosts = shape.hosts_per_router;
  const auto router = [&](std::uint32_t group, std::uint32_t index) {
    return maker.switch_guid(0, std::uint64_t{group} * routers + index);
  };

  for (std::uint32_t group = 0; group < shape.groups; ++group) {
    for (std::uint32_t r = 0; r < routers; ++r) {
      maker.add_switch(router(group, r), static_cast<std::uint32_t>(router_ports(shape)),
                       fmt::format("router-{:02}-{:02}", group, r));
      for (std::uint32_t h = 0; h < hosts; ++h) {
        const std::uint64_t rank = (std::uint64_t{group} * routers + r) * hosts + h;
        maker.add_host(rank, 1);
        maker.cable(maker.host_guid(rank), 1, router(group, r), h + 1);
      }
    }
  }
  // Hosts on ports 1..P, then the other routers of the group in order, then global links.
  for (std::uint32_t group = 0; group < shape.groups; ++group) {
    for (std::uint32_t a = 0; a < routers; ++a) {
      for (std::uint32_t b = a + 1; b < routers; ++b) {
        maker.cable(router(group, a), hosts + b, router(group, b), hosts + a + 1);
      }
    }
  }
  const std::uint32_t before_global = hosts + routers - 1;
  for (const GlobalLink& link : spread_global_links(shape.groups, routers * shape.global_links)) {
    maker.cable(router(link.a.group, link.a.slot / shape.global_links),
                before_global + 1 + link.a.slot % shape.global_links,
                router(link.b.group, link.b.slot / shape.global_links),
                before_global + 1 + link.b.slot % shape.global_links);
  }
  return std::move(maker).build();
}

}  // namespace heddle::simulation
