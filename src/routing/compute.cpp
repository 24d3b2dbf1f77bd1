#include "routing/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "routing/dragonfly.hpp"
#include "routing/fat_tree_engine.hpp"
#include "routing/layered.hpp"
#include "routing/up_down.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::Result;

namespace {

constexpr std::array kEngines{std::pair{Engine::kFatTree, std::string_view{"fat-tree"}},
                              std::pair{Engine::kDragonfly, std::string_view{"dragonfly"}},
                              std::pair{Engine::kDragonflyPlus, std::string_view{"dragonfly-plus"}},
                              std::pair{Engine::kHybrid, std::string_view{"hybrid"}},
                              std::pair{Engine::kUpDown, std::string_view{"up-down"}},
                              std::pair{Engine::kLayered, std::string_view{"layered"}}};

}  // namespace

std::string_view to_string(Engine engine) noexcept {
  for (const auto& [value, name] : kEngines) {
    if (value == engine) return name;
  }
  return "unknown";
}

std::optional<Engine> parse_engine(std::string_view name) noexcept {
  for (const auto& [value, known] : kEngines) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Engine engine_for(Shape shape) noexcept {
  switch (shape) {
    case Shape::kFatTree:
    case Shape::kSingleSwitch:
    case Shape::kEmpty:
      return Engine::kFatTree;
    case Shape::kDragonfly:
      return Engine::kDragonfly;
    case Shape::kDragonflyPlus:
      return Engine::kDragonflyPlus;
    case Shape::kHybrid:
      return Engine::kHybrid;
    case Shape::kIrregular:
      return Engine::kLayered;
  }
  return Engine::kLayered;
}

namespace {

/// Everything that an engine may look at.
struct Request {
  const model::Fabric& fabric;
  const Graph& graph;
  const Structure& structure;
  const Availability& availability;
  std::uint8_t max_lanes;
  Workers& workers;
};

Result<Routes> run(Engine engine, const Request& r) {
  switch (engine) {
    case Engine::kFatTree:
      return route_fat_tree(r.fabric, r.graph, r.structure, r.availability,
                            {.max_lanes = r.max_lanes}, r.workers);
    case Engine::kDragonfly:
      return route_dragonfly(r.graph, r.structure, r.availability, {.max_lanes = r.max_lanes},
                             r.workers);
    case Engine::kDragonflyPlus:
      return route_dragonfly_plus(r.fabric, r.graph, r.structure, r.availability,
                                  {.max_lanes = r.max_lanes}, r.workers);
    case Engine::kHybrid: {
      // Groups joined by super-spines are a tree of three levels; joined by cables between spines,
      // a dragonfly+.
      const bool is_tree = r.structure.shape != Shape::kDragonflyPlus;
      Result<Routes> routes = run(is_tree ? Engine::kFatTree : Engine::kDragonflyPlus, r);
      if (routes) routes->engine = Engine::kHybrid;
      return routes;
    }
    case Engine::kUpDown:
      return route_up_down(r.graph, r.availability, {}, r.workers);
    case Engine::kLayered:
      return route_layered(r.graph, r.availability, {.max_lanes = r.max_lanes}, r.workers);
  }
  return fail(Errc::kUnsupported, "no such engine");
}

std::string fault_of(const Verdict& verdict) {
  return fmt::format("its tables do not pass the proof: {} pairs loop, {}", verdict.looping,
                     verdict.cycle.empty()
                         ? std::string("no dependency cycle")
                         : fmt::format("a dependency cycle of {} channels", verdict.cycle.size()));
}

}  // namespace

Result<Computed> compute_routes(const model::Fabric& fabric, const Graph& graph,
                                const Structure& structure, const Availability& availability,
                                const ComputeOptions& options, Workers& workers) {
  std::vector<Engine> chain{options.engine.value_or(engine_for(structure.shape))};
  if (!options.engine) {
    for (const Engine engine : {Engine::kUpDown, Engine::kLayered}) {
      if (std::ranges::find(chain, engine) == chain.end()) chain.push_back(engine);
    }
  }
  const Request request{fabric, graph, structure, availability, options.max_lanes, workers};
  std::vector<Refusal> refusals;
  for (const Engine engine : chain) {
    Result<Routes> routes = run(engine, request);
    if (!routes) {
      refusals.push_back({engine, routes.error().text});
      continue;
    }
    if (options.walk == Walk::kWithoutOrder && routes->proved_by_order) {
      Verdict verdict;
      verdict.lanes_used = 1;
      return Computed{std::move(*routes), std::move(verdict), std::move(refusals)};
    }
    Verdict verdict = check_routes(graph, availability, routes->tables, routes->lanes, {}, workers);
    if (verdict.looping != 0 || !verdict.cycle.empty()) {
      refusals.push_back({engine, fault_of(verdict)});
      continue;
    }
    return Computed{std::move(*routes), std::move(verdict), std::move(refusals)};
  }
  return fail(Errc::kUnsupported,
              fmt::format("{}: {}", to_string(refusals.front().engine), refusals.front().reason));
}

}  // namespace heddle::routing
